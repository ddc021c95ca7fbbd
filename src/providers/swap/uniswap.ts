/**
 * Swaps without an aggregator: asks a chain's Uniswap contracts through an RPC node for the best of a few paths, all
 * in one `eth_call`.
 *
 * The price impact is unknown (reserves would cost more calls), and so is a token's transfer tax: if a token
 * takes one, the swap fails on chain and nothing is swapped, unless the router of V2 still reaches the minimum.
 *
 * Source: §4.5, §4.6
 */

import { Type } from 'typebox'
import { maxIn, minOut } from '../../chains/amount.ts'
import { MULTICALL3 } from '../../chains/contracts.ts'
import type { Call } from '../../flow/call.ts'
import { approvalFor } from '../../proof/evm/approval.ts'
import { type EvmRules, proveEvm, same } from '../../proof/evm/evm.ts'
import { type SwapKind, swapKind, type UniswapPath } from '../../proof/evm/uniswap.ts'
import type { V3Swap } from '../../proof/evm/uniswap-v3.ts'
import type { Material } from '../../proof/terms/material.ts'
import { type OrderTerms, receiverOf, type Token } from '../../proof/terms/order.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { answerReader } from '../answer.ts'
import { type ContractCall, decodeAggregate3, encodeAggregate3 } from '../holdings/multicall.ts'
import { DEADLINE_SECONDS, FRESH_MS, type Offer, type SwapProvider } from '../provider.ts'
import { tooSmall } from '../refusals.ts'

/** A chain's contracts. */
export interface UniswapChain {
  /** The part of the chain's nodes that is used. @see EvmRpc */
  readonly rpc: {
    /** @returns 0x hex; null when the call reverts */
    call(to: string, data: string, carried: Call): Promise<string | null>
  }
  readonly router: string
  readonly wrappedNative: string
}

/** The amount of an order, and whether it is that of the output. */
export interface Asked {
  readonly amount: bigint
  readonly isExactOut: boolean
}

export interface PathQuote {
  /** At the other end: what the amount gives, or what an exact output takes. */
  readonly other: bigint
  /** Units of gas of the whole swap. */
  readonly units: number
  /** What the offer shows of this path, beside the router and the path. */
  readonly details: Readonly<Record<string, unknown>>
}

/** What differs between the versions. */
export interface UniswapVersion<Chain extends UniswapChain> {
  readonly label: string
  /** Nothing larger can be swapped. */
  readonly maxAmount: bigint
  /** Bytes of a swap's calldata without its path. */
  readonly bytes: number
  /** The paths to ask for, the shortest first: of two that give the same, the earlier one wins. */
  paths(chain: Chain, first: string, last: string): readonly UniswapPath[]
  /** @returns a question for each path, then those that `isRouter` reads */
  questions(chain: Chain, paths: readonly UniswapPath[], asked: Asked): Promise<readonly ContractCall[]>
  /** @param answers  to the questions after those for the paths @returns whether the router is the expected one */
  isRouter?(chain: Chain, answers: readonly (Buffer | null)[]): boolean
  /** @returns null if the answer is none of the contract's, undefined if the pools can't take the whole amount */
  read(answer: Buffer, path: UniswapPath, asked: Asked): Promise<PathQuote | null | undefined>
  encode(kind: SwapKind, swap: V3Swap, isExactOut: boolean): Promise<string>
  rules(routers: readonly string[], wrappedNative: string): EvmRules
}

/** An offer's `raw`, written by this file: a build needs no further call. */
const readRoute = answerReader(
  Type.Object({ router: Type.String(), path: Type.Array(Type.String()), fees: Type.Array(Type.Integer()) }),
)

/** @param chains  by chain key */
export function uniswap<Chain extends UniswapChain>(
  version: UniswapVersion<Chain>,
  { chains, clock = CLOCK }: { readonly chains: ReadonlyMap<string, Chain>; readonly clock?: Clock },
): SwapProvider {
  const { label } = version
  const refuse = (code: 'no_route' | 'amount_too_large', message: string) =>
    new GatewayError(code, message, { provider: label })

  /** @returns the paths that exist, with what they give or take */
  async function ask(chain: Chain, paths: readonly UniswapPath[], asked: Asked, call: Call) {
    const questions = await version.questions(chain, paths, asked)
    const answer = await chain.rpc.call(MULTICALL3, encodeAggregate3(questions), call)
    const results = answer === null ? null : decodeAggregate3(answer, questions.length)
    const isRouter = version.isRouter?.(chain, results?.slice(paths.length) ?? []) ?? true
    const found: (UniswapPath & PathQuote)[] = []
    for (const [i, path] of paths.entries()) {
      // The contracts revert if a pool does not exist.
      if (isRouter && results?.[i] === null) continue
      const quote = results && isRouter ? await version.read(results[i]!, path, asked) : null
      if (quote === null) {
        const message = "The chain's node answered something that is not Uniswap's answer. Try again later."
        throw new GatewayError('upstream_unusable', message, { provider: label, scope: 'provider' })
      }
      if (quote !== undefined) found.push({ ...path, ...quote })
    }
    return found
  }

  /** @returns the best path, and what an offer of it has whichever amount is asked for */
  async function best({ chain: { key }, tokenIn, tokenOut }: OrderTerms, asked: Asked, call: Call) {
    if (asked.amount > version.maxAmount) {
      throw refuse('amount_too_large', 'The amount is larger than any pool could hold. Try a smaller one.')
    }
    const chain = chains.get(key)!
    const end = ({ isNative, address }: Token): string => (isNative ? chain.wrappedNative : address)
    const [first, last] = [end(tokenIn), end(tokenOut)]
    if (same(first, last)) {
      const message = 'Both tokens are the native coin. Wrap or unwrap it at its own contract.'
      throw refuse('no_route', message)
    }
    const [one, ...others] = await ask(chain, version.paths(chain, first, last), asked, call)
    if (one === undefined)
      throw refuse('no_route', 'No pool of this router trades this pair, or enough of it.')
    const isBetter = (a: bigint, b: bigint): boolean => (asked.isExactOut ? a < b : a > b)
    const { other, units, details, path, fees } = others.reduce(
      (best, path) => (isBetter(path.other, best.other) ? path : best),
      one,
    )
    if (other === 0n) throw tooSmall(label)
    const offer = {
      priceImpactPct: null,
      gas: { units, bytes: version.bytes + 32 * (path.length - 1) },
      details: { routerAddress: chain.router, path, ...details },
      raw: JSON.stringify({ router: chain.router, path, fees }),
    }
    return { other, offer }
  }

  return {
    label,
    freshMs: FRESH_MS,
    chains: new Set(chains.keys()),
    paysOthers: true,

    async quote(order, call): Promise<Offer> {
      const { other, offer } = await best(order, { amount: order.amountIn, isExactOut: false }, call)
      return { expectedOut: other, minOut: minOut(other, order.slippageBps), ...offer }
    },

    async quoteOutput(order, call): Promise<Offer> {
      const { amountOut, slippageBps } = order
      const { other, offer } = await best(order, { amount: amountOut, isExactOut: true }, call)
      const takes = { amountIn: other, maxIn: maxIn(other, slippageBps) }
      return { expectedOut: amountOut, minOut: amountOut, takes, ...offer }
    },

    async build(order, offer): Promise<Material> {
      const { router, path, fees } = readRoute(Buffer.from(offer.raw))!.value
      const { amountIn, amountOut, tokenIn } = order
      const to = receiverOf(order)
      const deadline = BigInt(Math.floor(clock.date() / 1_000) + DEADLINE_SECONDS)
      const swap = { path, fees, amountIn, amountOutMin: offer.minOut, to, deadline }
      const data = await version.encode(swapKind(order), swap, amountOut !== undefined)
      const value = tokenIn.isNative ? String(amountIn) : '0'
      return { kind: 'evm', to: router, data, value, approval: approvalFor(order, router) }
    },

    prove(order, { expectedOut, minOut }, material) {
      const { router, wrappedNative } = chains.get(order.chain.key)!
      const claim = { order, expectedOut, minOut, date: clock.date() }
      return proveEvm(material, claim, version.rules([router], wrappedNative))
    },
  }
}
