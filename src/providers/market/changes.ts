/** What a market's figures have changed by within spans of time, as sources tell it. */
import { cleanChange, cleanNumber } from './clean.ts'
import { type Fields, fieldsOf } from './fields.ts'
import { type Change, type Changes, SPANS, type Span } from './market.ts'

/** One span, as a source writes it. */
interface Told {
  readonly price: unknown
  readonly buys: unknown
  readonly sells: unknown
}

/** @returns the spans of which something is told; null for none */
export function readChanges(tell: (span: Span) => Told): Changes | null {
  const changes = SPANS.flatMap((span): [Span, Change][] => {
    const { price, buys, sells } = tell(span)
    const change = { pricePct: cleanChange(price), buys: cleanNumber(buys), sells: cleanNumber(sells) }
    return Object.values(change).every((value) => value === null) ? [] : [[span, change]]
  })
  return changes.length === 0 ? null : Object.fromEntries(changes)
}

/**
 * Of a pool, whose sources name the spans alike.
 * @param prices  percent by span  @param trades  `buys` and `sells` by span
 */
export function changesOfPool(prices: unknown, trades: unknown): { readonly changes?: Changes } {
  const changes = readChanges((span) => {
    const counts: Fields = fieldsOf(fieldsOf(trades)[span])
    return { price: fieldsOf(prices)[span], buys: counts.buys, sells: counts.sells }
  })
  return changes === null ? {} : { changes }
}
