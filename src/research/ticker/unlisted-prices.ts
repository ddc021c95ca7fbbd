/**
 * Prices of tokens that are listened to and that the list does not have, from
 * the sources that portfolios ask. Who listens pays: a call is made on the
 * account of a client who listens to each token in it, and takes of its shares
 * and places as any other call does. All clients together have a few calls at
 * each look, which go to those who have waited longest.
 */
import { LRUCache } from 'lru-cache'
import { MAX_STREAMS } from '../../http/streams.ts'
import {
  hasPrices,
  idOf,
  type MarketProvider,
  type Price,
  type PriceProvider,
  type TokenId,
} from '../../providers/market/market.ts'
import { CancellationScope, type Client } from '../../runtime/cancellation.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/log.ts'

/** A price is asked for again after so long, whether there was one or not. */
export const ASK_EVERY_MS = 60_000
/** A price that could not be asked for again is shown for so long. */
const KEEP_MS = 600_000
const CALL_MS = 2_500
/** Of all clients at each look, one of each: eighty a minute. */
const MAX_CLIENTS = 4
/** What the sources take in one call. */
const MAX_TOKENS = 50

/** A token that may be asked for. */
export interface UnlistedToken {
  readonly token: TokenId
  /** Monotonic, ms; minus infinity where it never was. */
  askedAt: number
  found: Pick<Price, 'price' | 'priceTs'> | null
}

interface UnlistedPricesOptions {
  /** The sources of prices, in the order in which they are asked. */
  readonly providers: readonly MarketProvider[]
  /** Dollars that a pool must hold for its price to count. */
  readonly minLiquidityUsd: number
  readonly clock: Clock
  readonly log: Logger
}

export class UnlistedPrices {
  readonly #options: UnlistedPricesOptions
  readonly #sources: readonly PriceProvider[]
  readonly #turns = new LRUCache<Client, number>({ max: MAX_STREAMS })
  #turn = 0

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

  /** What is shown of a token now; null for nothing. */
  priceOf({ found }: UnlistedToken): UnlistedToken['found'] {
    return found !== null && this.#options.clock.date() - found.priceTs <= KEEP_MS ? found : null
  }

  /**
   * Makes one call for each of the clients that have waited longest; what is left stays due.
   * Settles when all is answered, and never rejects.
   * @param due  by who pays for it
   */
  async ask(due: ReadonlyMap<Client, readonly UnlistedToken[]>): Promise<void> {
    const waiting = [...due].sort(([a], [b]) => this.#turnOf(a) - this.#turnOf(b))
    await Promise.all(
      waiting.slice(0, MAX_CLIENTS).map(([client, tokens]) => {
        this.#turns.set(client, ++this.#turn)
        return this.#askFor(client, [...tokens].sort(byAge).slice(0, MAX_TOKENS))
      }),
    )
  }

  /** When a client's last turn was; 0 where it has had none lately. */
  #turnOf(client: Client): number {
    return this.#turns.peek(client) ?? 0
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
        const answer = await prices.ask(tokens, { deadlineMs: CALL_MS, priority: 'research', scope })
        const known = new Map(
          answer.filter((price) => this.#isDeep(price)).map((price) => [idOf(price), price]),
        )
        for (const asked of served) asked.found = known.get(idOf(asked.token)) ?? asked.found
        missing = missing.filter(({ token }) => !known.has(idOf(token)))
      } catch (error) {
        // Failures of upstreams are in GET /api/health; the rest is our own fault.
        if (!(error instanceof GatewayError)) log.error({ provider: label, err: error }, 'fault')
      }
    }
  }

  #isDeep({ price, liq }: Price): boolean {
    return price > 0 && (liq === null || liq >= this.#options.minLiquidityUsd)
  }
}

// Never asked is minus infinity, of which two have no difference.
function byAge(a: UnlistedToken, b: UnlistedToken): number {
  return a.askedAt === b.askedAt ? 0 : a.askedAt - b.askedAt
}
