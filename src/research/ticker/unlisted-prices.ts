/**
 * Prices of streamed tokens that the list does not have, from the sources that
 * portfolios ask. Each call counts for a client that streams all tokens in it,
 * and takes from that client's shares of the upstream like any other call. All
 * clients together get a few calls per round; those that have waited longest
 * come first.
 */
import { Call } from '../../flow/call.ts'
import { CancellationScope, type Client } from '../../flow/cancellation.ts'
import { MAX_STREAMS } from '../../http/reply/streams.ts'
import {
  hasPrices,
  idOf,
  type MarketProvider,
  type Price,
  type PriceProvider,
  type TokenId,
} from '../../providers/market/market.ts'
import { boundedCache } from '../../runtime/bounded-cache.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/log.ts'
import { isPriceOld } from '../list/price-age.ts'

/** A price is asked for again after this long, whether there was one or not; ms. */
export const ASK_EVERY_MS = 60_000
/** A price that could not be refreshed is shown for this long, ms. */
const KEEP_MS = 600_000
const CALL_MS = 2_500
/** The most calls per round, one per client: eighty a minute. */
const MAX_CLIENTS = 4
/** The most tokens in one call. */
const MAX_TOKENS = 50

/** A streamed token that the list does not have. */
export interface UnlistedToken {
  readonly token: TokenId
  /** When its price was last asked for; monotonic, ms; minus infinity if never. */
  askedAt: number
  found: Pick<Price, 'price' | 'priceTs'> | null
  /** When a source gave it, which may be long after its own time; ms epoch. */
  foundAt?: number
}

interface UnlistedPricesOptions {
  /** The price sources, in the order in which they are asked. */
  readonly providers: readonly MarketProvider[]
  /** The least dollars in the pools for a price to count. */
  readonly minLiquidityUsd: number
  readonly clock: Clock
  readonly log: Logger
}

export class UnlistedPrices {
  readonly #options: UnlistedPricesOptions
  readonly #sources: readonly PriceProvider[]
  readonly #lastCalls = boundedCache<Client, number>({ max: MAX_STREAMS })
  #calls = 0

  constructor(options: UnlistedPricesOptions) {
    this.#options = options
    this.#sources = options.providers.filter(hasPrices)
  }

  isDue({ askedAt, token }: UnlistedToken): boolean {
    return (
      this.#options.clock.now() - askedAt >= ASK_EVERY_MS &&
      this.#sources.some(({ chains }) => chains.has(token.chain))
    )
  }

  /** The price to show now; null if no source has given one recently. */
  priceOf({ found, foundAt = 0 }: UnlistedToken): UnlistedToken['found'] {
    return found !== null && this.#options.clock.date() - Math.max(foundAt, found.priceTs) <= KEEP_MS
      ? found
      : null
  }

  /**
   * Makes one call for each of the clients that have waited longest; the other tokens stay due.
   * Resolves when all calls have ended, and never rejects.
   * @param due  the tokens by the client that their calls count for
   */
  async ask(due: ReadonlyMap<Client, readonly UnlistedToken[]>): Promise<void> {
    /** The number of the client's last call; 0 if it has had none recently. */
    const lastCallOf = (client: Client): number => this.#lastCalls.peek(client) ?? 0
    const waiting = [...due].sort(([a], [b]) => lastCallOf(a) - lastCallOf(b))
    await Promise.all(
      waiting.slice(0, MAX_CLIENTS).map(([client, tokens]) => {
        this.#lastCalls.set(client, ++this.#calls)
        return this.#askFor(client, [...tokens].sort(byAge).slice(0, MAX_TOKENS))
      }),
    )
  }

  async #askFor(client: Client, batch: readonly UnlistedToken[]): Promise<void> {
    const { clock, log } = this.#options
    for (const asked of batch) asked.askedAt = clock.now()
    const scope = new CancellationScope(client)
    let missing = batch
    for (const { label, chains, prices } of this.#sources) {
      const served = missing.filter(({ token }) => chains.has(token.chain)).slice(0, prices.maxTokens)
      if (served.length === 0) continue
      const tokens = served.map(({ token }) => token)
      try {
        const answer = await prices.ask(tokens, Call.of(clock, 'research', CALL_MS, scope))
        const known = new Map(
          answer.filter((price) => this.#isDeep(price)).map((price) => [idOf(price), price]),
        )
        const date = clock.date()
        for (const asked of served) {
          const given = known.get(idOf(asked.token))
          // An old price is shown if no other source has a newer one.
          if (given === undefined || given.priceTs < (asked.found?.priceTs ?? 0)) continue
          asked.found = given
          asked.foundAt = date
        }
        const isOld = (price: Price | undefined) => price === undefined || isPriceOld(price.priceTs, date)
        missing = missing.filter(({ token }) => isOld(known.get(idOf(token))))
      } catch (error) {
        // GET /api/health shows upstream failures; any other error is a bug of the gateway.
        if (!(error instanceof GatewayError)) log.error({ provider: label, err: error }, 'fault')
      }
    }
  }

  #isDeep({ price, liq }: Price): boolean {
    return price > 0 && (liq === null || liq >= this.#options.minLiquidityUsd)
  }
}

// Never asked is minus infinity, and the difference of two infinities is NaN.
function byAge(a: UnlistedToken, b: UnlistedToken): number {
  return a.askedAt === b.askedAt ? 0 : a.askedAt - b.askedAt
}
