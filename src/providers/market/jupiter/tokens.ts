/**
 * Jupiter's token API, version 2: rows of Solana tokens, trending and new tokens,
 * and details of one token. It shares its host and its quota with Jupiter's
 * swaps.
 *
 * Source: §4.1, §4.2 · developers.jup.ag, Tokens API V2
 */

import { Type } from 'typebox'
import { fieldsOf } from '../../../chains/json/fields.ts'
import type { Call } from '../../../flow/call.ts'
import { CLOCK } from '../../../runtime/clock.ts'
import { answerReader } from '../../answer.ts'
import { type AdapterOptions, get } from '../../requests.ts'
import { cleanToken, itemsReader } from '../clean.ts'
import type { Discovery, MarketProvider, MarketRow } from '../market.ts'
import { sharedParts } from '../shared-calls.ts'
import { type JupiterToken, readTokenParts, rowOf, type TokenParts } from './token.ts'

const LABEL = 'jupiter'
const CHAIN = 'solana'
/** The most mints per search, and the most tokens requested per list. */
const MAX_MINTS = 100
const KEEP_MS = 60_000
/** The parts of one profile are requested at nearly the same time. */
const SHARED_MS = 30_000
const DISCOVER_EVERY_MS = 120_000
/** With a hundred rows per call this takes six of the thirty calls a minute, which swaps share. */
const ROWS_EVERY_MS = 10_000
/** A token that was not traded for a week has no reliable price. */
const MAX_PRICE_AGE_MS = 7 * 86_400_000

const readList = answerReader(Type.Array(Type.Unknown()))
const readTokens = itemsReader(Type.Object({ id: Type.String() }), MAX_MINTS)

/** @param upstream  the same as for Jupiter's swaps, because they share one quota */
export function jupiterTokens({ upstream, clock = CLOCK }: AdapterOptions): MarketProvider {
  const list = (path: string, call: Call) =>
    upstream.ask(
      get<readonly JupiterToken[]>(`/tokens/v2/${path}`, (body) => {
        const answer = readList(body)
        return answer === null ? null : readTokens(answer.value)
      }),
      call,
    )

  const search = async (addresses: readonly string[], call: Call): Promise<readonly JupiterToken[]> => {
    const asked = new Set(addresses)
    const tokens = await list(`search?${new URLSearchParams({ query: addresses.join() })}`, call)
    return tokens.filter(({ id }) => asked.has(id))
  }

  const options = { keepMs: KEEP_MS, sharedMs: SHARED_MS, clock }
  const part = sharedParts<keyof TokenParts>(options, async (address, call) => {
    const at = clock.date()
    const [token] = await search([address], call)
    return { parts: token === undefined ? null : readTokenParts(token, at) }
  })

  const discovery = (book: Discovery['book'], title: string, path: string): Discovery => ({
    book,
    title,
    everyMs: DISCOVER_EVERY_MS,
    chains: null,
    async ask(_chain, call) {
      const at = clock.date()
      const tokens = await list(path, call)
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
      async ask(_chain, addresses, call) {
        const at = clock.date()
        return (await search(addresses, call)).map((token) => rowOf(token, at))
      },
    },
    discoveries: [
      discovery('trending', 'jupiter trending tokens', `toptrending/1h?limit=${MAX_MINTS}`),
      discovery('new', 'jupiter recent tokens', 'recent'),
    ],
    parts: { row: part('row'), about: part('about'), early: part('early'), security: part('security') },
    prices: {
      maxTokens: MAX_MINTS,
      async ask(tokens, call, onNamed) {
        const at = clock.date()
        const found = await search(
          tokens.map(({ address }) => address),
          call,
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

/**
 * Whether a price counts: it is recent, the liquidity is known, and the token is not marked as suspicious.
 */
function isReliable({ audit }: JupiterToken, { price, priceTs, liq }: MarketRow, at: number): boolean {
  const isMarked = 'isSus' in fieldsOf(audit)
  return !!price && liq !== null && at - priceTs <= MAX_PRICE_AGE_MS && !isMarked
}
