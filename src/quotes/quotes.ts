/**
 * GET /api/quote, between its route and the providers: ask them all, answer
 * the best offer, sealed so that it can come back to be built from.
 *
 * Source: §4.5
 */

import { toHuman } from '../chains/amount.ts'
import type { ChainDefinition } from '../chains/definition.ts'
import { CLOCK, type Clock } from '../clock.ts'
import { GatewayError } from '../errors.ts'
import { type AnswerCounts, Flights } from '../flights.ts'
import type { ProvedProvider, SwapProviders } from '../proof/proved.ts'
import type { Order } from '../providers/provider.ts'
import type { Quote } from '../resources.ts'
import type { Caller } from '../upstream/caller.ts'
import { DEADLINES, type Deadlines } from './deadlines.ts'
import type { Decimals } from './decimals.ts'
import { type SwapRequest, toOrder } from './order.ts'
import { race, type Winner } from './race.ts'
import { type Sealer, sealedOf } from './seal.ts'

/** Identical requests within this time share one upstream call. */
const SHARED_MS = 2_000

export interface QuotesOptions {
  readonly providers: SwapProviders
  readonly decimals: Decimals
  readonly sealer: Sealer
  /** What an order should give by prices that are known; null where they are not. */
  readonly fairOut?: (order: Order) => bigint | null
  readonly deadlines?: Deadlines
  readonly clock?: Clock
}

interface Priced extends Winner {
  readonly buildBy: string | null
  readonly order: Order
  /** Unix ms. */
  readonly asOf: number
}

export class Quotes {
  readonly #options: QuotesOptions
  readonly #flights: Flights<Priced>

  constructor(options: QuotesOptions) {
    this.#options = options
    this.#flights = new Flights(SHARED_MS, options.clock)
  }

  get counts(): AnswerCounts {
    return this.#flights.counts
  }

  /**
   * @param caller  cancelled when the caller leaves; null for one that never does
   * @throws GatewayError  400 for what the caller can mend, 502 when no provider could be asked
   */
  async quote(request: SwapRequest, caller: Caller | null): Promise<Quote> {
    const { chain, side, token, amount, slippageBps, from } = request
    const key = [chain.key, side, token, amount, slippageBps, from].join(' ')
    const priced = await this.#flights.join(key, caller, async (shared) => {
      const { decimals, providers, fairOut, deadlines = DEADLINES, clock = CLOCK } = this.#options
      const candidates = providersFor(providers, chain)
      const order = await toOrder(request, decimals, deadlines.tokenMs, shared)
      const fair = fairOut?.(order) ?? null
      const winner = await race(order, candidates, shared, { ...deadlines, fairOut: fair })
      const buildBy = builderFor(candidates, winner.provider)?.label ?? null
      return { ...winner, buildBy, order, asOf: clock.date() }
    })
    return toQuote(priced, this.#options.sealer)
  }
}

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
