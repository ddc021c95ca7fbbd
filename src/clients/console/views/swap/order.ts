/** The order: read from the URL, and converted to the service's input. */

import type { BuildResult, Quote, QuoteInput, SwapOptions } from '../../../client/index.ts'
import { decimal, short } from '../../format.ts'

export type SwapChain = SwapOptions['chains'][number]
export type SwapSide = 'buy' | 'sell'

/** A coin or token; unknown members are null. */
export interface SwapCoin {
  readonly address: string
  readonly symbol: string | null
  readonly name: string | null
  readonly decimals: number | null
}

export interface SwapOrder {
  readonly chain: string
  readonly side: SwapSide
  readonly token: string
  /** The token on the other side. Absent: the native coin. */
  readonly against?: string
  /** If it differs from `chain`, `token` is paid on `chain`, and `against` is received there. */
  readonly toChain?: string
  /** A decimal string, in units of the coin spent. */
  readonly amount: string
  readonly slippageBps: number
  /** On EVM chains and Solana, the wallet that gets the output. Absent: the one that signs. */
  readonly receiver?: string
}

/** What is shown of a build. A gateway that was taken over may leave its verification out. */
export type Built = Pick<
  BuildResult,
  'provider' | 'insteadOf' | 'expectedOut' | 'minOut' | 'costs' | 'costsComplete' | 'lastValidBlockHeight'
> &
  Partial<Pick<BuildResult, 'verification'>>

export const DEFAULT_CHAIN = 'solana'

/** Null for a chain without swaps. */
export function chainOf(parameters: URLSearchParams, options: SwapOptions): SwapChain | null {
  const key = parameters.get('chain') ?? DEFAULT_CHAIN
  return options.chains.find((chain) => chain.key === key && chain.swaps) ?? null
}

export const nativeOf = ({ majors }: SwapChain): SwapCoin => majors.find(({ kind }) => kind === 'native')!

/**
 * The token in the URL; by default, and if both sides would be the same, a stablecoin; '' if the chain has
 * none.
 */
export function tokenOf(parameters: URLSearchParams, chain: SwapChain): string {
  const token = parameters.get('token')
  // A link to swap the native coin: which it is the reader of the URL knows.
  const isAlone = !parameters.has('against') && token !== null && isSame(token, nativeOf(chain).address)
  if (token !== null && (!isAlone || parameters.has('toChain'))) return token
  return chain.majors.find(({ kind }) => kind === 'stablecoin')?.address ?? ''
}

/** The coin on the other side in the URL, by default the native one. */
export const againstOf = (parameters: URLSearchParams, chain: SwapChain): string =>
  parameters.get('against') ?? nativeOf(chain).address

export const sideOf = (parameters: URLSearchParams): SwapSide =>
  parameters.get('side') === 'sell' ? 'sell' : 'buy'

const STABLE_BPS = 10
const OTHER_BPS = 50

/** The slippage of an order that does not say its own: prices of stablecoins hardly move against each other. */
export function presetBps(one: string, other: string, { majors }: SwapChain): number {
  const isStable = (address: string): boolean =>
    majors.some((major) => major.kind === 'stablecoin' && isSame(major.address, address))
  return isStable(one) && isStable(other) ? STABLE_BPS : OTHER_BPS
}

/** Addresses of EVM chains are the same in any case. */
export const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** A problem of an order, and the field that it concerns. */
export interface OrderProblem {
  readonly field: 'amount' | 'slippage'
  readonly text: string
}

/** The slippage of the URL, by default the preset, in hundredths of a percent. */
export function slippageIn(
  parameters: URLSearchParams,
  preset: number,
  { slippageBps: { min, max } }: SwapOptions,
): number | OrderProblem {
  const slippage = parameters.get('slippage')
  const bps = slippage === null ? preset : Math.round(Number(slippage) * 100)
  if (bps >= min && bps <= max) return bps
  return { field: 'slippage', text: `Enter ${min / 100}% to ${max / 100}%.` }
}

/**
 * @param target  a chain other than `chain` for a cross-chain swap
 * @returns null for an incomplete order
 */
export function readOrder(
  parameters: URLSearchParams,
  chain: SwapChain,
  options: SwapOptions,
  target: SwapChain = chain,
): SwapOrder | OrderProblem | null {
  const token = tokenOf(parameters, chain)
  const against = againstOf(parameters, target)
  const amount = (parameters.get('amount') ?? '').trim()
  const slippageBps = slippageIn(parameters, presetBps(token, against, chain), options)
  if (typeof slippageBps !== 'number') return slippageBps
  if (token === '' || amount === '') return null
  if (!/^\d{1,30}(\.\d{1,30})?$/.test(amount) || Number(amount) === 0) {
    return { field: 'amount', text: 'Enter an amount above zero.' }
  }
  if (target !== chain) {
    return { chain: chain.key, side: 'sell', token, against, toChain: target.key, amount, slippageBps }
  }
  if (isSame(against, token)) return { field: 'amount', text: 'A token cannot be swapped for itself.' }
  const other = against === nativeOf(chain).address ? {} : { against }
  return { chain: chain.key, side: sideOf(parameters), token, ...other, amount, slippageBps }
}

export const PRIORITIES = ['none', 'low', 'medium', 'high'] as const
export type Priority = (typeof PRIORITIES)[number]

/** The priority of a swap on Solana, by the URL; null on other chains. */
export const priorityOf = (parameters: URLSearchParams, { key }: SwapChain): Priority | null =>
  key === 'solana' ? (PRIORITIES.find((level) => level === parameters.get('priority')) ?? 'none') : null

/** The service's input. @param from  the wallet's address; null without a wallet */
export const inputOf = (order: SwapOrder, from: string | null): QuoteInput =>
  from === null ? order : { ...order, from }

/** A token's decimals, derived from a quote's base units and decimal amount; null if either is missing. */
export function decimalsOf(base: string | null, human: number | null): number | null {
  if (base === null || human === null || human === 0 || base === '0') return null
  const decimals = Math.round(Math.log10(Number(base) / human))
  return decimals >= 0 && decimals <= 36 ? decimals : null
}

/** The coin that a quote spends and the coin it buys. */
export function sidesOf(quote: Quote, other: SwapCoin, token: SwapCoin) {
  const known = (coin: SwapCoin, base: string | null, human: number | null): SwapCoin => ({
    ...coin,
    decimals: decimalsOf(base, human) ?? coin.decimals,
  })
  const [spent, got] = quote.side === 'buy' ? [other, token] : [token, other]
  return {
    spent: known(spent, quote.amountIn, quote.amountInHuman),
    got: known(got, quote.expectedOut, quote.expectedOutHuman),
  }
}

/** An exact amount such as `0.25 SOL`, or in base units if the decimals are unknown. */
export function exactly(base: string, { symbol, address, decimals }: Omit<SwapCoin, 'name'>): string {
  const name = symbol ?? `${address.slice(0, 6)}…`
  return decimals === null ? `${base} base units of ${name}` : `${decimal(base, decimals)} ${name}`
}

/** The same in six significant digits, for where the exact amount is at hand. */
export const brief = (base: string, coin: Omit<SwapCoin, 'name'>): string =>
  coin.decimals === null
    ? exactly(base, coin)
    : `${short(decimal(base, coin.decimals))} ${coin.symbol ?? ''}`.trim()

/** By how much less would arrive than was shown, in hundredths of a percent; 0 if it isn't less. */
export function lostBps(shown: string | null, now: string | undefined): number {
  if (shown === null || now === undefined || BigInt(shown) === 0n) return 0
  const bps = Number(((BigInt(shown) - BigInt(now)) * 10_000n) / BigInt(shown))
  return Math.max(0, bps)
}

/** Rounded down, as the gateway does. */
const lessSlippage = (expected: bigint, bps: number): bigint => (expected * BigInt(10_000 - bps)) / 10_000n

/** The most that a bridge's protocol may keep of a minimum, in percent. */
export const MAX_BRIDGE_MARGIN_PERCENT = 1n

interface Shown {
  /** Base units, as the form showed it. */
  readonly expectedOut: string | null
  readonly minOut: string | null
  readonly slippageBps: number
}

/**
 * The least that may arrive: the quote's minimum, but no less than the slippage leaves of the amount that the
 * form showed.
 * @param kept  percent of it that may be missing, if the review asks to accept that
 * @returns base units; 0, with which nothing is verified, if the form showed no amount
 */
export function leastAsked({ expectedOut, minOut, slippageBps }: Shown, kept = 0n): string {
  if (expectedOut === null) return '0'
  const least = (lessSlippage(BigInt(expectedOut), slippageBps) * (100n - kept)) / 100n
  return String(BigInt(minOut ?? 0) > least ? minOut : least)
}

/** How far the minimum is below what the slippage leaves of the shown amount, in hundredths of a percent. */
export const belowSlippageBps = (atLeast: string, { expectedOut, slippageBps }: Shown): number =>
  lostBps(String(lessSlippage(BigInt(expectedOut ?? 0), slippageBps)), atLeast)

/** What was received compared with what was expected, never with the minimum. */
export function comparedWith(expected: string | null, received: string): string {
  if (expected === null || BigInt(expected) === 0n) return ''
  const bps = Number(((BigInt(received) - BigInt(expected)) * 10_000n) / BigInt(expected))
  if (bps === 0) return '(as expected)'
  return `(${Math.abs(bps) / 100}% ${bps < 0 ? 'less' : 'more'} than expected)`
}
