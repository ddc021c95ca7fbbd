/** What is to be swapped, as the URL has it and as the service takes it. */
import type { Quote, QuoteInput, SwapOptions } from '../../../client/index.ts'

export type SwapChain = SwapOptions['chains'][number]
export type Side = 'buy' | 'sell'

/** A coin or token, as far as it is known. */
export interface Coin {
  readonly address: string
  readonly symbol: string | null
  readonly name: string | null
  readonly decimals: number | null
}

export interface Order {
  readonly chain: string
  readonly side: Side
  readonly token: string
  /** Decimal, in units of what is spent. */
  readonly amount: string
  readonly slippageBps: number
}

export const DEFAULT_CHAIN = 'solana'

/** Null for a chain that is not swapped on. */
export function chainOf(parameters: URLSearchParams, options: SwapOptions): SwapChain | null {
  const key = parameters.get('chain') ?? DEFAULT_CHAIN
  return options.chains.find((chain) => chain.key === key && chain.swaps) ?? null
}

export const nativeOf = ({ majors }: SwapChain): Coin => majors.find(({ kind }) => kind === 'native')!

/** The token of the URL, or a stablecoin to begin with; '' where the chain has none. */
export function tokenOf(parameters: URLSearchParams, { majors }: SwapChain): string {
  return parameters.get('token') ?? majors.find(({ kind }) => kind === 'stablecoin')?.address ?? ''
}

export const sideOf = (parameters: URLSearchParams): Side =>
  parameters.get('side') === 'sell' ? 'sell' : 'buy'

/** @returns null where something is still to be filled in; a sentence where it cannot be meant so */
export function readOrder(
  parameters: URLSearchParams,
  chain: SwapChain,
  { slippageBps: { min, max, default: usual } }: SwapOptions,
): Order | string | null {
  const token = tokenOf(parameters, chain)
  const amount = (parameters.get('amount') ?? '').trim()
  const slippage = parameters.get('slippage')
  const slippageBps = slippage === null ? usual : Math.round(Number(slippage) * 100)
  if (!(slippageBps >= min && slippageBps <= max)) {
    return `The slippage must be from ${min / 100} to ${max / 100} percent.`
  }
  if (token === '' || amount === '') return null
  if (!/^\d{1,30}(\.\d{1,30})?$/.test(amount) || Number(amount) === 0) {
    return 'The amount must be a decimal number above zero, such as 0.25.'
  }
  return { chain: chain.key, side: sideOf(parameters), token, amount, slippageBps }
}

/** As the service takes it. @param from  the wallet, null where none is connected */
export const inputOf = (order: Order, from: string | null): QuoteInput =>
  from === null ? order : { ...order, from }

/** How many decimals an amount has, by the two ways in which a quote tells it; null where it does not. */
export function decimalsOf(base: string | null, human: number | null): number | null {
  if (base === null || human === null || human === 0 || base === '0') return null
  const decimals = Math.round(Math.log10(Number(base) / human))
  return decimals >= 0 && decimals <= 36 ? decimals : null
}

/** What a quote is of: who spends what, and what comes of it. */
export function sidesOf(
  quote: Quote,
  native: Coin,
  token: Coin,
): { readonly spent: Coin; readonly got: Coin } {
  const known = (coin: Coin, base: string | null, human: number | null): Coin => ({
    ...coin,
    decimals: decimalsOf(base, human) ?? coin.decimals,
  })
  const [spent, got] = quote.side === 'buy' ? [native, token] : [token, native]
  return {
    spent: known(spent, quote.amountIn, quote.amountInHuman),
    got: known(got, quote.expectedOut, quote.expectedOutHuman),
  }
}

/** `0.25 SOL`: exactly, or in base units where the decimals are unknown. */
export function exactly(base: string, { symbol, address, decimals }: Omit<Coin, 'name'>): string {
  const name = symbol ?? `${address.slice(0, 6)}…`
  return decimals === null ? `${base} base units of ${name}` : `${decimal(base, decimals)} ${name}`
}

/** Base units as a decimal number, to the last digit. */
export function decimal(base: string, decimals: number): string {
  const digits = base.padStart(decimals + 1, '0')
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  const whole = digits.slice(0, digits.length - decimals)
  return decimals === 0 || fraction === '' ? whole : `${whole}.${fraction}`
}
