/** The two tokens of a swap, each on a chain: read from the URL, and written to it. */
import type { SwapOptions } from '../../../../client/index.ts'
import { againstOf, nativeOf, type SwapChain, sideOf, tokenOf } from '../order.ts'

export interface TokenAt {
  readonly chain: string
  readonly address: string
}

export interface Pair {
  readonly pay: TokenAt
  readonly get: TokenAt
}

export type Box = keyof Pair

export const isSameToken = (a: TokenAt, b: TokenAt): boolean =>
  a.chain === b.chain && a.address.toLowerCase() === b.address.toLowerCase()

/** The chain that the swap leads to, by the URL; within one chain, the chain itself. */
export function targetOf(parameters: URLSearchParams, chain: SwapChain, options: SwapOptions): SwapChain {
  const key = parameters.get('toChain')
  const target = options.chains.find((one) => one.key === key)
  return target !== undefined && canCross(chain.key, target.key, options) ? target : chain
}

/** @param target  a chain other than `chain` for a cross-chain swap */
export function pairOf(parameters: URLSearchParams, chain: SwapChain, target: SwapChain): Pair {
  if (target !== chain) {
    const pay = { chain: chain.key, address: tokenOf(parameters, chain) }
    return { pay, get: { chain: target.key, address: againstOf(parameters, target) } }
  }
  const token = { chain: chain.key, address: tokenOf(parameters, chain) }
  const other = { chain: chain.key, address: againstOf(parameters, chain) }
  return sideOf(parameters) === 'buy' ? { pay: other, get: token } : { pay: token, get: other }
}

/** The URL's parameters of a pair: if the native coin is one of the two, it is the other side. */
export function parametersOf({ pay, get }: Pair, options: SwapOptions) {
  const isNative = (token: TokenAt): boolean => isSameToken(token, nativeAt(token.chain, options))
  const isCrossing = pay.chain !== get.chain
  const isBuy = !isCrossing && isNative(pay)
  const [token, other] = isBuy ? [get, pay] : [pay, get]
  return {
    chain: pay.chain,
    toChain: isCrossing ? get.chain : null,
    side: isBuy ? null : 'sell',
    token: token.address,
    against: isNative(other) ? null : other.address,
  }
}

export const flipped = ({ pay, get }: Pair): Pair => ({ pay: get, get: pay })

/**
 * The pair with another token in one of its boxes. If it is the same token as in the other box, the two trade
 * places. The other token moves to the new chain if no cross-chain swap leads there, or if the paid token
 * changes its chain.
 */
export function picked(pair: Pair, box: Box, token: TokenAt, options: SwapOptions): Pair {
  const otherBox: Box = box === 'pay' ? 'get' : 'pay'
  if (isSameToken(token, pair[otherBox])) return flipped(pair)
  const next: Pair = { ...pair, [box]: token }
  const wasOnOne = pair.pay.chain === pair.get.chain
  const stays =
    next.pay.chain === next.get.chain ||
    (canCross(next.pay.chain, next.get.chain, options) && (box === 'get' || !wasOnOne))
  return stays ? next : { ...next, [otherBox]: defaultCounterpart(token, options) }
}

export function canCross(from: string, to: string, { crossChain }: SwapOptions): boolean {
  return from !== to && crossChain !== null && crossChain.from.includes(from) && crossChain.to.includes(to)
}

const chainAt = (key: string, { chains }: SwapOptions): SwapChain => chains.find((one) => one.key === key)!

const nativeAt = (key: string, options: SwapOptions): TokenAt => ({
  chain: key,
  address: nativeOf(chainAt(key, options)).address,
})

/** A stablecoin of the token's chain; for a stablecoin, or without any, the native coin. */
function defaultCounterpart(token: TokenAt, options: SwapOptions): TokenAt {
  const { majors } = chainAt(token.chain, options)
  const stable = majors.find(({ kind }) => kind === 'stablecoin')
  const usual = stable === undefined ? null : { chain: token.chain, address: stable.address }
  return usual === null || isSameToken(usual, token) ? nativeAt(token.chain, options) : usual
}
