/**
 * An account as a node shows it, in its five encodings. The only programs whose data is parsed are SPL Token
 * and Token-2022: under jsonParsed other data stays base64, as on a node that has no parser for the program.
 *
 * Source: anza-xyz/agave account-decoder/src/lib.rs
 */

import { encodeBase58 } from '../../chains/solana/base58.ts'
import type { Json, JsonObject } from './ledger/json.ts'
import { invalidParams, type RpcConfig, RpcError, readCount, readWord } from './ledger/params.ts'
import { parseTokenData, type ReadAccount } from './ledger/tokens.ts'
import type { Account } from './ledger/vm.ts'

/** MAX_BASE58_BYTES: beyond it a node refuses, because base58 takes quadratic time. */
const MAX_BASE58_BYTES = 128
/** Zstandard's Block_Maximum_Size. */
const MAX_BLOCK_BYTES = 0x20000

const ENCODINGS = ['binary', 'base58', 'base64', 'base64+zstd', 'jsonParsed'] as const
type Encoding = (typeof ENCODINGS)[number]

interface AccountForm {
  readonly encoding: Encoding
  readonly slice: { readonly offset: number; readonly length: number } | undefined
}

export function readAccountForm(config: RpcConfig, fallback: Encoding): AccountForm {
  const encoding = readWord(config.encoding, ENCODINGS, 'encoding') ?? fallback
  const slice = config.dataSlice ?? undefined
  if (slice === undefined) return { encoding, slice }
  const offset = typeof slice === 'object' ? readCount(slice as RpcConfig, 'offset') : undefined
  const length = typeof slice === 'object' ? readCount(slice as RpcConfig, 'length') : undefined
  if (offset === undefined || length === undefined) {
    throw invalidParams('Invalid params: `dataSlice` must have an offset and a length.')
  }
  return { encoding, slice: { offset, length } }
}

/** @throws -32600  base58 of more than 128 bytes (P11) */
export function encodeAccount(account: Account, form: AccountForm, read: ReadAccount): JsonObject {
  return {
    lamports: account.lamports,
    data: encodeData(account, form, read),
    owner: encodeBase58(account.owner),
    executable: account.executable,
    rentEpoch: account.rentEpoch,
    space: account.data.length,
  }
}

/** The account at an address; null without one. */
export function encodeOrNull(address: Uint8Array, form: AccountForm, read: ReadAccount): Json {
  const account = read(address)
  return account === null ? null : encodeAccount(account, form, read)
}

function encodeData(account: Account, { encoding, slice }: AccountForm, read: ReadAccount): Json {
  if (encoding === 'jsonParsed') {
    const parsed = parseTokenData(account, read)
    if (parsed !== null) return parsed
  }
  const { data } = account
  const bytes = slice === undefined ? data : data.subarray(slice.offset, slice.offset + slice.length)
  switch (encoding) {
    case 'binary':
      return encodeShort(bytes)
    case 'base58':
      return [encodeShort(bytes), 'base58']
    case 'base64+zstd':
      return [storeZstd(bytes).toString('base64'), 'base64+zstd']
    default:
      return [Buffer.from(bytes).toString('base64'), 'base64']
  }
}

function encodeShort(bytes: Uint8Array): string {
  if (bytes.length > MAX_BASE58_BYTES) {
    throw new RpcError(
      -32600,
      `Encoded binary (base 58) data should be less than ${MAX_BASE58_BYTES} bytes, please use Base64 encoding.`,
    )
  }
  return encodeBase58(bytes)
}

/**
 * A Zstandard frame whose blocks are stored, not compressed; any decoder takes it. Node 20 has no encoder.
 *
 * Source: RFC 8878 §3.1.1
 */
function storeZstd(bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(9)
  header.writeUInt32LE(0xfd2fb528)
  header[4] = 0xa0 // one segment, content size in four bytes
  header.writeUInt32LE(bytes.length, 5)
  const parts: Uint8Array[] = [header]
  for (let at = 0, last = false; !last; at += MAX_BLOCK_BYTES) {
    const block = bytes.subarray(at, at + MAX_BLOCK_BYTES)
    last = at + block.length === bytes.length
    const head = Buffer.alloc(3)
    head.writeUIntLE(block.length * 8 + (last ? 1 : 0), 0, 3)
    parts.push(head, block)
  }
  return Buffer.concat(parts)
}
