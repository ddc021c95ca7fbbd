/**
 * The other side of the ABI: reads calls and writes their results. The package
 * encodes what functions take, so a result is written as the arguments of a
 * function that takes it, and arguments are read as the result of one.
 *
 * Source: Solidity documentation, "Contract ABI Specification"
 */

import { createContract } from 'micro-eth-signer/abi.js'

const SELECTOR_BYTES = 4
const WORD_BYTES = 32
/** Within its word. */
const ADDRESS_AT = 12

const WRITE = createContract([
  { type: 'function', name: 'uints', inputs: [{ type: 'uint256[]' }] },
  { type: 'function', name: 'text', inputs: [{ type: 'string' }] },
  { type: 'function', name: 'address', inputs: [{ type: 'address' }] },
  { type: 'function', name: 'Error', inputs: [{ type: 'string' }] },
] as const)

const READ = createContract([
  {
    type: 'function',
    name: 'getAmounts',
    outputs: [
      { name: 'amount', type: 'uint256' },
      { name: 'path', type: 'address[]' },
    ],
  },
] as const)

export const encodeUint = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`
export const encodeUints = (values: bigint[]): string => result(WRITE.uints.encodeInput(values))
export const encodeText = (text: string): string => result(WRITE.text.encodeInput(text))
export const encodeAddress = (address: string): string => result(WRITE.address.encodeInput(address))

/** What `require(false, reason)` reverts with: here the selector belongs to it. */
export const encodeError = (reason: string): string => hex(WRITE.Error.encodeInput(reason))

/**
 * @param call  calldata, selector included
 * @throws Error  if it does not decode
 */
export function decodeGetAmounts(call: Uint8Array): { amount: bigint; path: string[] } {
  return READ.getAmounts.decodeOutput(call.subarray(SELECTOR_BYTES))
}

/** What Multicall3's `aggregate3` returns. */
export function encodeResults(results: { success: boolean; returnData: Uint8Array }[]): string {
  const word = (value: number): string => value.toString(16).padStart(2 * WORD_BYTES, '0')
  let offset = results.length * WORD_BYTES
  const heads: string[] = []
  const tuples = results.map(({ success, returnData }) => {
    const padded = 2 * WORD_BYTES * Math.ceil(returnData.length / WORD_BYTES)
    const data = Buffer.from(returnData).toString('hex').padEnd(padded, '0')
    const tuple = word(Number(success)) + word(2 * WORD_BYTES) + word(returnData.length) + data
    heads.push(word(offset))
    offset += tuple.length / 2
    return tuple
  })
  return `0x${word(WORD_BYTES)}${word(results.length)}${heads.join('')}${tuples.join('')}`
}

/**
 * Written by hand, like its results: the package writes each address with its checksum, which is most of a
 * portfolio's cost here.
 * @param call  calldata, selector included
 * @throws RangeError  if it does not decode
 */
export function decodeAggregate3(
  call: Uint8Array,
): { target: string; allowFailure: boolean; callData: Uint8Array }[] {
  const bytes = Buffer.from(call.subarray(SELECTOR_BYTES))
  const size = (at: number): number => {
    const value = BigInt(`0x${bytes.toString('hex', at, at + WORD_BYTES)}`)
    if (at + WORD_BYTES > bytes.length || value > bytes.length) throw new RangeError('beyond the calldata')
    return Number(value)
  }
  const list = size(0)
  const heads = list + WORD_BYTES
  return Array.from({ length: size(list) }, (_, i) => {
    const tuple = heads + size(heads + i * WORD_BYTES)
    const data = tuple + size(tuple + 2 * WORD_BYTES)
    const end = data + WORD_BYTES + size(data)
    if (end > bytes.length) throw new RangeError('beyond the calldata')
    return {
      target: `0x${bytes.toString('hex', tuple + ADDRESS_AT, tuple + WORD_BYTES)}`,
      allowFailure: size(tuple + WORD_BYTES) !== 0,
      callData: bytes.subarray(data + WORD_BYTES, end),
    }
  })
}

const result = (call: Uint8Array): string => hex(call.subarray(SELECTOR_BYTES))

const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`
