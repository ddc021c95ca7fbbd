/**
 * Recognizes a pasted text: the family of its chain, and the request member that it belongs in. The explainer
 * decides whether it can be read, and what it does.
 */
import { decodeTransaction } from '../../../../chains/solana/encoding.ts'
import { WireTransaction } from '../../../../chains/solana/wire.ts'
import type { EvmCall, ExplainRequest } from '../../../../explain/types.ts'
import { decodeBase64, encodeBase64 } from '../../../../runtime/base64.ts'

type Asked = Omit<ExplainRequest, 'chain'>

export interface Pasted {
  /** A chain key, if the text is a request to the API's `explain`. */
  readonly chain?: string
  readonly family: 'evm' | 'solana' | 'sui' | 'ton'
  /** The EVM chain's id, if the text names it. */
  readonly chainId: number | null
  readonly asked: Asked
}

/** As many as the gateway takes. */
const MAX_CHARACTERS = 131_072
/** The most bytes of a Solana transaction, of any version. */
export const MAX_SOLANA_BYTES = 4_096
/** The first bytes of a bag of cells: ton-blockchain/ton crypto/tl/boc.tlb. */
const BOC = [0xb5, 0xee, 0x9c, 0x72]

/** @returns null for unrecognized text */
export function readPasted(pasted: string): Pasted | null {
  const text = pasted.trim()
  if (text.length > MAX_CHARACTERS) return null
  if (/^[[{]/.test(text)) return ofJson(parsed(text))
  const hex = /^(?:0x)?((?:[0-9a-f]{2})+)$/i.exec(text)?.[1]
  if (hex !== undefined) {
    const bytes = Uint8Array.from(hex.match(/../g)!, (pair) => Number.parseInt(pair, 16))
    return ofBytes(bytes) ?? ofEvmBytes(bytes, hex)
  }
  const bytes = decodeBase64(text)
  if (bytes !== null) return ofBytes(bytes) ?? { family: 'sui', chainId: null, asked: { transaction: text } }
  const decoded = decodeTransaction(text, 'base58', MAX_SOLANA_BYTES)
  return typeof decoded === 'string' ? null : ofBytes(decoded)
}

/** What begins as no other family's does. */
function ofBytes(bytes: Uint8Array): Pasted | null {
  const isTon = BOC.every((byte, i) => bytes[i] === byte)
  if (!isTon && new WireTransaction().parse(bytes, MAX_SOLANA_BYTES) !== null) return null
  const transaction = encodeBase64(bytes)
  return { family: isTon ? 'ton' : 'solana', chainId: null, asked: { transaction } }
}

/** A serialized transaction begins with its type, or is a list (EIP-2718). */
function ofEvmBytes(bytes: Uint8Array, hex: string): Pasted | null {
  const first = bytes[0]!
  if ((first < 1 || first > 4) && first < 0xc0) return null
  return { family: 'evm', chainId: chainIdOf(bytes), asked: { transaction: `0x${hex}` } }
}

/** The first item of a typed transaction; null for others. */
function chainIdOf(bytes: Uint8Array): number | null {
  if (bytes[0]! > 4) return null
  const at = (bytes[1] ?? 0) < 0xf8 ? 2 : bytes[1]! - 0xf5
  const first = bytes[at] ?? 0x80
  if (first < 0x80) return first
  return bytes.subarray(at + 1, at + 1 + first - 0x80).reduce((value, byte) => value * 256 + byte, 0)
}

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * Typed data, a call or messages: as they are, in the params of a request to a wallet, or as a wallet signs them. They
 * are handed on whole: the explainer says which member it did not read.
 */
function ofJson(value: unknown): Pasted | null {
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every((one) => isObject(one) && 'address' in one && 'amount' in one))
      return { family: 'ton', chainId: null, asked: { messages: value as never } }
    const found = value
      .map((one) => ofJson(typeof one === 'string' && one.startsWith('{') ? parsed(one) : one))
      .filter((one) => one !== null)
    // Of several, all have to be read.
    return found.length === 1 ? found[0]! : null
  }
  if (!isObject(value)) return null
  if (typeof value.chain === 'string' && MEMBERS.some((name) => value[name] != null)) return ofRequest(value)
  if (Array.isArray(value.params)) return ofJson(value.params)
  if (isObject(value.domain) && isObject(value.types)) {
    const chainId = Number(value.domain.chainId ?? 0)
    return { family: 'evm', chainId: chainId || null, asked: { typedData: value } }
  }
  if (Array.isArray(value.messages))
    return { family: 'ton', chainId: null, asked: { messages: value as never } }
  if (typeof value.bytes === 'string') {
    const { bytes, signature, ...others } = value
    return { family: 'sui', chainId: null, asked: { ...others, transaction: bytes as string } }
  }
  const isCall = 'to' in value || 'data' in value || 'input' in value
  return isCall
    ? { family: 'evm', chainId: Number(value.chainId ?? 0) || null, asked: { call: value as EvmCall } }
    : null
}

const MEMBERS = ['transaction', 'call', 'typedData', 'messages'] as const
const OTHER_FAMILIES = ['solana', 'sui', 'ton'] as const

/** The body of `POST /api/explain`, as it is. */
function ofRequest({ chain, ...asked }: Fields): Pasted {
  const family = OTHER_FAMILIES.find((one) => one === chain) ?? 'evm'
  return { family, chain: chain as string, chainId: null, asked }
}
