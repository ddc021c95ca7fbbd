/**
 * A wallet's holdings on one chain, as the portfolio shows them. An entry's sums
 * cover its shown and its hidden holdings: `usd` is their value, `tokenCount`
 * their number, and `unpriced` the number of those without a value.
 *
 * Source: §2 Portfolio, §4.4
 */
import { toHuman } from '../../chains/amount.ts'
import { fromUsd, toUsd, worth } from '../../chains/usd.ts'
import type { Holding, Holdings } from '../../providers/holdings/holdings.ts'
import { idOf } from '../../providers/market/market.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { PortfolioEntry, PortfolioHolding, PortfolioProblem } from '../../runtime/resources/portfolio.ts'
import { isPriceOld } from '../list/price-age.ts'
import type { TokenSet } from '../list/token-set.ts'
import texts from '../texts.json' with { type: 'json' }
import type { Valuation, Valuations } from './holding-prices.ts'
import type { ChainReading } from './wallet-reader.ts'

const { portfolio: text } = texts

/** The most holdings shown. The least valuable beyond them are hidden: a wallet may have been sent thousands. */
const MAX_SHOWN = 500

/** A holding counts for at most one part in this many of its token's pools: more could not be sold. */
const POOL_SHARE = 5n

type ValuedHolding = ReturnType<typeof appraise>

/**
 * The entry of one chain, with its value in micro-dollars.
 * @param valuations  the chain's prices; undefined if it could not be read
 * @param leastShown  micro-dollars: an unlisted holding that is worth less is hidden
 */
export function assess(
  { chain, held, at }: ChainReading,
  valuations: Valuations | undefined,
  tokens: Pick<TokenSet, 'find'>,
  leastShown: bigint,
): { readonly entry: PortfolioEntry; readonly value: bigint } {
  const isFailed = held instanceof GatewayError
  const { at: state, holdings, missing, isBehind } = isFailed ? NOTHING_HELD : held
  const { prices, names, failures, unasked } = isFailed ? NO_PRICES : valuations!
  const all = holdings
    .map((holding) =>
      appraise(withSourceName(names, holding), tokens, prices.get(idOf(holding.token)) ?? null),
    )
    .sort(byValue)
  const isDust = ({ isListed, value }: ValuedHolding): boolean =>
    !isListed && value !== null && value < leastShown
  const worthy = all.filter((one) => !isDust(one))
  const shown = worthy.slice(0, MAX_SHOWN)
  const hidden = [...worthy.slice(MAX_SHOWN), ...all.filter(isDust)]
  const problems: PortfolioProblem[] = [
    ...(isFailed ? [problem('holdings', held)] : []),
    ...(missing === 0 ? [] : [{ part: 'holdings' as const, error: text.missing, missing }]),
    ...(isBehind ? [{ part: 'holdings' as const, error: text.behind }] : []),
    ...(unasked === 0 ? [] : [{ part: 'prices' as const, error: text.unasked, missing: unasked }]),
    ...failures.map(({ provider, error }) => problem('prices', error, provider)),
  ]
  const status = problems.length === 0 ? 'complete' : 'partial'
  const value = sum(all)
  const entry: PortfolioEntry = {
    chain: chain.key,
    status: isFailed ? 'failed' : status,
    ...(chain.family === 'evm' ? { block: state.block } : { slot: state.slot }),
    at: new Date(at).toISOString(),
    usd: toUsd(value),
    tokenCount: all.length,
    unpriced: unpriced(all),
    holdings: shown.map((one) => show(one, at)),
    hidden: { count: hidden.length, unpriced: unpriced(hidden), usd: toUsd(sum(hidden)) },
    problems,
  }
  return { entry, value }
}

/** Of a chain that could not be read. */
const NOTHING_HELD: Holdings = { at: { block: null, slot: null }, holdings: [], missing: 0 }
const NO_PRICES: Valuations = { prices: new Map(), names: new Map(), failures: [], unasked: 0 }

/** Whether everything that the wallet may hold was read. */
export const isComplete = ({ missing, isBehind }: Holdings): boolean => missing === 0 && !isBehind

function problem(
  part: PortfolioProblem['part'],
  { code, message }: GatewayError,
  provider?: string,
): PortfolioProblem {
  return { part, code, error: message, ...(provider === undefined ? {} : { provider }) }
}

/** A holding without a name gets the one that price sources have for it. */
function withSourceName(names: Valuations['names'], holding: Holding): Holding {
  const named = names.get(idOf(holding.token))
  if (named === undefined || holding.symbol !== null) return holding
  return { ...holding, symbol: named.symbol, name: holding.name ?? named.name }
}

/** A holding with its value. */
function appraise(holding: Holding, tokens: Pick<TokenSet, 'find'>, price: Valuation | null) {
  const { amount, decimals, token } = holding
  const listed = tokens.find(token.chain, token.address)
  const claimed = price === null || decimals === null ? null : worth(amount, decimals, price.price)
  const isListed = token.isNative || listed?.isListed === true
  const cap = price === null || price.liq === null ? null : fromUsd(price.liq) / POOL_SHARE
  const isCapped = claimed !== null && cap !== null && claimed > cap
  const value = isCapped ? cap : claimed
  return {
    holding,
    listed,
    isListed,
    price: value === null ? null : price,
    /** Micro-dollars; null if it is unpriced. */
    value,
    /** Whether the value is capped by the pools, instead of amount times price. */
    isCapped,
  }
}

/** The order of holdings: the most valuable first, then unpriced ones, listed before unlisted. */
function byValue(a: ValuedHolding, b: ValuedHolding): number {
  if (a.value !== b.value) {
    if (a.value === null || b.value === null) return a.value === null ? 1 : -1
    return a.value > b.value ? -1 : 1
  }
  if (a.isListed !== b.isListed) return a.isListed ? -1 : 1
  return a.holding.token.address < b.holding.token.address ? -1 : 1
}

function show(
  { holding, listed, isListed, price, value, isCapped }: ValuedHolding,
  at: number,
): PortfolioHolding {
  const { token, amount, decimals, symbol, name, wrapped, notes } = holding
  return {
    address: token.address,
    symbol: listed?.symbol ?? symbol,
    name: listed?.name ?? name,
    isNative: token.isNative,
    listed: isListed,
    amount: String(amount),
    decimals,
    amountHuman: decimals === null ? null : toHuman(amount, decimals),
    ...(wrapped === null ? {} : { wrapped: String(wrapped) }),
    price: price?.price ?? null,
    priceTs: price?.priceTs ?? null,
    ...(price !== null && isPriceOld(price.priceTs, at) && { priceStale: true as const }),
    valueUsd: value === null ? null : toUsd(value),
    ...(isCapped && { cappedBy: 'liquidity' as const }),
    notes: listed?.isListed === false ? [...notes, 'gated'] : [...notes],
  }
}

function sum(list: readonly ValuedHolding[]): bigint {
  return list.reduce((total, { value }) => total + (value ?? 0n), 0n)
}

function unpriced(list: readonly ValuedHolding[]): number {
  return list.filter(({ value }) => value === null).length
}
