/**
 * GET /api/quote and /api/v2quote, between their routes and the providers: ask
 * them all, answer the best offer, or each of them with its rank, sealed so that
 * it can come back to be built from.
 *
 * Source: §4.5, §4.10
 */

import { toHuman } from '../chains/amount.ts'
import type { ChainDefinition } from '../chains/definition.ts'
import type { RaceEnd } from '../http/counts/bake-off.ts'
import type { Counts } from '../http/counts/counts.ts'
import type { Order } from '../proof/order.ts'
import type { ProvedProvider, SwapProviders } from '../providers/proved.ts'
import { type CancellationScope, GATEWAY } from '../runtime/cancellation.ts'
import { CLOCK, type Clock } from '../runtime/clock.ts'
import { GatewayError } from '../runtime/errors.ts'
import type { Quote } from '../runtime/resources.ts'
import { type CacheState, Coalescer } from '../upstream/coalescing.ts'
import type { SharedAnswers } from '../upstream/shared-answers.ts'
import { type Comparison, compare, type Offered } from './comparison.ts'
import { DEADLINES, type Deadlines } from './deadlines.ts'
import type { Decimals } from './decimals.ts'
import { type SwapRequest, toOrder } from './order.ts'
import { type Alternative, race, type Winner } from './race.ts'
import { type Sealer, sealedOf } from './seal.ts'

/** Identical requests within this time share one upstream call. */
const SHARED_MS = 2_000
/** Bound of the answers that are kept; a large swap's has some hundred KiB from each provider. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024

export interface QuotesOptions {
  readonly providers: SwapProviders
  readonly decimals: Decimals
  readonly sealer: Sealer
  /** What an order should give by prices that are known; null where they are not. */
  readonly fairOut?: (order: Order) => bigint | null
  readonly counts?: Counts | null
  /** Other instances, where there are any. */
  readonly peers?: SharedAnswers<Run> | null
  readonly deadlines?: Deadlines
  readonly clock?: Clock
}

/** An order, and how the race for it went. */
export interface Run {
  readonly candidates: readonly ProvedProvider[]
  readonly order: Order
  readonly fairOut: bigint | null
  readonly winner: Winner
  /** On whose account it was run. */
  readonly scope: CancellationScope
  /** Monotonic, ms. */
  readonly keptUntil: number
  /**
   * When it was taken from another instance that had not heard of all providers yet, monotonic, ms: its
   * standings are not all. Null for any other.
   */
  readonly partialSince: number | null
}

export class Quotes {
  readonly #options: QuotesOptions
  readonly #flights: Coalescer<Run>

  constructor(options: QuotesOptions) {
    const { clock = CLOCK, peers = null } = options
    this.#options = options
    const leftMs = ({ keptUntil }: Run): number => Math.max(0, keptUntil - clock.now())
    this.#flights = new Coalescer(leftMs, clock, { maxBytes: MAX_KEPT_BYTES, bytesOf }, peers)
  }

  get cache(): CacheState {
    return this.#flights.cache
  }

  /**
   * @param caller  cancelled when the caller leaves; null for one that never does
   * @throws GatewayError  400 for what the caller can mend, 502 when no provider could be asked
   */
  async quote(request: SwapRequest, scope: CancellationScope | null): Promise<Quote> {
    const run = await this.#run(request, scope)
    const { provider, offer, asOf, alternatives } = run.winner
    return this.#toQuote(run, { provider, offer, asOf }, alternatives)
  }

  /**
   * Every provider's quote, once all have answered or the hard deadline has passed.
   * Asked within the time in which answers are shared, it is of the same calls as `quote`.
   * @throws GatewayError  as `quote`
   */
  async compare(request: SwapRequest, scope: CancellationScope | null): Promise<Comparison> {
    let run = await this.#run(request, scope)
    if (run.partialSince !== null) run = await this.#run(request, scope, run.partialSince)
    const standings = await run.winner.standings
    // A call that was refused after the race was decided: what another client's share lacks is not told to this one.
    if (run.scope.isThrottled && run.scope.client !== (scope?.client ?? GATEWAY)) {
      return this.compare(request, scope)
    }
    return compare(run, standings, (answer, alternatives) => this.#toQuote(run, answer, alternatives))
  }

  /** @param since  of its own calls only, and none that were made before; monotonic, ms */
  async #run(request: SwapRequest, scope: CancellationScope | null, since?: number): Promise<Run> {
    const { chain, side, token, amount, slippageBps, from } = request
    const key = [chain.key, side, token, amount, slippageBps, from].join(' ')
    const fly = async (shared: CancellationScope): Promise<Run> => {
      const { decimals, providers, fairOut: fair, deadlines = DEADLINES, clock = CLOCK } = this.#options
      const { counts = null } = this.#options
      const onEnd = counts && ((end: RaceEnd) => counts.bakeOff.record(end))
      const candidates = providersFor(providers, chain)
      const order = await toOrder(request, decimals, deadlines.tokenMs, shared)
      const fairOut = fair?.(order) ?? null
      const winner = await race(order, candidates, shared, { ...deadlines, fairOut, clock, onEnd })
      const keptUntil = clock.now() + SHARED_MS
      const run = { candidates, order, fairOut, winner, scope: shared, keptUntil, partialSince: null }
      // Offers that come after the race was decided are kept with it too, and may be of any size.
      const reweigh = (): void => this.#flights.reweigh(key, run)
      winner.standings.then(reweigh, reweigh)
      return run
    }
    const run = await this.#flights.join(key, scope, fly, since)
    this.#options.counts?.funnel.count('quote', chain.family)
    return run
  }

  #toQuote(
    { candidates, order }: Run,
    { provider, offer, asOf }: Offered,
    alternatives: readonly Alternative[],
  ): Quote {
    const buildBy = builderFor(candidates, provider)?.label ?? null
    return toQuote({ provider, offer, asOf, alternatives, buildBy, order }, this.#options.sealer)
  }
}

const bytesOf = ({ winner }: Run): number => Math.max(1, winner.bytes())

/** @throws 400  unsupported_chain */
export function providersFor(providers: SwapProviders, chain: ChainDefinition): readonly ProvedProvider[] {
  const candidates = providers.get(chain.key) ?? []
  if (candidates.length > 0) return candidates
  throw new GatewayError('unsupported_chain', 'No route provider is configured for this chain.', {
    field: 'chain',
  })
}

/**
 * Who builds what one of the providers quoted: itself, or the most preferred
 * that can, where it only gives a second opinion. Null where none can.
 */
export function builderFor(
  candidates: readonly ProvedProvider[],
  quoted: ProvedProvider,
): ProvedProvider | null {
  return quoted.canBuild ? quoted : (candidates.find(({ canBuild }) => canBuild) ?? null)
}

interface Priced extends Offered {
  readonly alternatives: readonly Alternative[]
  readonly buildBy: string | null
  readonly order: Order
}

function toQuote({ provider, buildBy, offer, alternatives, order, asOf }: Priced, sealer: Sealer): Quote {
  const { chain, side, tokenIn, tokenOut, amountIn, slippageBps, from } = order
  const sealed = sealedOf(order, {
    provider: provider.label,
    expectedOut: String(offer.expectedOut),
    minOut: String(offer.minOut),
    asOf,
    raw: offer.raw,
  })
  return {
    provider: provider.label,
    chain: chain.key,
    chainId: chain.chainId ?? null,
    side,
    from,
    amountIn: sealed.amountIn,
    amountInHuman: toHuman(amountIn, tokenIn.decimals),
    expectedOut: sealed.expectedOut,
    expectedOutHuman: toHuman(offer.expectedOut, tokenOut.decimals),
    minOut: sealed.minOut,
    slippageBps,
    priceImpactPct: offer.priceImpactPct === null ? null : Number(offer.priceImpactPct.toFixed(6)),
    route: {
      ...offer.details,
      buildBy,
      asOf,
      seal: sealer.seal(sealed),
      alternatives: [...alternatives],
      raw: offer.raw,
    },
  }
}
