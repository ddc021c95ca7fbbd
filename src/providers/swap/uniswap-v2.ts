/**
 * Swaps without an aggregator: asks a chain's Uniswap-V2-style router through an RPC node, and takes the
 * better of the direct path and the one through the wrapped native coin.
 *
 * The price impact is unknown (reserves would cost more calls), and so is a token's transfer tax: if a token
 * takes one, the minimum fails on chain and nothing is swapped.
 *
 * Source: §4.5, §4.6 · Uniswap/v2-periphery contracts/UniswapV2Router02.sol
 */

import { Type } from 'typebox'
import { minOut } from '../../chains/amount.ts'
import type { Call } from '../../flow/call.ts'
import { approvalFor } from '../../proof/evm/approval.ts'
import { proveEvm } from '../../proof/evm/evm.ts'
import { swapKind, uniswapV2Rules } from '../../proof/evm/rules.ts'
import type { Material } from '../../proof/terms/material.ts'
import type { Order, Token } from '../../proof/terms/order.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { answerReader } from '../answer.ts'
import type { Offer, SwapProvider } from '../provider.ts'

const LABEL = 'uniswap-v2'
const FRESH_MS = 10_000
/** Units of gas for the router, and for each pool: measured on an EVM with ordinary tokens. */
const ROUTER_UNITS = 60_000
const POOL_UNITS = 60_000
const CALLDATA_BYTES = 260
const DEADLINE_SECONDS = 20 * 60
/** A pair counts its reserves in 112 bits; nothing larger can be swapped. */
const MAX_AMOUNT = 2n ** 112n - 1n

/** The part of a chain's nodes that is used. @see EvmRpc */
interface RouterCalls {
  /** @returns 0x hex; null when the call reverts */
  call(to: string, data: string, carried: Call): Promise<string | null>
}

interface V2Chain {
  readonly rpc: RouterCalls
  readonly router: string
  readonly wrappedNative: string
}

interface UniswapV2Options {
  /** By chain key. */
  readonly chains: ReadonlyMap<string, V2Chain>
  readonly clock?: Clock
}

/** An offer's `raw`, written by this file: a build needs no further call. */
const readRoute = answerReader(
  Type.Object({ router: Type.String(), path: Type.Array(Type.String()), amounts: Type.Array(Type.String()) }),
)

interface V2Route {
  readonly path: readonly string[]
  readonly amounts: readonly bigint[]
}

export function uniswapV2({ chains, clock = CLOCK }: UniswapV2Options): SwapProvider {
  return {
    label: LABEL,
    freshMs: FRESH_MS,
    chains: new Set(chains.keys()),

    async quote(order, options): Promise<Offer> {
      if (order.amountIn > MAX_AMOUNT) {
        throw refuse('amount_too_large', 'The amount is larger than any pool could hold. Try a smaller one.')
      }
      const chain = chains.get(order.chain.key)!
      const routes = await ask(chain, pathsOf(order, chain.wrappedNative), order.amountIn, options)
      const best = routes.reduce<V2Route | null>(better, null)
      if (best === null) throw refuse('no_route', 'No pool of this router trades this pair.')
      const expectedOut = best.amounts.at(-1)!
      if (expectedOut === 0n) {
        throw refuse('amount_too_small', 'The amount buys less than one base unit. Try a larger one.')
      }
      const { path } = best
      const amounts = best.amounts.map(String)
      return {
        expectedOut,
        minOut: minOut(expectedOut, order.slippageBps),
        priceImpactPct: null,
        gas: gasOf(path.length - 1),
        details: { routerAddress: chain.router, path, amounts },
        raw: JSON.stringify({ router: chain.router, path, amounts }),
      }
    },

    async build(order, offer): Promise<Material> {
      const { encodeSwap } = await import('../../proof/evm/uniswap-v2.ts')
      const { router, path } = readRoute(Buffer.from(offer.raw))!.value
      const { isNative } = order.tokenIn
      const deadline = BigInt(Math.floor(clock.date() / 1_000) + DEADLINE_SECONDS)
      const data = encodeSwap(swapKind(order), {
        amountIn: order.amountIn,
        amountOutMin: offer.minOut,
        path,
        to: order.from,
        deadline,
      })
      const value = isNative ? String(order.amountIn) : '0'
      return { kind: 'evm', to: router, data, value, approval: approvalFor(order, router) }
    },

    prove(order, { expectedOut, minOut }, material) {
      const { router, wrappedNative } = chains.get(order.chain.key)!
      return proveEvm(
        material,
        { order, expectedOut, minOut, date: clock.date() },
        uniswapV2Rules([router], wrappedNative),
      )
    },
  }
}

/**
 * The direct path, and the one through the wrapped native coin if it is neither end.
 * @throws GatewayError  no_route: wrapping the native coin is not a swap
 */
function pathsOf({ tokenIn, tokenOut }: Order, wrapped: string): readonly (readonly string[])[] {
  const end = ({ isNative, address }: Token): string => (isNative ? wrapped : address)
  const [first, last] = [end(tokenIn), end(tokenOut)]
  if (same(first, last)) {
    throw refuse('no_route', 'Both tokens are the native coin. Wrap or unwrap it at its own contract.')
  }
  const direct = [first, last]
  return same(first, wrapped) || same(last, wrapped) ? [direct] : [direct, [first, wrapped, last]]
}

/** @returns the routes that exist; their calls are made at the same time, and cancelled together */
async function ask(
  { rpc, router }: V2Chain,
  paths: readonly (readonly string[])[],
  amountIn: bigint,
  call: Call,
): Promise<V2Route[]> {
  const { decodeAmountsOut, encodeAmountsOut } = await import('../../proof/evm/uniswap-v2.ts')
  const all = call.fork()
  try {
    const answers = await Promise.all(
      paths.map((path) => rpc.call(router, encodeAmountsOut(amountIn, path), all)),
    )
    return paths.flatMap((path, i) => {
      const answer = answers[i]!
      // The router reverts if a pool does not exist.
      if (answer === null) return []
      const amounts = decodeAmountsOut(answer)
      if (amounts === null || amounts.length !== path.length || amounts[0] !== amountIn) throw unusable()
      return [{ path, amounts }]
    })
  } catch (error) {
    all.scope.cancel()
    throw error
  }
}

const gasOf = (pools: number) => ({
  units: ROUTER_UNITS + pools * POOL_UNITS,
  bytes: CALLDATA_BYTES + 32 * pools,
})

/** A tie goes to the first, which is the shorter. */
function better(best: V2Route | null, route: V2Route): V2Route {
  return best === null || route.amounts.at(-1)! > best.amounts.at(-1)! ? route : best
}

function refuse(code: 'no_route' | 'amount_too_small' | 'amount_too_large', message: string): GatewayError {
  return new GatewayError(code, message, { provider: LABEL })
}

function unusable(): GatewayError {
  const message = "The chain's node answered something that is not the router's answer. Try again later."
  return new GatewayError('upstream_unusable', message, { provider: LABEL, scope: 'provider' })
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
