/**
 * Baskets: many tokens of a chain for one amount of its native coin. The token list says which have the
 * deepest pools, and the amount is split by depth. Two independent sources must agree on the native coin's
 * price in dollars: one alone could turn a hundred dollars into the whole wallet.
 *
 * Source: §4.10 `/api/basket/top`, `/api/basket/plan`
 */
import { nativeAddress, parseAddress, parseToken } from '../../chains/address.ts'
import { formatAmount } from '../../chains/amount.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { floorUnits } from '../../chains/json/decimal.ts'
import { findMajor } from '../../chains/majors.ts'
import { PRICE_DECIMALS, USD_DECIMALS } from '../../chains/usd.ts'
import { Call } from '../../flow/call.ts'
import type { CancellationScope } from '../../flow/cancellation.ts'
import type { SwapProviders } from '../../providers/proved.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError, invalidParameter } from '../../runtime/errors.ts'
import type { AgreedPrice, PriceOf } from '../../swap/fair.ts'
import { badAddress } from '../../swap/order.ts'
import { providersFor } from '../../swap/quotes.ts'
import type { ListedToken, TokenSet } from '../list/token-set.ts'
import { type BasketPlan, type BasketTop, MAX_CLIPS, type PlanRequest } from './shapes.ts'
import { split, splitInClips } from './split.ts'

/** The least dollars in a token's pools: shallower ones say little about its price, and a basket would move it. */
export const LEAST_LIQ = 10_000
/** How long the first request waits for the list: building it takes no longer. */
const READY_MS = 4_000
/** A clip that takes more of its token's pools than this carries a warning. */
const WARN_BPS = 100n
/** How often the list is rebuilt while it is requested, ms. */
const RETRY_MS = 10_000

type LeftReason = BasketPlan['left'][number]['reason']
type DeepToken = ListedToken & { readonly liq: number }

interface BasketPlannerOptions {
  readonly tokens: TokenSet
  readonly swaps: SwapProviders
  readonly priceOf: PriceOf
  /** How long the price of the native coin is waited for, ms. */
  readonly deadlineMs: number
  readonly clock: Clock
}

export class BasketPlanner {
  readonly #options: BasketPlannerOptions

  constructor(options: BasketPlannerOptions) {
    this.#options = options
  }

  async top(chain: ChainDefinition, n: number, minLiq: number): Promise<BasketTop> {
    await this.#options.tokens.ready(READY_MS)
    const excluded = { majors: 0, gated: 0, unknown: 0, thin: 0 }
    const deep: DeepToken[] = []
    for (const token of this.#options.tokens.tokens(chain.key)) {
      const { address, isListed } = token
      if (findMajor(chain.key, address) !== null) excluded.majors++
      else if (!isListed) excluded.gated++
      else if (!hasDepth(token)) excluded.unknown++
      else if (token.liq < minLiq) excluded.thin++
      else deep.push(token)
    }
    const asOf = this.#options.clock.date()
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

  /**
   * @param scope  the client that calls to price sources count for; null for the gateway itself
   * @throws GatewayError  invalid_parameter, unsupported_chain, no_route, upstream_unavailable if there is no price
   */
  async plan(request: PlanRequest, scope: CancellationScope | null): Promise<BasketPlan> {
    const { chain, limit, minClipUsd } = request
    providersFor(this.#options.swaps, chain)
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
    await this.#options.tokens.ready(READY_MS)
    const left: BasketPlan['left'] = []
    const candidates = this.#candidates(chain, only, left)
    if (only !== null) {
      for (const { address } of candidates.slice(limit)) left.push({ token: address, reason: 'limit' })
    }
    const bought = candidates.slice(0, limit)
    if (bought.length === 0) throw nothingToBuy(chain, only !== null)

    const native = await this.#native(chain, scope)
    const amountIn = (usd * 10n ** BigInt(chain.decimals + PRICE_DECIMALS - USD_DECIMALS)) / native.high
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
        price: Number(formatAmount(native.high, PRICE_DECIMALS)),
        priceTs: native.priceTs,
        sources: [...native.sources],
      },
      clips,
      left,
      asOf: this.#options.clock.date(),
    }
  }

  /** The tokens to buy, the deepest first. Tokens of `only` that cannot be bought go into `left`. */
  #candidates(
    { key }: ChainDefinition,
    only: readonly string[] | null,
    left: BasketPlan['left'],
  ): readonly DeepToken[] {
    if (only === null) {
      return this.#options.tokens
        .tokens(key)
        .filter(hasDepth)
        .filter(
          ({ address, isListed, liq }) => isListed && liq >= LEAST_LIQ && findMajor(key, address) === null,
        )
        .sort(byDepth)
    }
    const deep: DeepToken[] = []
    for (const address of only) {
      const token = this.#options.tokens.find(key, address)
      const leave = (reason: LeftReason): number => left.push({ token: address, reason })
      if (token === null) leave('unlisted')
      else if (findMajor(key, address)?.kind === 'wrapped') leave('wrapped')
      else if (!token.isListed) leave('gated')
      else if (!hasDepth(token)) leave('unknown')
      else deep.push(token)
    }
    return deep.sort(byDepth)
  }

  /** @throws GatewayError  upstream_unavailable, if no two sources agree on the native coin's price */
  async #native(chain: ChainDefinition, scope: CancellationScope | null): Promise<AgreedPrice> {
    const call = Call.of(this.#options.clock, 'quote', this.#options.deadlineMs, scope ?? undefined)
    const agreed = await this.#options.priceOf(chain.key, nativeAddress(chain), call, () => false)
    if (agreed !== null) return agreed
    const message = `No two sources agree on a recent price of ${chain.native}, so \`usd\` cannot be converted to it. Try again in ten seconds.`
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
 * @returns canonical addresses, each once; null if `only` was not given
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
        ? [`The clip is ${liqBps} bps of the token's pools: expect it to move the price.`]
        : []),
      ...(checkedTs === null ? ['No source has checked this token for risks.'] : []),
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

/** Micro-dollars. */
function depthOf(liq: number): bigint {
  return floorUnits(String(liq), USD_DECIMALS) ?? 0n
}

/** The deepest first; equals by address, compared by code units so that the order is the same everywhere. */
function byDepth(a: DeepToken, b: DeepToken): number {
  return b.liq - a.liq || (a.address < b.address ? -1 : 1)
}

/** Micro-dollars of an amount that the schema has checked: at most six decimals. */
function micros(usd: string): bigint {
  return floorUnits(usd, USD_DECIMALS)!
}

function tooLittle({ name }: ChainDefinition): GatewayError {
  const message = `\`usd\` is too small: a clip would be less than the smallest unit of ${name}'s native coin.`
  return new GatewayError('amount_too_small', message, { field: 'usd' })
}

function nothingToBuy({ name, key }: ChainDefinition, isChosen: boolean): GatewayError {
  const message = isChosen
    ? `None of the tokens of \`only\` can be bought: they must be in the token list of ${name}, pass its risk filter, and have known liquidity.`
    : `The token list has no token on ${name} for a basket: GET /api/basket/top?chain=${key} says why.`
  return new GatewayError('no_route', message, { field: isChosen ? 'only' : 'chain' })
}
