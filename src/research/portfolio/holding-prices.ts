/**
 * What holdings are worth: the token list's price where it is recent, else one
 * source of prices after the other, each asked once for the tokens of all
 * chains. A price counts only where the pools are deep enough for it to mean
 * something, or its source vouches for it: a token that nobody trades may claim
 * any price.
 *
 * Source: §4.4
 */

import { findMajor } from '../../chains/majors.ts'
import type { Holding } from '../../providers/holdings/holdings.ts'
import {
  hasPrices,
  idOf,
  type MarketProvider,
  type Named,
  type Price,
  type PriceProvider,
  type TokenId,
} from '../../providers/market/market.ts'
import type { CancellationScope } from '../../runtime/cancellation.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { chunksOf } from '../list/chunks.ts'
import type { ListedToken, TokenSet } from '../list/token-set.ts'

/** The age up to which a price of the token list counts: it is told beside it, and asking for a fresh one costs a call. */
const MAX_AGE_MS = 600_000
/**
 * Calls to one source for one portfolio, and what one chain may fill of them. A
 * wallet with more tokens that are not in the list is a spammer's, or spammed.
 */
const MAX_CALLS = 4
const MAX_CALLS_OF_CHAIN = 2

/** Dollars, with its time, ms epoch; and what is in the pools, null where the price is vouched for. */
export type Valuation = Pick<Price, 'price' | 'priceTs' | 'liq'>

/** A source that failed, for which holdings have no price. */
export interface PriceFailure {
  readonly provider: string
  readonly error: GatewayError
}

/** Of one chain. */
export interface Valuations {
  /** The prices by the tokens' addresses; other tokens are unpriced. */
  readonly prices: ReadonlyMap<string, Valuation>
  /** What sources of prices call tokens, by the same. */
  readonly names: ReadonlyMap<string, Named>
  readonly failures: readonly PriceFailure[]
  /** Tokens that no source was asked about, because there were too many. */
  readonly unasked: number
}

export interface HoldingPricesOptions {
  readonly tokens: Pick<TokenSet, 'find'>
  /** The sources of prices, in the order in which they are asked. */
  readonly providers: readonly MarketProvider[]
  /** Dollars that a pool must hold for its price to count. */
  readonly minLiquidityUsd: number
  readonly clock: Clock
}

interface FailedPrices extends PriceFailure {
  readonly tokens: readonly TokenId[]
}

export class HoldingPrices {
  readonly #options: HoldingPricesOptions
  readonly #providers: readonly PriceProvider[]

  constructor(options: HoldingPricesOptions) {
    this.#options = options
    this.#providers = options.providers.filter(hasPrices)
  }

  /**
   * @param byChain  holdings, by chain key
   * @param leftMs   how long pricing may still take
   * @returns for each of the chains
   */
  async of(
    byChain: ReadonlyMap<string, readonly Holding[]>,
    leftMs: () => number,
    scope: CancellationScope,
  ): Promise<ReadonlyMap<string, Valuations>> {
    const known = new Map<string, Valuation>()
    const unknown = [...byChain.values()].map((holdings) => this.#unlisted(holdings, known))
    const names = new Map<string, Named>()
    const asked = new Set<string>()
    const failed: FailedPrices[] = []
    const sources = this.#providers.filter(({ chains }) => [...byChain.keys()].some((key) => chains.has(key)))
    for (const [i, { label, chains, prices }] of sources.entries()) {
      const missing = unknown.map((tokens) =>
        tokens
          .filter((token) => chains.has(token.chain) && !known.has(idOf(token)))
          .slice(0, MAX_CALLS_OF_CHAIN * prices.maxTokens),
      )
      // One that hangs leaves its share of the time to those after it.
      const options = {
        deadlineMs: Math.max(1, leftMs() / (sources.length - i)),
        priority: 'research',
        scope,
      } as const
      await Promise.all(
        chunksOf(interleaved(missing), prices.maxTokens)
          .slice(0, MAX_CALLS)
          .map(async (tokens) => {
            for (const token of tokens) asked.add(idOf(token))
            try {
              const onNamed = (named: Named): void => void names.set(idOf(named), named)
              for (const price of await prices.ask(tokens, options, onNamed)) {
                if (this.#isDeep(price)) known.set(idOf(price), price)
              }
            } catch (error) {
              if (!(error instanceof GatewayError)) throw error
              failed.push({ provider: label, error, tokens })
            }
          }),
      )
    }
    return new Map(
      [...byChain].map(([chain, holdings], i) => {
        const unasked = unknown[i]!.filter((token) => !asked.has(idOf(token)) && !known.has(idOf(token)))
        const isPriced = sources.some(({ chains }) => chains.has(chain))
        const valuations = valuationsOf(chain, holdings, known, failed)
        return [
          chain,
          { ...valuations, names: namesOf(holdings, names), unasked: isPriced ? unasked.length : 0 },
        ]
      }),
    )
  }

  /**
   * Takes down what the list has a price for.
   * @returns what sources are to be asked for; first what a list has a name for: anybody can send a wallet
   *          a hundred tokens that nobody has heard of, which would else stand before what it was about
   */
  #unlisted(holdings: readonly Holding[], known: Map<string, Valuation>): readonly TokenId[] {
    const [heardOf, others]: [TokenId[], TokenId[]] = [[], []]
    for (const holding of holdings) {
      const { chain, address } = holding.token
      const listed = this.#options.tokens.find(chain, address)
      const price = listed === null ? null : this.#listPrice(listed)
      if (price !== null) known.set(idOf(holding.token), price)
      else if (isWorthAsking(holding, listed)) {
        const isKnown = listed !== null || holding.symbol !== null
        ;(isKnown ? heardOf : others).push({ chain, address })
      }
    }
    return [...heardOf, ...others]
  }

  #listPrice({ chain, address, isListed, price, priceTs, liq }: ListedToken): Valuation | null {
    if (!isListed || price === null || priceTs === null || liq === null) return null
    if (this.#options.clock.date() - priceTs > MAX_AGE_MS) return null
    if (!this.#isDeep({ price, liq })) return null
    // Majors were chosen by hand: what they trade for in pools of other chains too is no airdrop's claim.
    return { price, priceTs, liq: findMajor(chain, address) === null ? liq : null }
  }

  #isDeep({ price, liq }: Pick<Price, 'price' | 'liq'>): boolean {
    return price > 0 && (liq === null || liq >= this.#options.minLiquidityUsd)
  }
}

function valuationsOf(
  chain: string,
  holdings: readonly Holding[],
  known: ReadonlyMap<string, Valuation>,
  failed: readonly FailedPrices[],
): Pick<Valuations, 'prices' | 'failures'> {
  const prices = new Map<string, Valuation>()
  for (const { token } of holdings) {
    const price = known.get(idOf(token))
    if (price !== undefined) prices.set(token.address, price)
  }
  // A token that another source had a price for is not missed, and a source is named once.
  const failures = new Map<string, PriceFailure>()
  for (const { provider, error, tokens } of failed) {
    const isMissed = tokens.some((token) => token.chain === chain && !prices.has(token.address))
    if (isMissed && !failures.has(provider)) failures.set(provider, { provider, error })
  }
  return { prices, failures: [...failures.values()] }
}

function namesOf(
  holdings: readonly Holding[],
  names: ReadonlyMap<string, Named>,
): ReadonlyMap<string, Named> {
  return new Map(
    holdings.flatMap(({ token }) => {
      const named = names.get(idOf(token))
      return named === undefined ? [] : [[token.address, named] as const]
    }),
  )
}

/**
 * Whether a price is asked for: not for a token that the risk gate holds back,
 * nor for one that cannot be valued, nor for a single indivisible one, which is
 * a collectible.
 */
function isWorthAsking({ decimals, amount, token }: Holding, listed: ListedToken | null): boolean {
  if (token.isNative) return true
  return listed?.isListed !== false && decimals !== null && !(decimals === 0 && amount === 1n)
}

/** The first of each list, then the second of each, and so on: one that is long leaves the others their turns. */
function interleaved<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat()
}
