/**
 * Jupiter's token API, version 2: rows of Solana's tokens, those that are
 * trending or new, and what Jupiter knows of one of them. It shares a host, and
 * its quota, with Jupiter's swaps.
 *
 * Source: §4.1, §4.2 · developers.jup.ag, Tokens API V2
 */

import { Type } from 'typebox'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { answerReader } from '../answer.ts'
import type { CallOptions } from '../provider.ts'
import { cleanToken, itemsReader } from './clean.ts'
import { fieldsOf } from './fields.ts'
import { type Asking, get } from './get.ts'
import { readParts, rowOf, type Token, type TokenParts } from './jupiter-token.ts'
import type { Discovery, MarketProvider, MarketRow, Part, PartSource } from './market.ts'
import { SharedCalls } from './shared-calls.ts'

const LABEL = 'jupiter'
const CHAIN = 'solana'
/** Mints that one search takes, and the most that a list is asked for. */
const MAX_MINTS = 100
const KEEP_MS = 60_000
/** The parts of one profile are asked for within moments of each other. */
const SHARED_MS = 30_000
const DISCOVER_EVERY_MS = 120_000
/** A hundred rows at a time: six of the thirty calls a minute that swaps need too. */
const ROWS_EVERY_MS = 10_000
/** What nobody has traded for a week has no price, whatever it was. */
const MAX_PRICE_AGE_MS = 7 * 86_400_000

const readList = answerReader(Type.Array(Type.Unknown()))
const readTokens = itemsReader(Type.Object({ id: Type.String() }), MAX_MINTS)

/** What Jupiter said, and when it was asked, ms epoch. */
interface Asked {
  readonly at: number
  /** Null where it knows no such token. */
  readonly parts: TokenParts | null
}

export interface JupiterTokensOptions {
  /** The one of Jupiter's swaps, because the quota is one. */
  readonly upstream: Asking
  readonly clock?: Clock
}

export function jupiterTokens({ upstream, clock = CLOCK }: JupiterTokensOptions): MarketProvider {
  const calls = new SharedCalls<Asked>(SHARED_MS, clock)

  const list = (path: string, options: CallOptions) =>
    upstream.ask(
      get<readonly Token[]>(`/tokens/v2/${path}`, (body) => {
        const answer = readList(body)
        return answer === null ? null : readTokens(answer.value)
      }),
      options,
    )

  const search = async (addresses: readonly string[], options: CallOptions): Promise<readonly Token[]> => {
    const asked = new Set(addresses)
    const tokens = await list(`search?${new URLSearchParams({ query: addresses.join() })}`, options)
    return tokens.filter(({ id }) => asked.has(id))
  }

  const askParts = async (address: string, options: CallOptions): Promise<Asked> => {
    const at = clock.date()
    const [token] = await search([address], options)
    return { at, parts: token === undefined ? null : readParts(token, at) }
  }

  const part = <P extends Part & keyof TokenParts>(name: P): PartSource<P> => ({
    keepMs: KEEP_MS,
    async ask({ address }, options) {
      const { parts } = await calls.ask(address, options, (shared) => askParts(address, shared))
      return parts === null ? null : parts[name]
    },
  })

  const discovery = (book: Discovery['book'], title: string, path: string): Discovery => ({
    book,
    title,
    everyMs: DISCOVER_EVERY_MS,
    chains: null,
    async ask(_chain, options) {
      const at = clock.date()
      const tokens = await list(path, options)
      return tokens.flatMap((token) => {
        const address = cleanToken(CHAIN, token.id)
        return address === null ? [] : [{ chain: CHAIN, address, row: rowOf({ ...token, id: address }, at) }]
      })
    },
  })

  return {
    label: LABEL,
    chains: new Set([CHAIN]),
    rows: {
      maxTokens: MAX_MINTS,
      everyMs: ROWS_EVERY_MS,
      async ask(_chain, addresses, options) {
        const at = clock.date()
        return (await search(addresses, options)).map((token) => rowOf(token, at))
      },
    },
    discoveries: [
      discovery('trending', 'jupiter trending tokens', `toptrending/1h?limit=${MAX_MINTS}`),
      discovery('new', 'jupiter recent tokens', 'recent'),
    ],
    parts: { row: part('row'), about: part('about'), early: part('early'), security: part('security') },
    prices: {
      maxTokens: MAX_MINTS,
      async ask(tokens, options, onNamed) {
        const at = clock.date()
        const found = await search(
          tokens.map(({ address }) => address),
          options,
        )
        return found.flatMap((token) => {
          const row = rowOf(token, at)
          onNamed?.(row)
          return isReliable(token, row, at) ? [{ ...row, price: row.price!, liq: row.liq }] : []
        })
      },
    },
  }
}

/** Whether a price counts: with a depth, without which there is no telling what it is worth, and without the mark. */
function isReliable({ audit }: Token, { price, priceTs, liq }: MarketRow, at: number): boolean {
  const isMarked = 'isSus' in fieldsOf(audit)
  return !!price && liq !== null && at - priceTs <= MAX_PRICE_AGE_MS && !isMarked
}
