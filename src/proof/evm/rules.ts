/**
 * The rules of each router that swaps on EVM chains: its contract, how it writes the native coin, and what
 * reads its calldata. Calldata is read to its last byte or refused.
 *
 * The readers are loaded at the first proof, so that the start loads no ABI coder.
 */
import type { EvmChain } from '../../chains/definition.ts'
import { findEvmChain } from '../../chains/find.ts'
import { MAX_VELORA_FEE_BPS } from '../terms/fees.ts'
import { refuseMaterial } from '../terms/verification.ts'
import { type EvmRules, isOneOf, SENTINEL } from './evm.ts'
import { type SwapKind, swapKind } from './uniswap.ts'
import type { V2Swap } from './uniswap-v2.ts'

/** MetaAggregationRouterV2, at one address on every chain that is served here. */
export const KYBERSWAP_ROUTER = '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5'

/** Augustus v6.2, at one address on every chain that is served here; it takes the tokens itself. */
export const VELORA_ROUTER = '0x6A000F20005980200259B80c5102003040001068'

export const kyberswapRules: EvmRules = {
  routers: [KYBERSWAP_ROUTER],
  native: SENTINEL,
  async readCalldata({ order }, data) {
    const { readKyberswap } = await import('./kyberswap.ts')
    return readKyberswap(data, order.from)
  },
}

export const veloraRules: EvmRules = {
  routers: [VELORA_ROUTER],
  native: SENTINEL,
  async readCalldata({ order: { from, chain }, expectedOut, feeBps = 0 }, data) {
    const { readVelora } = await import('./velora.ts')
    const { wrappedNative } = findEvmChain(chain.key)!
    return readVelora(data, { from, expectedOut, feeBps, wrappedNative })
  },
}

type ReadSwap = (kind: SwapKind, data: string, isExactOut: boolean) => V2Swap | null

const uniswapRules =
  (load: () => Promise<ReadSwap>) =>
  (routers: readonly string[], wrappedNative: string): EvmRules => ({
    routers,
    native: wrappedNative,
    async readCalldata({ order }, data) {
      const read = await load()
      const isExactOut = order.amountOut !== undefined
      const call = read(swapKind(order), data, isExactOut)
      if (call === null || call.path.length < 2 || call.path.length > 3) throw refuseMaterial('calldata')
      return {
        tokenIn: call.path[0]!,
        tokenOut: call.path.at(-1)!,
        isExactOut,
        amountIn: call.amountIn ?? order.amountIn,
        minOut: call.amountOutMin,
        recipient: call.to,
        deadline: call.deadline,
        checks: ['function'],
      }
    },
  })

/** Function, both ends of the path, amount, minimum, recipient and deadline are all that the calldata has. */
export const uniswapV2Rules = uniswapRules(async () => (await import('./uniswap-v2.ts')).decodeV2Swap)

/** The same, and the fees of the pools. */
export const uniswapV3Rules = uniswapRules(async () => (await import('./uniswap-v3.ts')).decodeV3Swap)

/**
 * @returns a router's rules, and the most that it may take as a fee; null for a contract whose calldata nothing here
 *   reads, or that is not known to be on the chain
 */
export function knownRouter({ listedAs, v2Routers, v3, wrappedNative }: EvmChain, to: string) {
  const free = (rules: EvmRules) => ({ rules, feeBps: 0 })
  const ofV2 = v2Routers.map(({ address }) => address)
  const ofV3 = Object.values(v3).map(({ router }) => router)
  const routers = [
    ...(listedAs.kyberswap === undefined ? [] : [free(kyberswapRules)]),
    ...(listedAs.velora === undefined ? [] : [{ rules: veloraRules, feeBps: MAX_VELORA_FEE_BPS }]),
    free(uniswapV2Rules(ofV2, wrappedNative)),
    free(uniswapV3Rules(ofV3, wrappedNative)),
  ]
  return routers.find(({ rules }) => isOneOf(rules.routers, to)) ?? null
}
