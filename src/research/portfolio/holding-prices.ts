/**
 * Prices of holdings: the token list's price if it is recent, else the price sources in turn, each asked once
 * for the tokens of all chains. A price counts only if the token's pools are deep enough, or its source
 * vouches for it: a token without trades may claim any price. A price older than an hour counts if no other
 * source has a newer one, and is marked as stale.
 *
 * Source: §4.4
 */

import { findMajor } from '../../chains/majors.ts'
import type { Call } from '../../flow/call.ts'
import type { Holding } from '../../providers/holdings/holdings.ts'
import {
  hasPrices,
  idOf,
  type MarketProvider,
  type Named,
  type Price,
  type TokenId,
} from '../../providers/market/market.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { chunksOf } from '../../runtime/lists.ts'
import { isPriceOld } from '../list/price-age.ts'
import type { ListedToken, TokenSet } from '../list/token-set.ts'

/** The oldest price of the token list that counts. The answer shows its age, and a fresher one would cost a call. */
const MAX_AGE_MS = 600_000
/**
 * The most calls to one source for one portfolio, and the most of them that one
 * chain may fill. A wallet with more unlisted tokens is a spammer's, or spammed.
 */
const MAX_CALLS = 4
const MAX_CALLS_OF_CHAIN = 2

/** A price in dollars, its time, ms epoch, and the dollars in the pools; `liq` is null if the source vouches for the price. */
export type Valuation = Pick<Price, 'price' | 'priceTs' | 'liq'>

/** A source whose failure left holdings without a price. */
export interface PriceFailure {
  readonly provider: string
  readonly error: GatewayError
}

/** The prices of one chain's holdings; those of other chains may be among them. */
export interface Valuations {
  /** By token id; other tokens are unpriced. */
  readonly prices: ReadonlyMap<string, Valuation>
  /** The names that price sources have, by token id. */
  readonly names: ReadonlyMap<string, Named>
  readonly failures: readonly PriceFailure[]
  /** How many tokens no source was asked about, because there were too many. */
  readonly unasked: number
}

export interface HoldingPricesOptions {
  readonly tokens: Pick<TokenSet, 'find'>
  /** The price sources, in the order in which they are asked. */
  readonly providers: readonly MarketProvider[]
  /** The least dollars in the pools for a price to count. */
  readonly minLiquidityUsd: number
  readonly clock: Clock
}

interface FailedPrices extends PriceFailure {
  readonly tokens: readonly TokenId[]
}

type ValueAll = (
  byChain: ReadonlyMap<string, readonly Holding[]>,
  call: Call,
) => Promise<ReadonlyMap<string, Valuations>>

/**
 * @returns a function that values holdings by chain key, with a call over all prices; the valuations are by chain key,
 *          too, for each of the chains
 */
export function holdingPrices({ tokens, providers, minLiquidityUsd, clock }: HoldingPricesOptions): ValueAll {
  const all = providers.filter(hasPrices)

  /**
   * Puts the list's prices into `known`.
   * @returns the tokens left to ask sources for. Named tokens come first: anyone can send a wallet a hundred
   *          unknown tokens, which must not take the calls from the others
   */
  function unpriced(holdings: readonly Holding[], known: Map<string, Valuation>): readonly TokenId[] {
    const [named, others]: [TokenId[], TokenId[]] = [[], []]
    for (const holding of holdings) {
      const { chain, address } = holding.token
      const listed = tokens.find(chain, address)
      const price = listed === null ? null : listPrice(listed)
      if (price !== null) known.set(idOf(holding.token), price)
      else if (isWorthAsking(holding, listed)) {
        const isNamed = listed !== null || holding.symbol !== null
        ;(isNamed ? named : others).push({ chain, address })
      }
    }
    return [...named, ...others]
  }

  function listPrice({ chain, address, isListed, price, priceTs, liq }: ListedToken): Valuation | null {
    if (!isListed || price === null || priceTs === null || liq === null) return null
    if (clock.date() - priceTs > MAX_AGE_MS) return null
    if (!isDeep({ price, liq })) return null
    // A major's price also comes from other chains, so this chain's pools do not cap it.
    return { price, priceTs, liq: findMajor(chain, address) === null ? liq : null }
  }

  const isDeep = ({ price, liq }: Pick<Price, 'price' | 'liq'>): boolean =>
    price > 0 && (liq === null || liq >= minLiquidityUsd)

  return async (byChain, call) => {
    const known = new Map<string, Valuation>()
    const unknown = [...byChain.values()].map((holdings) => unpriced(holdings, known))
    const names = new Map<string, Named>()
    const date = clock.date()
    /** Whether no source needs to be asked any more. */
    const isSettled = (token: TokenId): boolean => {
      const price = known.get(idOf(token))
      return price !== undefined && !isPriceOld(price.priceTs, date)
    }
    const asked = new Set<string>()
    const failed: FailedPrices[] = []
    const sources = all.filter(({ chains }) => [...byChain.keys()].some((key) => chains.has(key)))
    for (const [i, { label, chains, prices }] of sources.entries()) {
      const missing = unknown.map((tokens) =>
        tokens
          .filter((token) => chains.has(token.chain) && !isSettled(token))
          .slice(0, MAX_CALLS_OF_CHAIN * prices.maxTokens),
      )
      // A source that hangs leaves the later ones their share of the time.
      const share = call.as('research').within(call.leftMs / (sources.length - i))
      await Promise.all(
        chunksOf(interleaved(missing), prices.maxTokens)
          .slice(0, MAX_CALLS)
          .map(async (tokens) => {
            for (const token of tokens) asked.add(idOf(token))
            try {
              const onNamed = (named: Named): void => void names.set(idOf(named), named)
              for (const price of await prices.ask(tokens, share, onNamed)) {
                const older = known.get(idOf(price))
                if (older !== undefined && older.priceTs >= price.priceTs) continue
                if (isDeep(price)) known.set(idOf(price), price)
              }
            } catch (error) {
              if (!(error instanceof GatewayError)) throw error
              failed.push({ provider: label, error, tokens })
            }
          }),
      )
    }
    return new Map(
      [...byChain.keys()].map((chain, i) => {
        const unasked = unknown[i]!.filter((token) => !asked.has(idOf(token)) && !known.has(idOf(token)))
        const isPriced = sources.some(({ chains }) => chains.has(chain))
        const failures = failuresOn(chain, known, failed)
        return [chain, { prices: known, names, failures, unasked: isPriced ? unasked.length : 0 }]
      }),
    )
  }
}

/** The failures by which a token of the chain stayed unpriced, once per source. */
function failuresOn(
  chain: string,
  known: ReadonlyMap<string, Valuation>,
  failed: readonly FailedPrices[],
): readonly PriceFailure[] {
  const failures = new Map<string, PriceFailure>()
  for (const { provider, error, tokens } of failed) {
    const isMissed = tokens.some((token) => token.chain === chain && !known.has(idOf(token)))
    if (isMissed && !failures.has(provider)) failures.set(provider, { provider, error })
  }
  return [...failures.values()]
}

/**
 * Whether sources are asked for a price. Not for a token that the risk gate rejects, one without decimals, or
 * a single indivisible one, which is a collectible.
 */
function isWorthAsking({ decimals, amount, token }: Holding, listed: ListedToken | null): boolean {
  if (token.isNative) return true
  return listed?.isListed !== false && decimals !== null && !(decimals === 0 && amount === 1n)
}

/** The first of each list, then the second of each, and so on, so that a long list does not starve the others. */
function interleaved<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat()
}
