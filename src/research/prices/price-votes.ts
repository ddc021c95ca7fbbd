/**
 * What a token is worth by independent market sources. A price counts if two of them agree: one source alone
 * could make a swap at a thousandth look fair.
 *
 * The first two sources are asked at once, and each other one only if those do not agree, or if their depths
 * would decide: GeckoTerminal answers thirty calls a minute.
 */
import { fromUsd, priceUnits } from '../../chains/usd.ts'
import type { Call } from '../../flow/call.ts'
import { hasPrices, type MarketProvider, type MarketRow, type Price } from '../../providers/market/market.ts'
import type { Clock } from '../../runtime/clock.ts'
import { nullIfRefused } from '../../runtime/errors.ts'
import { named } from '../../runtime/tape.ts'
import type { AgreedPrice } from '../../swap/fair.ts'
import { Coalescer } from '../../upstream/answers/coalescing.ts'

/** How long a source's answer serves. */
const KEEP_MS = 30_000
/** An older price says nothing about a swap made now. DefiLlama's are minutes old. */
const MAX_AGE_MS = 900_000
/** Prices that differ by less are the same: sources read different pools at different times. */
const TOLERANCE_PERCENT = 10n
/** How many sources must agree. */
const AGREEING = 2

type Vote = NonNullable<ReturnType<typeof voteOf>>

type Asked = Pick<MarketRow | Price, 'price' | 'priceTs' | 'liq'>

interface PriceVotesOptions {
  /** In the order in which they are asked: see votersAmong. */
  readonly providers: readonly MarketProvider[]
  readonly clock: Clock
}

/** Jupiter also offers swaps: no party votes on the value of its own offers. */
const OFFERING = new Set(['jupiter'])

/** The sources that have a vote. */
export const votersAmong = (providers: readonly MarketProvider[]): readonly MarketProvider[] =>
  providers.filter(({ label }) => !OFFERING.has(label))

export class PriceVotes {
  readonly #sources: readonly MarketProvider[]
  readonly #clock: Clock
  readonly #answers: Coalescer<{ readonly vote: Vote | null }>

  constructor({ providers, clock }: PriceVotesOptions) {
    this.#sources = providers.filter((one) => hasPrices(one) || one.rows || one.parts?.row)
    this.#clock = clock
    this.#answers = new Coalescer(KEEP_MS, named(clock, 'votes'))
  }

  /**
   * @param address  canonical
   * @param isThin   whether a depth, micro-dollars, is so small that another source should confirm it
   * @returns null if no two sources agree; never rejects because of a source
   */
  async price(
    chain: string,
    address: string,
    call: Call,
    isThin: (depth: bigint) => boolean = () => false,
  ): Promise<AgreedPrice | null> {
    const sources = this.#sources.filter(({ chains }) => chains.has(chain))
    const votes: Vote[] = []
    for (let at = 0; at < sources.length; at = at === 0 ? AGREEING : at + 1) {
      const asked = at === 0 ? sources.slice(0, AGREEING) : [sources[at]!]
      const answers = await Promise.all(asked.map((source) => this.#ask(source, chain, address, call)))
      for (const vote of answers) if (vote !== null) votes.push(vote)
      const agreed = agreedOf(votes)
      if (agreed === null) continue
      const depths = votes.flatMap(({ depth }) => depth ?? [])
      const isUnconfirmed = depths.length === 1 && isThin(depths[0]!)
      if (!isUnconfirmed || at + 1 >= sources.length) return agreed
    }
    return agreedOf(votes)
  }

  async #ask(source: MarketProvider, chain: string, address: string, call: Call): Promise<Vote | null> {
    const { label } = source
    const key = `${label} ${chain} ${address}`
    const asked = this.#answers.join(key, call.scope, async (scope) => {
      const found = await ask(source, chain, address, call.in(scope))
      return { vote: voteOf(label, found, this.#clock.date()) }
    })
    return (await asked.catch(nullIfRefused))?.vote ?? null
  }
}

/** One source's vote; null if it does not know the token, or its price is old. */
function voteOf(source: string, found: Asked | null, date: number) {
  if (found === null || found.price === null) return null
  const { priceTs, liq } = found
  /** 10^-36 dollars per whole token. */
  const units = priceUnits(found.price)
  if (units === 0n || date - priceTs > MAX_AGE_MS) return null
  /** Micro-dollars in the token's pools; null if the source does not say. */
  const depth = liq === null ? null : fromUsd(liq)
  return { source, units, depth, priceTs }
}

/** Asks for one token, by the source's cheapest call. */
async function ask(
  source: MarketProvider,
  chain: string,
  address: string,
  call: Call,
): Promise<Asked | null> {
  if (source.prices !== undefined) {
    const found = await source.prices.ask([{ chain, address }], call)
    return found.find((price) => price.chain === chain && price.address === address) ?? null
  }
  if (source.rows !== undefined) {
    const rows = await source.rows.ask(chain, [address], call)
    return rows.find((row) => row.address === address) ?? null
  }
  return source.parts!.row!.ask({ chain, address }, call)
}

/** The two votes that are nearest to each other, if they are near enough. */
function agreedOf(votes: readonly Vote[]): AgreedPrice | null {
  const sorted = votes.toSorted((a, b) => (a.units < b.units ? -1 : a.units > b.units ? 1 : 0))
  let best: AgreedPrice | null = null
  for (let at = 0; at + 1 < sorted.length; at++) {
    const [low, high] = [sorted[at]!, sorted[at + 1]!]
    if (high.units * 100n > low.units * (100n + TOLERANCE_PERCENT)) continue
    if (best !== null && high.units * best.low >= best.high * low.units) continue
    best = {
      low: low.units,
      high: high.units,
      sources: [low.source, high.source],
      depth: depthOf(votes),
      priceTs: Math.min(low.priceTs, high.priceTs),
    }
  }
  return best
}

/** The greatest depth that at least two sources report; null if fewer do. */
function depthOf(votes: readonly Vote[]): bigint | null {
  const depths = votes.flatMap(({ depth }) => depth ?? [])
  if (depths.length < AGREEING) return null
  let deepest = 0n
  for (const depth of depths) if (depth > deepest) deepest = depth
  return deepest
}
