/**
 * GET /api/quote and /api/v2quote, between their routes and the providers: asks
 * all providers, and answers the best offer, or each of them with its rank. Each
 * quote is sealed, so that it can come back to be built from.
 *
 * Source: §4.5, §4.10
 */

import { toHuman } from '../chains/amount.ts'
import type { ChainDefinition } from '../chains/definition.ts'
import { Call } from '../flow/call.ts'
import { type CancellationScope, GATEWAY } from '../flow/cancellation.ts'
import type { RaceEnd } from '../http/counts/bake-off.ts'
import type { Counts } from '../http/counts/counts.ts'
import { LIFE_MS } from '../http/counts/promises.ts'
import { sizeOf } from '../http/counts/truth.ts'
import type { Order, OutputOrder } from '../proof/terms/order.ts'
import type { ProvedProvider, SwapProviders } from '../providers/proved.ts'
import { type Offer, reachedBy } from '../providers/provider.ts'
import type { Clock } from '../runtime/clock.ts'
import { GatewayError, invalidParameter } from '../runtime/errors.ts'
import { isAtLeast } from '../runtime/levels.ts'
import type { Quote } from '../runtime/resources/quote.ts'
import { named, recorded } from '../runtime/tape.ts'
import { type CacheState, Coalescer } from '../upstream/answers/coalescing.ts'
import { type Comparison, compare } from './comparison.ts'
import type { Deadlines } from './deadlines.ts'
import type { Decimals } from './decimals.ts'
import {
  comparedOrder,
  type Fair,
  type FairOf,
  fairOutOf,
  isInLine,
  lossPct,
  requireInLine,
  UNPRICED,
} from './fair.ts'
import { costBoundOf, type GasOf, gasFields, gasSources } from './gas.ts'
import { type SwapRequest, toOrder } from './order.ts'
import {
  type Alternative,
  judged,
  lossOf,
  type OfferedAnswer,
  offeredBytes,
  type Race,
  race,
  raceOffers,
  rankedBy,
  worstOf,
} from './race.ts'
import type { Sealer } from './seal.ts'
import { type FactsOf, type RisksOf, suggestedSlippage } from './slippage.ts'

/** Identical requests within this time share one race. */
const SHARED_MS = 2_000
/** Bound of the cached races; a large swap's answer has a few hundred KiB from each provider. */
const MAX_CACHED_BYTES = 64 * 1024 * 1024

export interface QuotesOptions {
  readonly providers: SwapProviders
  readonly decimals: Decimals
  readonly sealer: Sealer
  /** What an order should give. */
  readonly fairOf: FairOf
  /** How gas is counted. */
  readonly gasOf: GasOf
  /** What is known of tokens without a call. */
  readonly factsOf: FactsOf
  /** What is known against a token. */
  readonly risksOf: RisksOf
  readonly counts: Counts
  readonly deadlines: Deadlines
  readonly clock: Clock
}

/** A race whose outcome serves every identical request for a while. */
export interface SharedRace extends Race {
  /** The scope that its calls were made in, with the client that they were charged to. */
  readonly scope: CancellationScope
  /** Until when it serves, monotonic, ms. */
  readonly cachedUntil: number
}

/** What is known of an order's worth, and when all of it is. */
interface Worth {
  fair: Fair
  readonly known: Promise<void>
}

/** The state of a race so far. */
export type RaceSoFar = Pick<Race, 'order' | 'fair' | 'answers'>
type Watcher = (race: RaceSoFar) => void

export class Quotes {
  readonly #options: QuotesOptions
  /** Callbacks for the offers of races, by request. */
  readonly #watchers = new Map<string, Set<Watcher>>()
  /** The state of undecided races, by request. */
  readonly #underWay = new Map<string, () => RaceSoFar>()
  readonly #races: Coalescer<SharedRace>
  /** Those of offers that are cached. */
  readonly #suggestions = new WeakMap<Offer, { readonly fair: Fair; readonly is: Suggestion }>()

  constructor(options: QuotesOptions) {
    const { clock } = options
    this.#options = options
    const leftMs = ({ cachedUntil }: SharedRace): number => Math.max(0, cachedUntil - clock.now())
    this.#races = new Coalescer(leftMs, named(clock, 'race'), { maxBytes: MAX_CACHED_BYTES, bytesOf })
  }

  get cache(): CacheState {
    return this.#races.cache
  }

  /**
   * The best offer, if it is not below the floor of the fair output.
   * @param scope  cancelled when the client leaves; null for one that never does
   * @throws GatewayError  400 for what the client can correct, 502 if no provider could be asked;
   * price_out_of_line
   */
  async quote(request: SwapRequest, scope: CancellationScope | null): Promise<Quote> {
    const race = await this.#race(request, scope)
    requireInLine(race.winner.offer, race.fair, race.winner.provider.label)
    return this.quoteOf(race, race.winner, race.alternatives)
  }

  /**
   * The race that decides `quote`; identical requests share it.
   * @param onOffers  called at once if the race is already under way, then for each offer, even after the decision,
   *                  until the client leaves
   * @throws GatewayError  as `quote`, but for price_out_of_line
   */
  async watch(request: SwapRequest, scope: CancellationScope, onOffers: Watcher): Promise<Race> {
    const key = keyOf(request)
    const watchers = this.#watchers.get(key) ?? new Set()
    this.#watchers.set(key, watchers.add(onOffers))
    const forget = (): void => {
      watchers.delete(onOffers)
      if (watchers.size === 0 && this.#watchers.get(key) === watchers) this.#watchers.delete(key)
    }
    scope.watch({ cancel: forget })
    try {
      const decided = this.#race(request, scope)
      const soFar = this.#underWay.get(key)
      if (soFar !== undefined) onOffers(soFar())
      const race = await decided
      race.standings.then(forget, forget)
      return race
    } catch (error) {
      forget()
      throw error
    }
  }

  /**
   * Every provider's quote, once all have answered or the hard deadline has passed. A request
   * within SHARED_MS of an identical one for `quote` makes no calls of its own.
   * @throws GatewayError  as `quote`
   */
  async compare(request: SwapRequest, scope: CancellationScope | null): Promise<Comparison> {
    const race = await this.#race(request, scope)
    const standings = await race.standings
    // A provider's call may have been refused after the race was decided, because the client that the race
    // was charged to has used up its share. Another client does not get that refusal: it gets a race of its own.
    if (race.scope.isThrottled && race.scope.client !== (scope?.client ?? GATEWAY)) {
      return this.compare(request, scope)
    }
    // Outliers come after all other offers, and don't serve as a comparison.
    const offers = standings.filter(({ offer, isOutlier }) => offer !== null && !isOutlier)
    if (!offers.some(({ offer }) => isInLine(offer!, race.fair))) {
      requireInLine(offers[0]!.offer!, race.fair, offers[0]!.provider.label)
    }
    return compare(race, standings, (answer, alternatives) => this.quoteOf(race, answer, alternatives))
  }

  async #race(request: SwapRequest, scope: CancellationScope | null): Promise<SharedRace> {
    const answer = await this.again(request, scope)
    this.#options.counts.funnel.count('quote', request.chain.family)
    return answer
  }

  /**
   * A race for a request that was counted already.
   * @param isChance  whether it comes whatever the market did: promises learn from no other
   */
  again(request: SwapRequest, scope: CancellationScope | null, isChance = true): Promise<SharedRace> {
    return this.#races.join(keyOf(request), scope, (shared) => this.#run(request, shared, isChance))
  }

  /** The steps of a quote: make the order, run the race while the order is priced, decide by the prices. */
  async #run(request: SwapRequest, scope: CancellationScope, isChance: boolean): Promise<SharedRace> {
    const { decimals, providers, deadlines, clock, counts } = this.#options
    const { softMs, hardMs, tokenMs } = deadlines
    const key = keyOf(request)
    const candidates = providersFor(providers, request.chain, request)
    const call = Call.of(clock, 'quote', hardMs, scope)
    const order = await toOrder(request, decimals, call.within(tokenMs))
    const worth = this.#worthOf(order, candidates, call.within(softMs).fork())
    let answers: RaceSoFar['answers'] = []
    const soFar = (): RaceSoFar => ({ order, fair: worth.fair, answers })
    const onOffer = (offered: RaceSoFar['answers']): void => {
      answers = offered
      for (const tell of this.#watchers.get(key) ?? []) tell(soFar())
    }
    const onEnd = ({ offers, ...end }: RaceEnd) =>
      counts.bakeOff.record({ ...end, ...(isChance && offers && { offers }) })
    this.#underWay.set(key, soFar)
    try {
      const first = await race(order, candidates, call, { softMs, fair: () => worth.fair, onOffer, onEnd })
      await worth.known
      const decided = first.fair === worth.fair ? first : judged(first, worth.fair)
      const answer = { ...decided, scope, cachedUntil: clock.now() + SHARED_MS }
      // Offers that arrive after the race was decided are cached with it, and may be of any size.
      const reweigh = (): void => this.#races.reweigh(key, answer)
      decided.standings.then(reweigh, reweigh)
      return answer
    } finally {
      if (this.#underWay.get(key) === soFar) this.#underWay.delete(key)
    }
  }

  /** Prices an order: what its providers usually lose is known at once, its fair output and its gas later. */
  #worthOf(order: Order | OutputOrder, candidates: readonly ProvedProvider[], call: Call): Worth {
    const { fairOf, gasOf, counts } = this.#options
    const { chain } = order
    const labels = candidates.map(({ label }) => label)
    // An exact output arrives, or nothing does.
    const losses =
      'amountOut' in order ? {} : counts.deliveries.truth.lossesOf(chain.key, labels, sizeIn(order))
    const compared = comparedOrder(order)
    const asked = Promise.all([
      fairOf({ ...compared, chainIn: chain, chainOut: chain }, call),
      gasOf(compared, call),
    ])
    const worth: Worth = {
      fair: { ...UNPRICED, losses },
      known: asked.then(([fair, gas]) => {
        worth.fair = { ...fair, gas, losses }
      }),
    }
    // Awaited only where there is an offer.
    worth.known.catch(() => {})
    return worth
  }

  #suggest(race: RaceSoFar, offer: Offer): Suggestion {
    return recorded(this.#options.clock, 'suggestion', () => this.#suggestion(race, offer))
  }

  #suggestion({ order, fair }: RaceSoFar, offer: Offer): Suggestion {
    let suggestion = this.#suggestions.get(offer)
    if (suggestion?.fair !== fair) {
      suggestion = { fair, is: suggestedSlippage(order, offer, fair, this.#options.factsOf) }
      this.#suggestions.set(offer, suggestion)
    }
    return suggestion.is
  }

  /** Until when an offer still builds, and with what probability; null if too little is known. */
  #holds(
    { order, answers, fair }: RaceSoFar,
    offer: Offer,
    asOf: number,
  ): NonNullable<Quote['holds']> | null {
    const { counts, clock } = this.#options
    const offers = raceOffers(order, answers, fair)
    const worst = worstOf(offer)
    const promised = () => counts.promises.perMille(offers!, worst, clock.date())
    const perMille = offers && recorded(clock, `holds ${worst}`, promised)
    return perMille === null ? null : { untilMs: asOf + LIFE_MS, probability: perMille / 1_000 }
  }

  quoteOf(
    race: RaceSoFar,
    { provider, offer, asOf }: OfferedAnswer,
    alternatives: readonly Alternative[],
  ): Quote {
    const { order, fair, answers } = race
    const { risksOf } = this.#options
    const { chain, side, tokenIn, tokenOut, slippageBps, from } = order
    const amountIn = 'amountOut' in order ? offer.takes!.amountIn : order.amountIn
    const [expectedOut, minOut] = [String(offer.expectedOut), String(offer.minOut)]
    const most = offer.takes && { maxIn: String(offer.takes.maxIn) }
    const fairOut = fairOutOf(offer, fair)
    const other = side === 'buy' ? tokenIn : tokenOut
    const lossBps = lossOf(offer, answers, fair)
    const by = rankedBy(answers, fair)
    const sealed = { provider: provider.label, expectedOut, minOut, ...most, route: { asOf, raw: offer.raw } }
    return {
      provider: provider.label,
      chain: chain.key,
      chainId: chain.chainId ?? null,
      side,
      ...(!other.isNative && { against: other.address }),
      from,
      amountIn: String(amountIn),
      amountInHuman: toHuman(amountIn, tokenIn.decimals),
      ...most,
      expectedOut,
      expectedOutHuman: toHuman(offer.expectedOut, tokenOut.decimals),
      minOut,
      slippageBps,
      holds: this.#holds(race, offer, asOf),
      priceImpactPct: lossPct(offer, fair),
      rankedBy: by,
      ...gasFields(offer, order, fair.gas ?? null),
      ...(by === 'net' && { costBoundBps: Number(costBoundOf(fair.gas!)) }),
      ...(lossBps > 0 && { deliveryLossBps: lossBps }),
      fairOut: fairOut === null ? null : String(fairOut),
      unpriced: fairOut === null,
      sources: sourcesOf(fair),
      ...this.#suggest(race, offer),
      risks: [tokenIn, tokenOut].map(({ address }) => risksOf(chain.key, address)),
      route: {
        fees: [],
        ...offer.details,
        stated: {
          priceImpactPct: offer.priceImpactPct === null ? null : Number(offer.priceImpactPct.toFixed(6)),
          ...(offer.details.stated as Readonly<Record<string, unknown>> | undefined),
        },
        buildBy: provider.label,
        asOf,
        seal: this.#options.sealer.seal(order, sealed),
        alternatives: [...alternatives],
        raw: offer.raw,
      },
    }
  }
}

/**
 * The sources that each figure of a quote was checked against; the provider's unchecked claims are in
 * `stated`.
 */
function sourcesOf({ sources, market, gas = null }: Fair): Readonly<Record<string, string[]>> {
  const depths = market?.depths.some((depth) => depth !== null) ? sources : []
  return {
    expectedOut: ['stated'],
    minOut: ['stated'],
    'route.fees': ['stated'],
    fairOut: [...sources],
    priceImpactPct: [...sources],
    suggestedSlippageBps: [...depths, 'token_list', 'stated'],
    ...gasSources(gas),
  }
}

/** Unknown if the stablecoin is what is bought. */
const sizeIn = ({ chain, tokenIn, amountIn }: Order) => sizeOf(chain.key, [tokenIn.address, amountIn])

/** Equal requests have their members in the same order: that of `parseRequest`. */
const keyOf = ({ chain, ...terms }: SwapRequest): string => JSON.stringify([chain.key, terms])

type Suggestion = ReturnType<typeof suggestedSlippage>
const bytesOf = (race: Race): number => Math.max(1, offeredBytes(race))

/** What the builds of a quote's providers have to do. */
type Demands = Pick<SwapRequest, 'isExactOut' | 'receiver' | 'verification'>

/**
 * @throws 400  unsupported_chain; invalid_parameter, if no provider does what is asked for
 */
export function providersFor(
  providers: SwapProviders,
  chain: ChainDefinition,
  { isExactOut = false, receiver, verification }: Demands = {},
): readonly ProvedProvider[] {
  let able = providers.get(chain.key) ?? []
  if (able.length === 0) {
    throw new GatewayError('unsupported_chain', 'No route provider is configured for this chain.', {
      field: 'chain',
    })
  }
  const demand = (field: string, isAble: (one: ProvedProvider) => boolean, why: string): void => {
    const rest = able.length < providers.get(chain.key)!.length ? ' that does the rest' : ''
    able = able.filter(isAble)
    if (able.length === 0) throw invalidParameter(field, `No provider on ${chain.name}${rest} ${why}`)
  }
  if (verification !== undefined) {
    const why = `has builds that are \`${verification}\`. Ask for less, or leave \`verification\` out.`
    demand('verification', (one) => isAtLeast(reachedBy(one, chain), verification), why)
  }
  if (isExactOut) demand('amountOut', (one) => one.sellsOutputs === true, NO_OUTPUTS)
  if (receiver !== undefined) demand('receiver', (one) => one.paysOthers === true, NO_RECEIVERS)
  return able
}

const NO_OUTPUTS = 'sells an exact output. Give `amount` in place of `amountOut`.'
const NO_RECEIVERS = 'pays another wallet than the one that signs. Leave `receiver` out.'
