/**
 * What holdings are worth: the token list's price where it is recent, else one
 * source of prices after the other. A price counts only where the pools are
 * deep enough for it to mean something, or its source vouches for it: a token
 * that nobody trades may claim any price.
 *
 * Source: §4.4
 */
import type { Clock } from '../clock.ts'
import { GatewayError } from '../errors.ts'
import type { ListedToken, TokenSet } from '../list/token-set.ts'
import type { Holding } from '../providers/holdings/holdings.ts'
import type { MarketProvider, Price, PriceSource } from '../providers/market/market.ts'
import type { Caller } from '../upstream/caller.ts'

/** The age up to which a price of the token list is used. */
const MAX_AGE_MS = 600_000
/** Calls to one source for one chain. A wallet with more tokens that are not in the list is a spammer's, or spammed. */
const MAX_CALLS = 2

/** Dollars, with its time, ms epoch. */
export type Valuation = Pick<Price, 'price' | 'priceTs'>

/** A source that failed, for which holdings have no price. */
export interface PriceFailure {
  readonly provider: string
  readonly error: GatewayError
}

export interface Valuations {
  /** The prices by the tokens' addresses; other tokens are unpriced. */
  readonly prices: ReadonlyMap<string, Valuation>
  readonly failures: readonly PriceFailure[]
}

export interface PricesOptions {
  readonly tokens: Pick<TokenSet, 'find'>
  /** The sources of prices, in the order in which they are asked. */
  readonly providers: readonly MarketProvider[]
  /** Dollars that a pool must hold for its price to count. */
  readonly minLiquidityUsd: number
  readonly clock: Clock
}

type PriceProvider = MarketProvider & { readonly prices: PriceSource }

export class Prices {
  readonly #options: PricesOptions
  readonly #providers: readonly PriceProvider[]

  constructor(options: PricesOptions) {
    this.#options = options
    this.#providers = options.providers.filter(
      (provider): provider is PriceProvider => provider.prices !== undefined,
    )
  }

  /**
   * @param holdings  of one chain
   * @param callMs    how long a call may take now
   */
  async of(
    chain: string,
    holdings: readonly Holding[],
    callMs: () => number,
    caller: Caller,
  ): Promise<Valuations> {
    const prices = new Map<string, Valuation>()
    const unknown: string[] = []
    for (const holding of holdings) {
      const { address } = holding.token
      const listed = this.#options.tokens.find(chain, address)
      const price = listed === null ? null : this.#listPrice(listed)
      if (price !== null) prices.set(address, price)
      else if (isWorthAsking(holding, listed)) unknown.push(address)
    }
    const failed: (PriceFailure & { readonly addresses: readonly string[] })[] = []
    for (const { label, chains, prices: source } of this.#providers) {
      if (!chains.has(chain)) continue
      const missing = unknown.filter((address) => !prices.has(address))
      for (const addresses of batches(missing, source.maxTokens)) {
        try {
          const options = { deadlineMs: Math.max(1, callMs()), priority: 'research', caller } as const
          for (const price of await source.ask(chain, addresses, options)) {
            if (this.#isDeep(price)) prices.set(price.address, price)
          }
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error
          failed.push({ provider: label, error, addresses })
          break
        }
      }
    }
    // A token that another source had a price for is not missed.
    const failures = failed.filter(({ addresses }) => addresses.some((address) => !prices.has(address)))
    return { prices, failures }
  }

  #listPrice({ isListed, price, priceTs, liq }: ListedToken): Valuation | null {
    if (!isListed || price === null || priceTs === null || liq === null) return null
    if (this.#options.clock.date() - priceTs > MAX_AGE_MS) return null
    return this.#isDeep({ price, liq }) ? { price, priceTs } : null
  }

  #isDeep({ price, liq }: Pick<Price, 'price' | 'liq'>): boolean {
    return price > 0 && (liq === null || liq >= this.#options.minLiquidityUsd)
  }
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

function batches(addresses: readonly string[], size: number): readonly string[][] {
  const count = Math.min(MAX_CALLS, Math.ceil(addresses.length / size))
  return Array.from({ length: count }, (_, i) => addresses.slice(i * size, (i + 1) * size))
}
