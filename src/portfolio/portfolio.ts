/**
 * GET /api/portfolio, between its route and the nodes: every chain is read at
 * once, each for itself, and what one of them fails at stands in its own entry.
 * Who asks the same within half a minute shares the answer.
 *
 *   0 ................. 1/4 ................................ 3/4 .......... deadline
 *   the first token list     a chain's holdings, half of it at most       the prices of all
 *
 * Source: §4.4, §8 "Portfolio identical-request reuse"
 */

import { toUsd } from '../chains/usd.ts'
import type { Clock } from '../clock.ts'
import { GatewayError } from '../errors.ts'
import { type CacheState, Flights } from '../flights.ts'
import type { TokenSet } from '../list/token-set.ts'
import { ownTurn } from '../loop-share.ts'
import type { Portfolio } from '../resources.ts'
import type { Caller, Client } from '../upstream/caller.ts'
import { type Assessed, assess, failedEntry } from './entry.ts'
import { Prices, type PricesOptions } from './prices.ts'
import { type PortfolioQuery, type PortfolioRequest, parsePortfolio } from './request.ts'
import type { Wallets } from './wallets.ts'

const KEEP_MS = 30_000
/** An answer that lacks something is kept for less long: another try may find it. */
const KEEP_LACKING_MS = 5_000
/** Bound over all answers that are kept; a usual one has some five KiB. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

export interface PortfoliosOptions extends PricesOptions {
  readonly tokens: TokenSet
  readonly wallets: Wallets
  /** Over a whole answer, ms. */
  readonly deadlineMs: number
  readonly clock: Clock
}

interface WrittenPortfolio {
  readonly body: Buffer
  /** Whether nothing is missing from it. */
  readonly isWhole: boolean
}

export class Portfolios {
  readonly #options: PortfoliosOptions
  readonly #prices: Prices
  readonly #flights: Flights<WrittenPortfolio>

  constructor(options: PortfoliosOptions) {
    this.#options = options
    this.#prices = new Prices(options)
    this.#flights = new Flights<WrittenPortfolio>(
      ({ isWhole }) => (isWhole ? KEEP_MS : KEEP_LACKING_MS),
      options.clock,
      {
        maxBytes: MAX_KEPT_BYTES,
        bytesOf: ({ body }) => body.length,
      },
    )
  }

  get cache(): CacheState {
    return this.#flights.cache
  }

  /** @throws 400  invalid_parameter */
  parse(query: PortfolioQuery): PortfolioRequest {
    return parsePortfolio(query, this.#options.tokens.chains())
  }

  /** Whether the answer costs nothing, because it is under way or at hand. */
  isShared({ key }: PortfolioRequest, client?: Client): boolean {
    return this.#flights.has(key, client)
  }

  /**
   * @param caller  cancelled when the caller leaves; null for one that never does
   * @returns JSON
   * @throws GatewayError  502 upstream_unavailable, when no chain could be read
   */
  async read(request: PortfolioRequest, caller: Caller | null): Promise<Buffer> {
    const start = (caller: Caller): Promise<WrittenPortfolio> => this.#read(request, caller)
    return (await this.#flights.join(request.key, caller, start)).body
  }

  async #read(
    { address, sol, chains, leastShown }: PortfolioRequest,
    caller: Caller,
  ): Promise<WrittenPortfolio> {
    const { tokens, wallets, clock, deadlineMs } = this.#options
    const until = clock.now() + deadlineMs
    await tokens.ready(deadlineMs / 4)
    const time = { until: until - deadlineMs / 4, perChainMs: deadlineMs / 2 }
    const readings = await wallets.readAll({ address, sol, chains }, time, caller)
    const byChain = new Map(
      readings.flatMap(({ chain, held }) =>
        held instanceof GatewayError ? [] : [[chain.key, held.holdings] as const],
      ),
    )
    // A wallet may hold thousands: each step over all of them has a turn of the loop.
    await ownTurn()
    const valuations = await this.#prices.of(byChain, () => until - clock.now(), caller)
    const assessed: Assessed[] = []
    for (const { chain, held, at } of readings) {
      await ownTurn()
      assessed.push(
        held instanceof GatewayError
          ? failedEntry(chain, held, at)
          : assess(held, valuations.get(chain.key)!, { chain, tokens, leastShown, at }),
      )
    }
    if (assessed.every(({ entry }) => entry.status === 'failed')) {
      const message = 'None of the chains could be read. Try again later.'
      throw new GatewayError('upstream_unavailable', message)
    }
    const entries = assessed.map(({ entry }) => entry)
    const portfolio: Portfolio = {
      address,
      sol,
      chains: entries,
      totalUsd: toUsd(assessed.reduce((total, { value }) => total + value, 0n)),
      tokenCount: entries.reduce((total, { tokenCount }) => total + tokenCount, 0),
      unpriced: entries.reduce((total, { unpriced }) => total + unpriced, 0),
      at: new Date(clock.date()).toISOString(),
    }
    return {
      body: Buffer.from(JSON.stringify(portfolio)),
      isWhole: entries.every(({ status }) => status === 'complete'),
    }
  }
}
