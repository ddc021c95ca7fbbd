/**
 * DexScreener's public API: pairs of many tokens in one call, and the tokens that
 * their authors promote.
 *
 * A pair prices its base token only; the requested token may be the quote. A row
 * uses the pairs in which the token is the base, as ../pools.ts chooses among them.
 * The call for thirty tokens returns one pair per token, often the busiest and
 * not the deepest; `liqOf` marks such rows. A price has no time of its own, so
 * `priceTs` is the time of the request.
 *
 * Source: docs.dexscreener.com/api/reference
 */

import { Type } from 'typebox'
import type { Call } from '../../../flow/call.ts'
import { CLOCK } from '../../../runtime/clock.ts'
import { taped } from '../../../runtime/tape.ts'
import { answerReader } from '../../answer.ts'
import { type AdapterOptions, get } from '../../requests.ts'
import * as clean from '../clean.ts'
import { listedAs } from '../listed-as.ts'
import type { Discovered, MarketProvider, MarketRow, Part, PartSource, Parts, TokenId } from '../market.ts'
import { choose, earlyFrom, poolsWith } from '../pools.ts'
import { sharedCalls } from '../shared-calls.ts'
import { aboutFrom, CHAIN_IDS, type DexscreenerPair, readPairs, rowOfPairs } from './pairs.ts'
import { Surveys } from './surveys.ts'

const CHAIN_KEYS: ReadonlyMap<string, string> = new Map(
  [...CHAIN_IDS].map(([key, chainId]) => [chainId, key]),
)

const MAX_TOKENS = 30
/** Dollars at stake that make a single pair sufficient. */
const ENOUGH_AT_STAKE = 25_000
const MAX_DISCOVERED = 100

const ROW_KEEP_MS = 30_000
const ABOUT_KEEP_MS = 600_000
/** The parts of one profile are requested within this time. */
const SHARED_MS = 10_000
/** The lists share 60 calls a minute. */
const DISCOVERY_MS = 60_000

/** `pairs` is null if nothing was found. */
const readSearch = answerReader(Type.Object({ pairs: Type.Union([Type.Array(Type.Unknown()), Type.Null()]) }))
const readList = answerReader(Type.Array(Type.Unknown()))
const readDiscovered = clean.itemsReader(
  Type.Object({ chainId: Type.String(), tokenAddress: Type.String() }),
  MAX_DISCOVERED,
)
export function dexscreener({ upstream, clock = CLOCK }: AdapterOptions): MarketProvider {
  const surveys = taped(clock, 'surveys', new Surveys(clock))
  const pairsOfToken = sharedCalls<readonly DexscreenerPair[]>(SHARED_MS, clock)

  const list = (path: string, call: Call): Promise<readonly unknown[]> =>
    upstream.ask(
      get(path, (body) => readList(body)?.value ?? null),
      call,
    )

  /** The pairs with the token on either side, deepest first; none for an unknown token. */
  const pairsOf = ({ chain, address }: TokenId, call: Call): Promise<readonly DexscreenerPair[]> => {
    const token = listedAs(chain, address)
    const path = `/token-pairs/v1/${CHAIN_IDS.get(chain)}/${encodeURIComponent(token)}`
    return pairsOfToken(`${chain} ${token}`, call, async (shared) =>
      poolsWith(readPairs(chain, await list(path, shared)), token),
    )
  }

  /**
   * The row of the returned pair if enough is at stake in it; otherwise the row of
   * all of the token's pairs, which the quota allows only now and then.
   * @returns null if no reliable row is available now: the list keeps the previous one
   */
  const rowOf = async (token: TokenId, pairs: readonly DexscreenerPair[], call: Call) => {
    const listed = listedAs(token.chain, token.address)
    const own = pairs.filter(({ base }) => base.address === listed)
    // A pair does not price its quote token.
    if (own.length === 0) return null
    const row: MarketRow = { ...rowOfPairs(token, own, clock.date()), liqOf: 'pool' }
    if (choose(token.chain, listed, own).weight >= ENOUGH_AT_STAKE) return row
    const confirmed = surveys.confirm(row)
    if (confirmed !== null) return confirmed
    if (surveys.admit(token)) {
      const all = await pairsOf(token, call).catch(() => [])
      if (all.length > 0) {
        const surveyed = rowOfPairs(token, all, clock.date())
        surveys.keep(surveyed)
        return surveyed
      }
    }
    return row.price === null || surveys.has(token) ? null : row
  }

  const part = <P extends Part>(
    keepMs: number,
    from: (token: TokenId, pairs: readonly DexscreenerPair[]) => Parts[P],
  ): PartSource<P> => ({
    keepMs,
    async ask(token, call) {
      const pairs = await pairsOf(token, call)
      return pairs.length === 0 ? null : from(token, pairs)
    },
  })

  return {
    label: 'dexscreener',
    chains: new Set(CHAIN_IDS.keys()),

    rows: {
      maxTokens: MAX_TOKENS,
      async ask(chain, addresses, call) {
        const tokens = [...new Set(addresses.map((address) => listedAs(chain, address)))]
        const path = `/tokens/v1/${CHAIN_IDS.get(chain)}/${tokens.map(encodeURIComponent).join(',')}`
        const pairs = readPairs(chain, await list(path, call))
        const rows = addresses.map((address) => rowOf({ chain, address }, pairs, call))
        return (await Promise.all(rows)).filter((row) => row !== null)
      },
    },

    byAddress: {
      async ask(text, call) {
        const request = get(`/latest/dex/search?q=${encodeURIComponent(text)}`, readFound)
        const items = await upstream.ask(request, call)
        return [...CHAIN_IDS.keys()].flatMap((chain): readonly MarketRow[] => {
          const address = clean.token(chain, text)
          if (address === null) return []
          const own = poolsWith(readPairs(chain, items), address)
          return own.length === 0 ? [] : [rowOfPairs({ chain, address }, own, clock.date())]
        })
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
      ask: async (_chain, call) => readDiscovered(await list(path, call)).flatMap(discoveredIn),
    })),

    parts: {
      row: part<'row'>(ROW_KEEP_MS, (token, pairs) => rowOfPairs(token, pairs, clock.date())),
      about: part<'about'>(ABOUT_KEEP_MS, ({ chain, address }, pairs) =>
        aboutFrom(listedAs(chain, address), pairs),
      ),
      early: part<'early'>(ABOUT_KEEP_MS, (_token, pairs) => earlyFrom(pairs)),
    },
  }
}

/** @returns the pairs that a search found; null if the answer has the wrong form */
function readFound(body: Buffer): readonly unknown[] | null {
  const answer = readSearch(body)
  return answer === null ? null : (answer.value.pairs ?? [])
}

type DexscreenerToken = ReturnType<typeof readDiscovered>[number]

function discoveredIn({ chainId, tokenAddress }: DexscreenerToken): readonly Discovered[] {
  const chain = CHAIN_KEYS.get(chainId)
  if (chain === undefined) return []
  const address = clean.token(chain, tokenAddress)
  return address === null ? [] : [{ chain, address, row: null }]
}
