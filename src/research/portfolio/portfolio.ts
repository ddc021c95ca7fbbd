/**
 * GET /api/portfolio, between its route and the nodes. All chains are read at
 * once and independently; a chain that fails says so in its own entry. Requests
 * for the same wallets within half a minute share what was read, whatever their
 * dust; requests with the same dust also share the bytes. The budget is spent
 * only when something has to be read.
 *
 *   0 ................. 1/4 ................................ 3/4 .......... deadline
 *   the first token lists    each chain's holdings, half of it at most    prices of all chains
 *
 * Source: §4.4, §8 "Portfolio identical-request reuse"
 */

import { toUsd } from '../../chains/usd.ts'
import { Call } from '../../flow/call.ts'
import type { CancellationScope } from '../../flow/cancellation.ts'
import { ownTurn } from '../../flow/loop-share.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Portfolio } from '../../runtime/resources/portfolio.ts'
import { named } from '../../runtime/tape.ts'
import { type CacheState, Coalescer, totalOf } from '../../upstream/answers/coalescing.ts'
import type { TokenSet } from '../list/token-set.ts'
import { type HoldingPricesOptions, holdingPrices, type Valuations } from './holding-prices.ts'
import { assess, isComplete } from './portfolio-entry.ts'
import { type PortfolioQuery, type PortfolioRequest, parsePortfolio } from './request.ts'
import type { ChainReading, WalletReader } from './wallet-reader.ts'

const KEEP_MS = 30_000
/** An incomplete answer is cached for less time: the next read may be complete. */
const KEEP_PARTIAL_MS = 5_000
/** Bounds on the two caches. A typical answer has about five KiB, and so have its readings. */
const MAX_ANSWER_BYTES = 10 * 1024 * 1024
const MAX_READ_BYTES = 6 * 1024 * 1024
/** The approximate size of a holding with its price. */
const HOLDING_BYTES = 400

interface PortfoliosOptions extends HoldingPricesOptions {
  readonly tokens: TokenSet
  readonly wallets: WalletReader
  /** For the whole answer, ms. */
  readonly deadlineMs: number
  readonly clock: Clock
}

/** Spends one request of the portfolio budget. @returns true if there was one left */
type Pay = () => boolean | null | Promise<boolean | null>

/** The wallets would have to be read, and the client has no budget left. */
export class Unpaid extends Error {
  override readonly name = 'Unpaid'
}

interface WrittenPortfolio {
  readonly body: Buffer
  readonly keptUntil: number
}

/** All readings and prices of an answer, independent of its dust. */
export interface ReadPortfolio {
  readonly readings: readonly ChainReading[]
  readonly valuations: ReadonlyMap<string, Valuations>
  /** Ms epoch. */
  readonly at: number
  /** Monotonic, ms. */
  readonly keptUntil: number
}

export class Portfolios {
  readonly #options: PortfoliosOptions
  readonly #valuesOf: ReturnType<typeof holdingPrices>
  /** By wallets and chains. */
  readonly #reads: Coalescer<ReadPortfolio>
  /** By wallets, chains and dust. */
  readonly #answers: Coalescer<WrittenPortfolio>

  constructor(options: PortfoliosOptions) {
    const { clock } = options
    this.#options = options
    this.#valuesOf = holdingPrices(options)
    const leftMs = ({ keptUntil }: { readonly keptUntil: number }): number =>
      Math.max(0, keptUntil - clock.now())
    this.#reads = new Coalescer<ReadPortfolio>(leftMs, named(clock, 'read'), {
      maxBytes: MAX_READ_BYTES,
      bytesOf,
    })
    this.#answers = new Coalescer<WrittenPortfolio>(leftMs, named(clock, 'written'), {
      maxBytes: MAX_ANSWER_BYTES,
      bytesOf: ({ body }) => body.length,
    })
  }

  /** `asked` counts reads only: bytes serialized again from a cached read count neither there nor in `kept`. */
  get cache(): CacheState {
    const reads = this.#reads.cache
    return { ...totalOf([reads, this.#answers.cache]), asked: reads.asked }
  }

  /** @throws 400  invalid_parameter */
  parse(query: PortfolioQuery): PortfolioRequest {
    return parsePortfolio(query, this.#options.tokens.chains())
  }

  /**
   * @param scope  cancelled when the client leaves; null for a caller that never does
   * @param pay    called if the answer is neither in progress nor cached
   * @returns JSON
   * @throws GatewayError  502 upstream_unavailable, if no chain could be read
   * @throws Unpaid        if `pay` refused, or that of an earlier request of the same client that this one joined
   */
  async read(
    request: PortfolioRequest,
    scope: CancellationScope | null,
    pay: Pay = () => true,
  ): Promise<Buffer> {
    const read = async (scope: CancellationScope): Promise<ReadPortfolio> => {
      if (await pay()) return this.#read(request, scope)
      // The refusal is this client's only: requests of other clients must not share it.
      scope.markThrottled()
      throw new Unpaid()
    }
    const write = async (scope: CancellationScope): Promise<WrittenPortfolio> =>
      this.#write(request, await this.#reads.join(request.walletsKey, scope, read))
    return (await this.#answers.join(request.key, scope, write)).body
  }

  async #read(request: PortfolioRequest, scope: CancellationScope): Promise<ReadPortfolio> {
    const { wallets, clock, deadlineMs } = this.#options
    const call = Call.of(clock, 'build', deadlineMs, scope)
    await wallets.ready(request.wallets, deadlineMs / 4)
    const reading = call.within(call.leftMs - deadlineMs / 4)
    const readings = await wallets.readAll(request.wallets, () => reading.within(deadlineMs / 2))
    const held = new Map(
      readings.flatMap(({ chain, held }) =>
        held instanceof GatewayError ? [] : [[chain.key, held.holdings] as const],
      ),
    )
    // A wallet may hold thousands of tokens: each step over all of them yields to the event loop first.
    await ownTurn()
    const valuations = await this.#valuesOf(held, call)
    const keptUntil = clock.now() + (isWhole(readings, valuations) ? KEEP_MS : KEEP_PARTIAL_MS)
    return { readings, valuations, at: clock.date(), keptUntil }
  }

  async #write(
    { address, sol, leastShown }: PortfolioRequest,
    { readings, valuations, at, keptUntil }: ReadPortfolio,
  ): Promise<WrittenPortfolio> {
    const { tokens } = this.#options
    const assessed: ReturnType<typeof assess>[] = []
    for (const reading of readings) {
      await ownTurn()
      assessed.push(assess(reading, valuations.get(reading.chain.key), tokens, leastShown))
    }
    const entries = assessed.map(({ entry }) => entry)
    const portfolio: Portfolio = {
      address,
      sol,
      chains: entries,
      totalUsd: toUsd(assessed.reduce((total, { value }) => total + value, 0n)),
      tokenCount: entries.reduce((total, { tokenCount }) => total + tokenCount, 0),
      unpriced: entries.reduce((total, { unpriced }) => total + unpriced, 0),
      at: new Date(at).toISOString(),
    }
    return { body: Buffer.from(JSON.stringify(portfolio)), keptUntil }
  }
}

const isWhole = (readings: readonly ChainReading[], valuations: ReadonlyMap<string, Valuations>): boolean =>
  readings.every(({ held }) => !(held instanceof GatewayError) && isComplete(held)) &&
  [...valuations.values()].every(({ failures }) => failures.length === 0)

const bytesOf = ({ readings }: ReadPortfolio): number =>
  readings.reduce(
    (sum, { held }) => sum + HOLDING_BYTES * (held instanceof GatewayError ? 1 : 1 + held.holdings.length),
    HOLDING_BYTES,
  )
