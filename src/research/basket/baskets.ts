/**
 * A basket: many tokens of a chain for one amount of its native coin. Which
 * ones are deepest is read off the token list, and an amount is split over
 * them by their depth. Nothing is asked upstream for it.
 *
 * Source: §4.10 `/api/basket/top`, `/api/basket/plan`
 */
import { nativeAddress, parseAddress, parseToken } from '../../chains/address.ts'
import { formatAmount } from '../../chains/amount.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { floorUnits } from '../../chains/json/decimal.ts'
import { findMajor } from '../../chains/majors.ts'
import { PRICE_DECIMALS, priceUnits, USD_DECIMALS } from '../../chains/usd.ts'
import type { SwapProviders } from '../../proof/proved.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { GatewayError, invalidParameter } from '../../runtime/errors.ts'
import { badAddress } from '../../swap/order.ts'
import { providersFor } from '../../swap/quotes.ts'
import { recentPrice } from '../list/recent-price.ts'
import type { ListedToken, TokenSet } from '../list/token-set.ts'
import type { BasketPlan, BasketTop } from './shapes.ts'
import { split, splitInClips } from './split.ts'

/** Dollars: pools that are less deep say little of a token's price, and a basket moves it. */
export const LEAST_LIQ = 10_000
/** Tokens that `only` may name, and clips that a plan may have: a third of the quotes that a client has in a minute. */
export const MAX_CLIPS = 20
/** A first reader waits for the list, which takes no longer to build. */
const READY_MS = 4_000
/** A clip that takes more of the pools than this is warned of. */
const WARN_BPS = 100n
/** The list is rebuilt so often while it is read. */
const RETRY_MS = 10_000

type LeftReason = BasketPlan['left'][number]['reason']
type RecentPrice = NonNullable<ReturnType<typeof recentPrice>>
type DeepToken = ListedToken & { readonly liq: number }

export interface PlanRequest {
  readonly chain: ChainDefinition
  readonly usd: string
  readonly minClipUsd: string
  readonly limit: number
  readonly slippageBps: number
  readonly only?: string
  readonly from?: string
}

interface BasketPlannerOptions {
  readonly tokens: TokenSet
  readonly swaps: SwapProviders
  readonly clock?: Clock
}

export class BasketPlanner {
  readonly #tokens: TokenSet
  readonly #swaps: SwapProviders
  readonly #clock: Clock

  constructor({ tokens, swaps, clock = CLOCK }: BasketPlannerOptions) {
    this.#tokens = tokens
    this.#swaps = swaps
    this.#clock = clock
  }

  async top(chain: ChainDefinition, n: number, minLiq: number): Promise<BasketTop> {
    await this.#tokens.ready(READY_MS)
    const excluded = { majors: 0, gated: 0, unknown: 0, thin: 0 }
    const deep: DeepToken[] = []
    for (const token of this.#tokens.tokens(chain.key)) {
      const { address, isListed } = token
      if (findMajor(chain.key, address) !== null) excluded.majors++
      else if (!isListed) excluded.gated++
      else if (!hasDepth(token)) excluded.unknown++
      else if (token.liq < minLiq) excluded.thin++
      else deep.push(token)
    }
    const asOf = this.#clock.date()
    return {
      chain: chain.key,
      tokens: deep
        .sort(byDepth)
        .slice(0, n)
        .map(({ address, symbol, name, decimals, price, priceTs, liq, vol24, checkedTs }) => ({
          address,
          symbol,
          name,
          decimals,
          price,
          priceTs,
          ageMs: priceTs === null ? null : Math.max(0, asOf - priceTs),
          liq,
          vol24,
          checkedTs,
        })),
      excluded,
      asOf,
    }
  }

  /** @throws GatewayError  invalid_parameter, unsupported_chain, no_route; upstream_unavailable without a price */
  async plan(request: PlanRequest): Promise<BasketPlan> {
    const { chain, limit, minClipUsd } = request
    providersFor(this.#swaps, chain)
    const from = parseFrom(request)
    const only = parseOnly(request)
    const [usd, minimum] = [micros(request.usd), micros(minClipUsd)]
    if (minimum === 0n) throw invalidParameter('minClipUsd', '`minClipUsd` must be more than zero.')
    if (usd < minimum) {
      throw invalidParameter(
        'usd',
        `\`usd\` must be at least \`minClipUsd\`, which is ${minClipUsd}: one clip.`,
      )
    }
    await this.#tokens.ready(READY_MS)
    const left: BasketPlan['left'] = []
    const candidates = this.#candidates(chain, only, left)
    if (only !== null) {
      for (const { address } of candidates.slice(limit)) left.push({ token: address, reason: 'limit' })
    }
    const bought = candidates.slice(0, limit)
    if (bought.length === 0) throw nothingToBuy(chain, only !== null)

    const native = this.#native(chain)
    const amountIn = (usd * 10n ** BigInt(chain.decimals + PRICE_DECIMALS - USD_DECIMALS)) / native.units
    const parts = splitInClips(
      usd,
      bought.map(({ liq }) => depthOf(liq)),
      minimum,
    )
    const amounts = split(amountIn, parts)
    if (amounts.some((amount, at) => amount === 0n && parts[at]! > 0n)) throw tooLittle(chain)
    const clips: BasketPlan['clips'] = []
    for (const [at, token] of bought.entries()) {
      const [part, amount] = [parts[at]!, amounts[at]!]
      if (part === 0n) left.push({ token: token.address, reason: 'clip' })
      else clips.push(toClip(request, token, part, amount, from))
    }
    return {
      chain: chain.key,
      from,
      usd: formatAmount(usd, USD_DECIMALS),
      minClipUsd: formatAmount(minimum, USD_DECIMALS),
      amountIn: String(amountIn),
      native: {
        symbol: chain.native,
        decimals: chain.decimals,
        price: native.price,
        priceTs: native.priceTs,
      },
      clips,
      left,
      asOf: this.#clock.date(),
    }
  }
  /** What may be bought, the deepest first; what was named and may not goes into `left`. */
  #candidates(
    { key }: ChainDefinition,
    only: readonly string[] | null,
    left: BasketPlan['left'],
  ): readonly DeepToken[] {
    if (only === null) {
      return this.#tokens
        .tokens(key)
        .filter(hasDepth)
        .filter(
          ({ address, isListed, liq }) => isListed && liq >= LEAST_LIQ && findMajor(key, address) === null,
        )
        .sort(byDepth)
    }
    const deep: DeepToken[] = []
    for (const address of only) {
      const token = this.#tokens.find(key, address)
      const leave = (reason: LeftReason): number => left.push({ token: address, reason })
      if (token === null) leave('unlisted')
      else if (findMajor(key, address)?.kind === 'wrapped') leave('wrapped')
      else if (!token.isListed) leave('gated')
      else if (!hasDepth(token)) leave('unknown')
      else deep.push(token)
    }
    return deep.sort(byDepth)
  }

  /** @throws GatewayError  upstream_unavailable, where no price of it is recent */
  #native(chain: ChainDefinition): RecentPrice & { readonly units: bigint } {
    const known = recentPrice(this.#tokens, chain.key, nativeAddress(chain), this.#clock.date())
    const units = known === null ? 0n : priceUnits(known.price)
    if (known !== null && units > 0n) return { ...known, units }
    const message = `No recent price of ${chain.native} is known, so dollars cannot be counted in it. Try again in ten seconds.`
    throw new GatewayError('upstream_unavailable', message, { scope: 'provider', retryAfterMs: RETRY_MS })
  }
}

/** @throws 400  invalid_parameter */
function parseFrom({ chain, from }: PlanRequest): string | null {
  if (from === undefined) return null
  const wallet = parseAddress(chain, from)
  if (wallet === null) throw badAddress('from', chain)
  return wallet
}

/**
 * @returns canonical addresses, each once; null where none are named
 * @throws 400  invalid_parameter
 */
function parseOnly({ chain, only }: PlanRequest): readonly string[] | null {
  if (only === undefined) return null
  const addresses = new Set<string>()
  for (const text of only.split(',')) {
    const token = parseToken(chain, text)
    if (token === null || token.isNative) {
      const message = `\`only\` must be a comma list of token addresses on ${chain.key}, other than its native coin's.`
      throw invalidParameter('only', message)
    }
    addresses.add(token.address)
  }
  if (addresses.size <= MAX_CLIPS) return [...addresses]
  throw invalidParameter('only', `\`only\` must name at most ${MAX_CLIPS} tokens.`)
}

function toClip(
  { chain, slippageBps }: PlanRequest,
  { address, symbol, liq, checkedTs }: DeepToken,
  usd: bigint,
  amountIn: bigint,
  from: string | null,
): BasketPlan['clips'][number] {
  const depth = depthOf(liq)
  const liqBps = (usd * 10_000n + depth - 1n) / depth
  const amount = formatAmount(amountIn, chain.decimals)
  const asked = { chain: chain.key, side: 'buy' as const, token: address, amount }
  const search = new URLSearchParams({ ...asked, slippageBps: String(slippageBps), ...(from && { from }) })
  return {
    token: address,
    symbol,
    usd: formatAmount(usd, USD_DECIMALS),
    amountIn: String(amountIn),
    liq,
    liqBps: Number(liqBps),
    warnings: [
      ...(liqBps > WARN_BPS
        ? [`The clip is ${liqBps} bps of what is in the token's pools: expect it to move the price.`]
        : []),
      ...(checkedTs === null ? ['No source has told of the risks of this token.'] : []),
    ],
    quote: {
      url: `/api/quote?${search}`,
      path: '/api/quote',
      query: { ...asked, slippageBps, ...(from !== null && { from }) },
    },
  }
}

function hasDepth(token: ListedToken): token is DeepToken {
  return token.liq !== null && depthOf(token.liq) > 0n
}

/** Millionths of a dollar. */
function depthOf(liq: number): bigint {
  return floorUnits(String(liq), USD_DECIMALS) ?? 0n
}

/** Addresses are compared by their characters, which are the same everywhere. */
function byDepth(a: DeepToken, b: DeepToken): number {
  return b.liq - a.liq || (a.address < b.address ? -1 : 1)
}

/** Dollars as the schema has them, with up to six digits behind the point. */
function micros(usd: string): bigint {
  return floorUnits(usd, USD_DECIMALS)!
}

function tooLittle({ name }: ChainDefinition): GatewayError {
  const message = `\`usd\` is too little: a clip would be less than the smallest unit of ${name}'s coin.`
  return new GatewayError('amount_too_small', message, { field: 'usd' })
}

function nothingToBuy({ name, key }: ChainDefinition, isChosen: boolean): GatewayError {
  const message = isChosen
    ? `None of the tokens of \`only\` can be bought: they must be in the token list of ${name}, not held back there, and of known liquidity.`
    : `The token list has nothing on ${name} to make a basket of: GET /api/basket/top?chain=${key} tells why.`
  return new GatewayError('no_route', message, { field: isChosen ? 'only' : 'chain' })
}
