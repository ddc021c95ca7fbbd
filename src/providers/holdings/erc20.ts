/**
 * Calls of ERC-20 contracts for a wallet's balances and metadata. Contracts may
 * answer anything: old ones return names as 32 bytes instead of a string, and
 * decimals may be absurd.
 *
 * Source: EIP-20 · MakerDAO's SAI and MKR for bytes32 names
 */
import { isUtf8 } from 'node:buffer'
import * as clean from '../market/clean.ts'
import { encodeAddress, readBytes, readSize, readUint, WORD_BYTES } from './abi.ts'
import type { ContractCall } from './multicall.ts'

/** The first four bytes of the hash of a function's signature. */
const BALANCE_OF = '70a08231'
const DECIMALS = '313ce567'
const SYMBOL = '95d89b41'
const NAME = '06fdde03'

/** No legitimate token has more. */
const MAX_DECIMALS = 36n
const MAX_SYMBOL_LENGTH = 32
const MAX_NAME_LENGTH = 64
/** A longer text counts as no name, instead of being cut. */
const MAX_TEXT_BYTES = 1_024

export type Metadata = ReturnType<typeof readMetadata>

export function balanceCall(token: string, owner: string): ContractCall {
  return { target: token, data: BALANCE_OF + encodeAddress(owner) }
}

/** @returns base units; zero for a call that returned nothing, as a call to an address without code does */
export function readBalance(returned: Buffer): bigint {
  return readUint(returned, 0) ?? 0n
}

/** The calls for decimals, symbol and name, in the order that `readMetadata` expects. */
export function metadataCalls(token: string): readonly ContractCall[] {
  return [DECIMALS, SYMBOL, NAME].map((data) => ({ target: token, data }))
}
/** The number of calls per token. */
export const METADATA_CALLS = 3

/** Reads the results of `metadataCalls`; null for a call that reverted. */
export function readMetadata([decimals, symbol, name]: readonly (Buffer | null)[]) {
  return {
    decimals: decimals ? readDecimals(decimals) : null,
    symbol: symbol ? readText(symbol, MAX_SYMBOL_LENGTH) : null,
    name: name ? readText(name, MAX_NAME_LENGTH) : null,
  }
}

function readDecimals(returned: Buffer): number | null {
  const decimals = readUint(returned, 0)
  return decimals === null || decimals > MAX_DECIMALS ? null : Number(decimals)
}

function readText(returned: Buffer, maxLength: number): string | null {
  const bytes = returned.length === WORD_BYTES ? returned : readString(returned)
  if (bytes === null || bytes.length > MAX_TEXT_BYTES || !isUtf8(bytes)) return null
  // The zeros that pad a bytes32 are control characters, which cleaning removes.
  return clean.text(bytes.toString(), maxLength)
}

function readString(returned: Buffer): Buffer | null {
  const offset = readSize(returned, 0)
  return offset === null ? null : readBytes(returned, offset)
}
