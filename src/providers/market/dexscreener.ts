/**
 * DexScreener's public API: pairs of many tokens in one call, and the tokens
 * whose makers pay for attention.
 *
 * A pair says what its base token costs; of the quote token, which may be the
 * one that was asked for, it says nothing. A row is made of the pairs in which
 * the token is the base: price, names and market cap of the one with the most
 * liquidity, liquidity and volume of all of them. The price has no time of its
 * own, so it is of when it was asked for.
 *
 * Source: docs.dexscreener.com/api/reference
 */

import { Type } from 'typebox'
import { CLOCK, type Clock } from '../../clock.ts'
import { answerReader } from '../answer.ts'
import type { CallOptions } from '../provider.ts'
import { cleanToken, itemsReader } from './clean.ts'
import { aboutFrom, CHAIN_IDS, earlyFrom, type Pair, readPairs, rowFrom, rowOf } from './dexscreener-pairs.ts'
import { type Asking, get } from './get.ts'
import { listedAs } from './listed-as.ts'
import type { Discovered, MarketProvider, MarketRow, Part, PartSource, Parts, TokenId } from './market.ts'
import { poolsWith } from './pools.ts'
import { inTurn, SharedCalls } from './shared-calls.ts'

const CHAIN_KEYS: ReadonlyMap<string, string> = new Map(
  [...CHAIN_IDS].map(([key, chainId]) => [chainId, key]),
)

const MAX_TOKENS = 30
/** An answer holds no more pairs than this, whatever was asked: the token with many pools crowds the others out. */
const CROWDED_PAIRS = 30
const MAX_RETRIES = 3
const MAX_DISCOVERED = 100

const ROW_KEEP_MS = 30_000
const ABOUT_KEEP_MS = 600_000
/** The parts of one profile are asked for within this time. */
const SHARED_MS = 10_000
/** The lists share 60 calls a minute. */
const DISCOVERY_MS = 60_000

const readList = answerReader(Type.Array(Type.Unknown()))
const readDiscovered = itemsReader(
  Type.Object({ chainId: Type.String(), tokenAddress: Type.String() }),
  MAX_DISCOVERED,
)
export interface DexscreenerOptions {
  readonly upstream: Asking
  readonly clock?: Clock
}

export function dexscreener({ upstream, clock = CLOCK }: DexscreenerOptions): MarketProvider {
  const pairsOfToken = new SharedCalls<readonly Pair[]>(SHARED_MS, clock)

  const list = (path: string, options: CallOptions): Promise<readonly unknown[]> =>
    upstream.ask(
      get(path, (body) => readList(body)?.value ?? null),
      options,
    )

  /** The token's own pairs, deepest first; none where it is not known. */
  const pairsOf = ({ chain, address }: TokenId, options: CallOptions): Promise<readonly Pair[]> => {
    const token = listedAs(chain, address)
    const path = `/token-pairs/v1/${CHAIN_IDS.get(chain)}/${encodeURIComponent(token)}`
    return pairsOfToken.ask(`${chain} ${token}`, options, async (shared) =>
      poolsWith(readPairs(chain, await list(path, shared)), token),
    )
  }

  const part = <P extends Part>(
    keepMs: number,
    from: (token: TokenId, pairs: readonly Pair[]) => Parts[P],
  ): PartSource<P> => ({
    keepMs,
    async ask(token, options) {
      const pairs = await pairsOf(token, options)
      return pairs.length === 0 ? null : from(token, pairs)
    },
  })

  return {
    label: 'dexscreener',
    chains: new Set(CHAIN_IDS.keys()),

    rows: {
      maxTokens: MAX_TOKENS,
      async ask(chain, addresses, options) {
        const turn = inTurn(options, clock)
        const rows: MarketRow[] = []
        let missing = addresses
        for (let retries = 0; missing.length > 0 && retries <= MAX_RETRIES; retries++) {
          const tokens = [...new Set(missing.map((address) => listedAs(chain, address)))]
          const path = `/tokens/v1/${CHAIN_IDS.get(chain)}/${tokens.map(encodeURIComponent).join(',')}`
          const answer = list(path, turn())
          // What the first call found is worth having without what another one might.
          const items = await (retries === 0 ? answer : answer.catch(() => []))
          const pairs = readPairs(chain, items)
          const known = new Set(pairs.flatMap(({ base, quote }) => [base.address, quote.address]))
          const answered = missing.filter((address) => known.has(listedAs(chain, address)))
          rows.push(...answered.flatMap((address) => rowOf({ chain, address }, pairs, clock.date()) ?? []))
          if (items.length < CROWDED_PAIRS || answered.length === 0) break
          missing = missing.filter((address) => !answered.includes(address))
        }
        return rows
      },
    },

    discoveries: [
      ['/token-boosts/top/v1', 'dexscreener top boosts'] as const,
      ['/token-boosts/latest/v1', 'dexscreener latest boosts'] as const,
      ['/token-profiles/latest/v1', 'dexscreener latest profiles'] as const,
    ].map(([path, title]) => ({
      book: 'boosted',
      title,
      everyMs: DISCOVERY_MS,
      chains: null,
      ask: async (_chain, options) => readDiscovered(await list(path, options)).flatMap(discoveredIn),
    })),

    parts: {
      row: part<'row'>(ROW_KEEP_MS, (token, pairs) => rowFrom(token, pairs, clock.date())),
      about: part<'about'>(ABOUT_KEEP_MS, ({ chain, address }, pairs) =>
        aboutFrom(listedAs(chain, address), pairs),
      ),
      early: part<'early'>(ABOUT_KEEP_MS, (_token, pairs) => earlyFrom(pairs)),
    },
  }
}

function discoveredIn({
  chainId,
  tokenAddress,
}: {
  readonly chainId: string
  readonly tokenAddress: string
}): readonly Discovered[] {
  const chain = CHAIN_KEYS.get(chainId)
  if (chain === undefined) return []
  const address = cleanToken(chain, tokenAddress)
  return address === null ? [] : [{ chain, address, row: null }]
}
