/** Swaps at the routers that the proofs read, and those of Uniswap's forms. Source: as evm-calls.ts */
import { hexToBytes } from '@noble/hashes/utils.js'
import type { EvmChain, V3Provider } from '../../chains/definition.ts'
import { KYBERSWAP_ROUTER, VELORA_ROUTER } from '../../proof/evm/rules.ts'
import { refuseMaterial } from '../../proof/terms/verification.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { pays } from '../ledger.ts'
import { canonical } from './context.ts'
import functions from './functions.json' with { type: 'json' }
import { acts, type KnownFunction, type Reading, type Row, rowsOf, swaps, ZERO } from './rows.ts'

type Reads = KnownFunction['reads']
/** A call that the proofs refuse to read is unknown: only the coins sent with it are reported. */
const proved =
  (reads: Reads): Reads =>
  async (r) => {
    const { call, found } = r
    const before = found.actions.length
    try {
      await reads(r)
    } catch (error) {
      const effects = call.value > 0n ? [pays(call.from, 'native', call.value, call.to)] : []
      if (found.actions.length === before) acts(r, 'swap', `swaps at ${found.nameOf(call.to)}`, effects)
      if (!(error instanceof GatewayError)) throw error
      const why = `the proofs do not read it: ${error.fields.rule}`
      found.leave(call.where, why, hexToBytes(call.data.slice(2)))
    }
  }

type SwapRouter = readonly [
  router: (chain: EvmChain) => string | null,
  selectors: () => Promise<readonly string[]>,
  reads: Reads,
]

const V3_FORMS = (['native-in', 'native-out', 'tokens'] as const).flatMap((kind) =>
  [false, true].map((isExactOut) => [kind, isExactOut] as const),
)

const v3Router = (provider: V3Provider): SwapRouter => [
  ({ v3 }) => v3[provider]?.router ?? null,
  async () => (await import('../../proof/evm/uniswap-v3.ts')).V3_SELECTORS,
  proved(async (r) => {
    const { decodeV3Swap } = await import('../../proof/evm/uniswap-v3.ts')
    const { data, value } = r.call
    const isWrapped = (token: string) => canonical(token) === r.chain.wrappedNative
    for (const [kind, isExactOut] of V3_FORMS) {
      const swap = decodeV3Swap(kind, data, isExactOut)
      if (swap === null) continue
      const { path, amountIn, amountOutMin: minOut, to: recipient } = swap
      const [isNativeIn, isNativeOut] = [kind === 'native-in', kind === 'native-out']
      const [first, last] = [path[0]!, path.at(-1)!]
      // Without the whole value the router takes the wrapped coin, and with it never a token.
      if (value !== (isNativeIn ? amountIn : 0n) || (isNativeIn && !isWrapped(first))) continue
      if (isNativeOut && !isWrapped(last)) continue
      const [tokenIn, tokenOut] = [isNativeIn ? ZERO : first, isNativeOut ? ZERO : last]
      return swaps(r, { tokenIn, tokenOut, isExactOut, amountIn, minOut, recipient })
    }
    throw refuseMaterial('calldata')
  }),
]

/** The proofs read the arguments: none is decoded here. */
export const SWAP_ROUTERS: readonly SwapRouter[] = [
  [
    () => KYBERSWAP_ROUTER,
    async () => (await import('../../proof/evm/kyberswap.ts')).KYBERSWAP.selectors,
    proved(async (r) => {
      const { readKyberswap } = await import('../../proof/evm/kyberswap.ts')
      const { fees: _, ...terms } = readKyberswap(r.call.data, r.call.from ?? r.found.owner ?? ZERO)
      swaps(r, terms)
    }),
  ],
  [
    () => VELORA_ROUTER,
    async () => (await import('./velora.ts')).VELORA_SELECTORS,
    proved(async (r) => (await import('./velora.ts')).explainVelora(r)),
  ],
  [
    ({ xprovContract }) => xprovContract,
    async () => (await import('../../proof/cross-chain/lifi/stated.ts')).LIFI_SELECTORS,
    proved(async (r) => (await import('./lifi.ts')).readLifi(r)),
  ],
  v3Router('uniswap-v3'),
  v3Router('pancakeswap-v3'),
]

const v2 = {
  at: (to: string, { v2Routers }: EvmChain) => v2Routers.some(({ address }) => canonical(address) === to),
  isPayable: true,
}
const v2Swap =
  (hasAmount: boolean, isNativeOut = false, isExactOut = false): Reads =>
  (r) => {
    const { args, call } = r
    const path = args.addresses('path')
    if (path.length < 2) return r.found.leave(call.where, 'the path of the swap is too short')
    swaps(r, {
      tokenIn: hasAmount ? path[0]! : ZERO,
      tokenOut: isNativeOut ? ZERO : path.at(-1)!,
      isExactOut,
      amountIn: hasAmount ? args.int('amountIn') : call.value,
      minOut: args.int('amountOutMin'),
      recipient: args.address('to'),
    })
  }

const V2_SWAPS: Readonly<Record<string, Reads>> = {
  nativeIn: v2Swap(false),
  tokens: v2Swap(true),
  nativeOut: v2Swap(true, true),
  nativeInExactOut: v2Swap(false, false, true),
  tokensExactOut: v2Swap(true, false, true),
  nativeOutExactOut: v2Swap(true, true, true),
}

/** No router of these forms is known here: their actions are shown, but count as unknown. */
const v3 = { at: () => false, isPayable: true }
const v3Single: Reads = (r) => {
  const { address, int } = r.args.struct('params')
  const [tokenIn, tokenOut, recipient] = [address('tokenIn'), address('tokenOut'), address('recipient')]
  const [amountIn, minOut] = [int('amountIn'), int('amountOutMinimum')]
  swaps(r, { tokenIn, tokenOut, amountIn, minOut, recipient }, true)
}
function paysOut(r: Reading, recipient: string): void {
  const isOwn = BigInt(recipient) <= 2n
  const effects = isOwn ? [] : [pays(r.call.from, null, null, recipient, { code: 'foreign_recipient' })]
  const words = `pays what the router or the position has out to ${recipient}`
  acts(r, 'transfer', words, effects, { to: recipient })
}
const V3_CALLS: Readonly<Record<string, Reads>> = {
  single: v3Single,
  sweeps: (r) => paysOut(r, r.args.address('recipient')),
  collects: (r) => paysOut(r, r.args.struct('params').address('recipient')),
}

export const SWAP_ROWS: readonly Row[] = [
  ...rowsOf(functions.v2, V2_SWAPS, v2),
  ...rowsOf(functions.v3, V3_CALLS, v3),
]
