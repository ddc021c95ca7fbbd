/**
 * The price of a cross-chain swap in the sandbox: the input is swapped into its chain's
 * native coin, converted at the dollar prices of the two native coins less a bridge's
 * fee, and swapped into the output token.
 *
 * Source: docs.li.fi
 */
import type { XprovChain } from '../../chains/find.ts'
import { burnDomain } from '../../proof/sui/packages.ts'
import type { Market } from '../market/market.ts'
import type { Prices } from '../market/prices.ts'
import type { MarketToken } from '../market/tokens.ts'

/** The bridge's fee, in parts per million of the amount. */
const BRIDGE_FEE_PPM = 1_000n
/** That of its faster route. */
export const FAST_FEE_PPM = 3_000n
const PPM = 1_000_000n
/** Wei that a messaging bridge charges in addition to the input, on EVM chains. */
const MESSAGING_FEE = 25_000_000_000_000n
const SLIPPAGE_DIGITS = 18
const USD_DIGITS = 18
/** The bridge's minimum, in whole dollars. */
const LEAST_USD = 1n
const MOST_USD = 1_000_000n
/** Routes that lose more are hidden, as the provider does by default. */
const MAX_IMPACT_PCT = 10

/** LI.FI's share of what it swaps within an EVM chain. */
export const lifiFee = (amountIn: bigint): bigint => (amountIn * 25n) / 10_000n

export interface CrossChainOrder {
  readonly fromChain: XprovChain
  readonly toChain: XprovChain
  readonly tokenIn: MarketToken
  readonly tokenOut: MarketToken
  readonly amountIn: bigint
  readonly from: string
  readonly to: string
  /** Decimal fraction. */
  readonly slippage: string
}

interface FeeCost {
  readonly name: string
  readonly description: string
  readonly percentage: string
  readonly token: MarketToken
  readonly amount: bigint
  readonly amountUSD: string
  readonly included: boolean
}

interface PricedSwap {
  readonly toAmount: bigint
  readonly toAmountMin: bigint
  readonly fromAmountUsd: string
  readonly toAmountUsd: string
  readonly feeCosts: readonly FeeCost[]
  /** Wei beyond the input. */
  readonly nativeFee: bigint
}

/** Why there is no quote, as the provider lists it. */
interface NoQuote {
  readonly refused: { readonly filteredOut: readonly unknown[]; readonly failed: readonly unknown[] }
}

export class XprovDesk {
  readonly #market: Market

  constructor(market: Market) {
    this.#market = market
  }

  price(ask: CrossChainOrder, now: number, feePpm = BRIDGE_FEE_PPM): PricedSwap | NoQuote {
    const prices = this.#market.at(now)
    const { tokenIn, tokenOut, amountIn } = ask
    const worth = worthOf(prices, tokenIn, amountIn)
    const isCrossChain = ask.fromChain !== ask.toChain
    if (isCrossChain && !isServed(ask)) return noQuote('NO_POSSIBLE_ROUTE')
    if (isCrossChain && worth < LEAST_USD * ONE_USD) return noQuote('AMOUNT_TOO_LOW')
    if (isCrossChain && worth > MOST_USD * ONE_USD) return noQuote('AMOUNT_TOO_HIGH')
    const fee = !isCrossChain && ask.fromChain.family === 'evm' ? lifiFee(amountIn) : 0n
    const toAmount = isCrossChain
      ? this.#cross(prices, ask, feePpm)
      : swap(prices, tokenIn, tokenOut, amountIn - fee)
    if (toAmount === null) return noQuote('NO_POSSIBLE_ROUTE')
    const whole = 10n ** BigInt(SLIPPAGE_DIGITS)
    const kept = whole - fraction(ask.slippage)
    const nativeFee = isCrossChain && ask.fromChain.family === 'evm' ? MESSAGING_FEE : 0n
    return {
      toAmount,
      // To the nearest unit, as recorded.
      toAmountMin: (toAmount * kept + whole / 2n) / whole,
      fromAmountUsd: dollars(worth),
      toAmountUsd: dollars(worthOf(prices, tokenOut, toAmount)),
      feeCosts: isCrossChain
        ? this.#fees(prices, ask, nativeFee, feePpm)
        : fee > 0n
          ? [own(prices, tokenIn, fee)]
          : [],
      nativeFee,
    }
  }

  #cross(
    prices: Prices,
    { fromChain, toChain, tokenIn, tokenOut, amountIn }: CrossChainOrder,
    feePpm: bigint,
  ): bigint | null {
    const nativeIn = this.#market.native(fromChain.key)
    const nativeOut = this.#market.native(toChain.key)
    const sent = swap(prices, tokenIn, nativeIn, amountIn)
    if (sent === null) return null
    const crossChain = (worthOf(prices, nativeIn, sent) * (PPM - feePpm)) / PPM
    const arrived = (crossChain * 10n ** BigInt(nativeOut.decimals)) / usdOf(prices, nativeOut)
    return arrived === 0n ? null : swap(prices, nativeOut, tokenOut, arrived)
  }

  #fees(
    prices: Prices,
    { fromChain, tokenIn, amountIn }: CrossChainOrder,
    nativeFee: bigint,
    feePpm: bigint,
  ): FeeCost[] {
    const native = this.#market.native(fromChain.key)
    const taken = (amountIn * feePpm) / PPM
    const included = {
      name: 'Bridge fee',
      description: 'What the bridge keeps of the input',
      percentage: '0.0010',
      token: tokenIn,
      amount: taken,
      amountUSD: dollars(worthOf(prices, tokenIn, taken)),
      included: true,
    }
    if (nativeFee === 0n) return [included]
    const onTop = {
      name: 'Messaging fee',
      description: 'Paid in the native coin beside the input',
      percentage: '0.0000',
      token: native,
      amount: nativeFee,
      amountUSD: dollars(worthOf(prices, native, nativeFee)),
      included: false,
    }
    return [included, onTop]
  }
}

const own = (prices: Prices, token: MarketToken, amount: bigint): FeeCost => ({
  name: 'LIFI Fixed Fee',
  description: 'Fixed LIFI fee, independent of any other fee',
  percentage: '0.0025',
  token,
  amount,
  amountUSD: dollars(worthOf(prices, token, amount)),
  included: true,
})

/** From Sui the input is bridged as USDC by Circle's bridge. */
const isServed = ({ fromChain, toChain }: CrossChainOrder): boolean =>
  fromChain.family !== 'sui' || burnDomain(toChain.key) !== null

const ONE_USD = 10n ** BigInt(USD_DIGITS)

/** @returns null if there is no pool, or the trade would lose too much */
function swap(prices: Prices, tokenIn: MarketToken, tokenOut: MarketToken, amountIn: bigint): bigint | null {
  // SOL and its wrapper have one address, and one price.
  if (tokenIn.address === tokenOut.address) return amountIn
  const fill = prices.swap(tokenIn, tokenOut, amountIn)
  return fill === null || fill.priceImpactPct > MAX_IMPACT_PCT ? null : fill.amountOut
}

/** The price of one whole token, in 10^-18 dollars. */
const usdOf = (prices: Prices, token: MarketToken): bigint => fraction(prices.usd(token))

const worthOf = (prices: Prices, token: MarketToken, amount: bigint): bigint =>
  (amount * usdOf(prices, token)) / 10n ** BigInt(token.decimals)

/** Decimal text in units of 10^-18. */
function fraction(text: string): bigint {
  const [whole = '', digits = ''] = text.split('.')
  return BigInt(whole + digits.slice(0, SLIPPAGE_DIGITS).padEnd(SLIPPAGE_DIGITS, '0'))
}

/** Dollars with four digits behind the point. */
function dollars(worth: bigint): string {
  const digits = (worth / 10n ** BigInt(USD_DIGITS - 4)).toString().padStart(5, '0')
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`
}

function noQuote(code: string): NoQuote {
  const error = {
    errorType: 'NO_QUOTE',
    code,
    tool: 'sandboxbridge',
    message: 'This tool cannot take the transfer',
  }
  const failed = [{ overallPath: 'sandboxbridge', subpaths: { sandboxbridge: [error] } }]
  return { refused: { filteredOut: [], failed } }
}
