/**
 * The other side of the ABI: reads calls and writes their results. The package
 * encodes what functions take, so a result is written as the arguments of a
 * function that takes it, and arguments are read as the result of one.
 *
 * Source: Solidity documentation, "Contract ABI Specification"
 */

import { createContract } from 'micro-eth-signer/abi.js'

const SELECTOR_BYTES = 4

const WRITE = createContract([
  { type: 'function', name: 'uint', inputs: [{ type: 'uint256' }] },
  { type: 'function', name: 'uints', inputs: [{ type: 'uint256[]' }] },
  { type: 'function', name: 'text', inputs: [{ type: 'string' }] },
  { type: 'function', name: 'address', inputs: [{ type: 'address' }] },
  { type: 'function', name: 'Error', inputs: [{ type: 'string' }] },
  {
    type: 'function',
    name: 'results',
    inputs: [
      {
        type: 'tuple[]',
        components: [
          { name: 'success', type: 'bool' },
          { name: 'returnData', type: 'bytes' },
        ],
      },
    ],
  },
] as const)

const READ = createContract([
  {
    type: 'function',
    name: 'getAmountsOut',
    outputs: [
      { name: 'amountIn', type: 'uint256' },
      { name: 'path', type: 'address[]' },
    ],
  },
  {
    type: 'function',
    name: 'aggregate3',
    outputs: [
      {
        type: 'tuple[]',
        components: [
          { name: 'target', type: 'address' },
          { name: 'allowFailure', type: 'bool' },
          { name: 'callData', type: 'bytes' },
        ],
      },
    ],
  },
] as const)

export const encodeUint = (value: bigint): string => result(WRITE.uint.encodeInput(value))
export const encodeUints = (values: bigint[]): string => result(WRITE.uints.encodeInput(values))
export const encodeText = (text: string): string => result(WRITE.text.encodeInput(text))
export const encodeAddress = (address: string): string => result(WRITE.address.encodeInput(address))

/** What `require(false, reason)` reverts with: here the selector belongs to it. */
export const encodeError = (reason: string): string => hex(WRITE.Error.encodeInput(reason))

/**
 * @param call  calldata, selector included
 * @throws Error  when it does not decode
 */
export function decodeGetAmountsOut(call: Uint8Array): { amountIn: bigint; path: string[] } {
  return READ.getAmountsOut.decodeOutput(call.subarray(SELECTOR_BYTES))
}

/** What Multicall3's `aggregate3` returns. */
export function encodeResults(results: { success: boolean; returnData: Uint8Array }[]): string {
  return result(WRITE.results.encodeInput(results))
}

/**
 * @param call  calldata, selector included
 * @throws Error  when it does not decode
 */
export function decodeAggregate3(
  call: Uint8Array,
): { target: string; allowFailure: boolean; callData: Uint8Array }[] {
  return READ.aggregate3.decodeOutput(call.subarray(SELECTOR_BYTES))
}

const result = (call: Uint8Array): string => hex(call.subarray(SELECTOR_BYTES))

const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`
