/**
 * What KyberSwap's calldata promises: its router's `swap`, to calldata and
 * back. Imported at its first use: the ABI machinery costs start-up time.
 *
 * The router pays `dstReceiver` at least `minReturnAmount`, or reverts;
 * `targetData` is the executor's business.
 *
 * Source: KyberSwap's MetaAggregationRouterV2, function swap(SwapExecutionParams); these types hash to
 * the selector e21fd0e9, with which its calldata begins
 */
import { createContract } from 'micro-eth-signer/abi.js'

const inputs = [
  {
    name: 'execution',
    type: 'tuple',
    components: [
      { name: 'callTarget', type: 'address' },
      { name: 'approveTarget', type: 'address' },
      { name: 'targetData', type: 'bytes' },
      {
        name: 'desc',
        type: 'tuple',
        components: [
          { name: 'srcToken', type: 'address' },
          { name: 'dstToken', type: 'address' },
          { name: 'srcReceivers', type: 'address[]' },
          { name: 'srcAmounts', type: 'uint256[]' },
          { name: 'feeReceivers', type: 'address[]' },
          { name: 'feeAmounts', type: 'uint256[]' },
          { name: 'dstReceiver', type: 'address' },
          { name: 'amount', type: 'uint256' },
          { name: 'minReturnAmount', type: 'uint256' },
          { name: 'flags', type: 'uint256' },
          { name: 'permit', type: 'bytes' },
        ],
      },
      { name: 'clientData', type: 'bytes' },
    ],
  },
] as const

// The outputs are not what it answers: a way to read calldata back, for which the library has no other.
const { swap } = createContract([{ type: 'function', name: 'swap', inputs, outputs: inputs }] as const)

/** The parts of a swap that the router itself guarantees. */
export interface KyberCall {
  readonly srcToken: string
  readonly dstToken: string
  readonly dstReceiver: string
  readonly amount: bigint
  readonly minReturnAmount: bigint
}

const SELECTOR = '0xe21fd0e9'
const NOTHING = new Uint8Array()

/** @returns calldata, 0x hex, of a swap that pays no fees and whose executor does nothing: for the sandbox */
export function encodeKyberSwap(executor: string, call: KyberCall): string {
  const desc = {
    ...call,
    srcReceivers: [executor],
    srcAmounts: [call.amount],
    feeReceivers: [],
    feeAmounts: [],
    flags: 0n,
    permit: NOTHING,
  }
  const execution = { approveTarget: ZERO, callTarget: executor, targetData: NOTHING, clientData: NOTHING }
  return `0x${Buffer.from(swap.encodeInput({ ...execution, desc })).toString('hex')}`
}

/** @returns null for calldata of another function, or that cannot be read */
export function decodeKyberSwap(data: string): KyberCall | null {
  if (!data.startsWith(SELECTOR)) return null
  try {
    const { desc } = swap.decodeOutput(new Uint8Array(Buffer.from(data.slice(SELECTOR.length), 'hex')))
    return desc
  } catch {
    return null
  }
}

const ZERO = '0x0000000000000000000000000000000000000000'
