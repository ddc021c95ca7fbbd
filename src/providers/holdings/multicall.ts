/**
 * Encodes and decodes Multicall3's `aggregate3`: many read-only calls in one
 * eth_call, each of which may fail on its own.
 *
 *   call    selector | 0x20 | count | offset x count | tuple x count
 *   tuple   target | allowFailure | 0x60 | length | calldata, padded
 *   answer  0x20 | count | offset x count | tuple x count
 *   tuple   success | 0x40 | length | returned bytes, padded
 *
 * Offsets to tuples count from the word after the count, offsets to bytes from the
 * first word of their tuple.
 *
 * Source: mds1/multicall3 src/Multicall3.sol · Solidity documentation, "Contract ABI Specification"
 */
import { encodeAddress, encodeSize, readBytes, readSize, WORD_BYTES } from './abi.ts'

/** `aggregate3((address,bool,bytes)[])` */
const AGGREGATE3 = '82ad56cb'
const ALLOW_FAILURE = 1
const CALLDATA_OFFSET = 3 * WORD_BYTES

export interface ContractCall {
  /** The contract, 0x hex. */
  readonly target: string
  /** Calldata, hex without 0x. */
  readonly data: string
}

/** @returns calldata, 0x hex */
export function encodeAggregate3(calls: readonly ContractCall[]): string {
  const tuples = calls.map(encodeCall)
  let offset = calls.length * WORD_BYTES
  const offsets = tuples.map((tuple) => {
    const at = offset
    offset += tuple.length / 2
    return encodeSize(at)
  })
  return `0x${AGGREGATE3}${encodeSize(WORD_BYTES)}${encodeSize(calls.length)}${offsets.join('')}${tuples.join('')}`
}

function encodeCall({ target, data }: ContractCall): string {
  const bytes = data.length / 2
  const padded = data.padEnd(Math.ceil(bytes / WORD_BYTES) * WORD_BYTES * 2, '0')
  const head = encodeAddress(target) + encodeSize(ALLOW_FAILURE) + encodeSize(CALLDATA_OFFSET)
  return head + encodeSize(bytes) + padded
}

/**
 * @param answer  0x hex
 * @param count   the number of calls
 * @returns the bytes that each call returned, null for a failed call; null unless this answers `count` calls
 */
export function decodeAggregate3(answer: string, count: number): readonly (Buffer | null)[] | null {
  const bytes = Buffer.from(answer.slice(2), 'hex')
  const list = readSize(bytes, 0)
  if (list === null || readSize(bytes, list) !== count) return null
  const heads = list + WORD_BYTES
  const results: (Buffer | null)[] = []
  for (let i = 0; i < count; i++) {
    const offset = readSize(bytes, heads + i * WORD_BYTES)
    const result = offset === null ? null : readResult(bytes, heads + offset)
    if (result === null) return null
    results.push(result.success ? result.returned : null)
  }
  return results
}

function readResult(bytes: Buffer, tuple: number): { success: boolean; returned: Buffer } | null {
  const success = readSize(bytes, tuple)
  const offset = readSize(bytes, tuple + WORD_BYTES)
  const returned = offset === null ? null : readBytes(bytes, tuple + offset)
  if (returned === null || (success !== 0 && success !== 1)) return null
  return { success: success === 1, returned }
}
