/** Reads how a market's figures changed within spans of time. */

import { type Fields, fieldsOf } from '../../chains/json/fields.ts'
import * as clean from './clean.ts'
import { type Change, type Changes, SPANS, type Span } from './market.ts'

/** The figures of one span, uncleaned. */
type RawChange = Readonly<Record<'price' | 'buys' | 'sells', unknown>>

/** @returns the spans with at least one known figure; null if there is none */
export function readChanges(rawChangeOf: (span: Span) => RawChange): Changes | null {
  const changes = SPANS.flatMap((span): [Span, Change][] => {
    const { price, buys, sells } = rawChangeOf(span)
    const change = { pricePct: clean.change(price), buys: clean.number(buys), sells: clean.number(sells) }
    return Object.values(change).every((value) => value === null) ? [] : [[span, change]]
  })
  return changes.length === 0 ? null : Object.fromEntries(changes)
}

/**
 * The changes of a pool. All sources of pools use the same names for the spans.
 * @param prices  percent by span
 * @param trades  `buys` and `sells` by span
 */
export function changesOfPool(prices: unknown, trades: unknown): { readonly changes?: Changes } {
  const changes = readChanges((span) => {
    const counts: Fields = fieldsOf(fieldsOf(trades)[span])
    return { price: fieldsOf(prices)[span], buys: counts.buys, sells: counts.sells }
  })
  return changes === null ? {} : { changes }
}
