/**
 * The deterministic market behind every provider of the sandbox. The seed and the time determine every price
 * and reserve, so providers agree, tests are repeatable, and prices still move. Trades do not change it.
 *
 * A chain's tokens trade against its native coin, some against its USDC too; any two trade directly or
 * through the native coin, whichever gives more.
 */

import { canonicalAddress } from '../../chains/address.ts'
import { type Give, offered, withFills } from './manners.ts'
import { keyOf, MarketPool, Moment, pairOf } from './moment.ts'
import type { Prices } from './prices.ts'
import { LISTINGS, type Listing, type MarketToken } from './tokens.ts'

const DEFAULT_SEED = 1

interface AdapterOptions {
  readonly seed?: number
  /** What trades give, while prices stay the same. */
  readonly give?: Give | null
  /** The provider whose offers the trades are, see manners.ts; null: the pools' own results. */
  readonly by?: string | null
}

export class Market {
  readonly #seed: number
  readonly #give: Give | null
  readonly #by: string | null
  readonly #offers = new Map<string, Market>()
  readonly #byChain = new Map<string, MarketToken[]>()
  readonly #listings = new Map<string, Listing>()
  /** The pools by both addresses, in both orders. A wrapper trades in the native coin's pools. */
  readonly #pools = new Map<string, MarketPool>()

  constructor({ seed = DEFAULT_SEED, give = null, by = null }: AdapterOptions = {}) {
    this.#seed = seed
    this.#give = give
    this.#by = by
    for (const listing of LISTINGS) {
      const { chain, address } = listing.token
      this.#listings.set(keyOf(chain, address), listing)
      const tokens = this.#byChain.get(chain) ?? []
      this.#byChain.set(chain, [...tokens, listing.token])
    }
    for (const listing of LISTINGS) this.#openPools(listing)
  }

  /** @returns the native coin first; empty for an unknown chain */
  tokens(chain: string): readonly MarketToken[] {
    return this.#byChain.get(chain) ?? []
  }

  /** @param address  in any spelling of its family, `native` included */
  find(chain: string, address: string): MarketToken | null {
    const listing =
      this.#listings.get(keyOf(chain, address)) ??
      this.#listings.get(keyOf(chain, canonicalAddress(chain, address)))
    return listing?.token ?? null
  }

  /** @throws TypeError  for a chain that is not in the chain table */
  native(chain: string): MarketToken {
    const [native] = this.tokens(chain)
    if (native === undefined) throw new TypeError('The market knows no such chain.')
    return native
  }

  /** @param now  Unix time in ms */
  at(now: number): Prices {
    const moment = new Moment(now, this.#seed, this.#listings, this.#pools, (chain) => this.native(chain))
    const prices = this.#by === null ? moment : offered(moment, this.#by)
    return this.#give === null ? prices : withFills(prices, this.#give)
  }

  /** The same market, in which a trade gives one part in this many. */
  cheaper(parts: number): Market {
    return this.giving(({ amountOut }) => amountOut / BigInt(parts))
  }

  /** The same market with other results of trades. */
  giving(give: Give): Market {
    return new Market({ seed: this.#seed, give, by: this.#by })
  }

  /** Whether trades follow providers' offers, because the sandbox is lifelike. */
  get isLifelike(): boolean {
    return this.#by !== null
  }

  /** The same market as the named provider offers it. */
  offeredBy(name: string): Market {
    const market = this.#offers.get(name) ?? new Market({ seed: this.#seed, by: name })
    this.#offers.set(name, market)
    return market
  }

  #openPools(listing: Listing): void {
    const { chain } = listing.token
    const native = this.#listings.get(keyOf(chain, this.native(chain).address))!
    this.#open(listing, native, listing.depthUsd)
    const usdc = this.tokens(chain).find((token) => token.symbol === 'USDC')
    if (usdc !== undefined) {
      this.#open(listing, this.#listings.get(keyOf(chain, usdc.address))!, listing.usdcDepthUsd)
    }
  }

  #open(a: Listing, b: Listing, depthUsd: number): void {
    if (depthUsd === 0) return
    const pair = pairOf(a.token, b.token)
    const pool = new MarketPool(pair, a, b, depthUsd)
    this.#pools.set(pair, pool)
    this.#pools.set(pairOf(b.token, a.token), pool)
  }
}
