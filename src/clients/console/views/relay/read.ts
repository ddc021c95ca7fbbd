/**
 * A pasted transaction, read and judged before it is sent, by the very code that
 * the relay judges it with: its decoder, its parser, its verifier and its
 * sentences. What only the chain knows is not judged here.
 */

import { encodeBase58 } from '../../../../chains/solana/base58.ts'
import { decodeTransaction } from '../../../../chains/solana/encoding.ts'
import type { TransactionRefusal } from '../../../../chains/solana/refusals.ts'
import { verifyStrict } from '../../../../chains/solana/signer.ts'
import { WireTransaction } from '../../../../chains/solana/wire.ts'
import { isDurableNonce } from '../../../../relay/nonce.ts'
import { describeRefusal, PREFLIGHT_REQUIRED } from '../../../../relay/refusals.ts'

export const ENCODINGS = ['base64', 'base58', 'hex'] as const
export type TextEncoding = (typeof ENCODINGS)[number]

export type SignatureState = 'holds' | 'missing' | 'invalid'

/** Why the relay would refuse it: its code, and its sentence. */
export interface Refusal {
  readonly code: TransactionRefusal | 'preflight_required'
  readonly message: string
}

export interface SentText {
  readonly text: string
  /** As the relay takes it: hexadecimal digits are sent as base64. */
  readonly encoding: 'base64' | 'base58'
}

export interface Reading {
  readonly encoding: TextEncoding
  readonly sent: SentText
  /** Null where the text does not decode. */
  readonly bytes: Uint8Array | null
  /** Null where the bytes are not a transaction that a validator would take. */
  readonly wire: WireTransaction | null
  /** One for each required signature, in the order of the signers. */
  readonly signatures: readonly SignatureState[]
  readonly isDurableNonce: boolean
  /** Null: from all that the bytes tell, the relay forwards it. */
  readonly refusal: Refusal | null
}

/** @param encoding  null: whichever of them the text reads as */
export function readTransaction(pasted: string, encoding: TextEncoding | null): Reading {
  const text = pasted.trim()
  return readAs(text, encoding ?? detect(text))
}

/** What the relay would say of it, sent so: it looks at the options once it has parsed the transaction, before its signatures. */
export function predict({ refusal, wire }: Reading, skipPreflight: boolean): Refusal | null {
  return skipPreflight && wire !== null
    ? { code: 'preflight_required', message: PREFLIGHT_REQUIRED }
    : refusal
}

function readAs(text: string, encoding: TextEncoding): Reading {
  const sent = sentText(text, encoding)
  const bytes = sent === null ? 'transaction_encoding_invalid' : decodeTransaction(sent.text, sent.encoding)
  const nothing = { wire: null, signatures: [], isDurableNonce: false }
  const base = { encoding, sent: sent ?? { text, encoding: 'base64' } } as const
  if (typeof bytes === 'string') return { ...base, ...nothing, bytes: null, refusal: refusalOf(bytes) }
  const wire = new WireTransaction()
  const refused = wire.parse(bytes)
  if (refused !== null) return { ...base, ...nothing, bytes, refusal: refusalOf(refused) }
  const signatures = signaturesOf(wire)
  const code = signatures.includes('missing')
    ? 'transaction_not_signed'
    : signatures.includes('invalid')
      ? 'signature_invalid'
      : null
  const refusal = code === null ? null : refusalOf(code)
  return { ...base, bytes, wire, signatures, isDurableNonce: isDurableNonce(wire), refusal }
}

const refusalOf = (code: TransactionRefusal): Refusal => ({ code, message: describeRefusal(code) })

function signaturesOf(wire: WireTransaction): readonly SignatureState[] {
  const message = wire.message()
  return Array.from({ length: wire.signatureCount }, (_, i) => {
    const signature = wire.signature(i)
    if (signature.every((byte) => byte === 0)) return 'missing'
    return verifyStrict(signature, message, wire.key(i)) ? 'holds' : 'invalid'
  })
}

/**
 * A text can be in several of the encodings: it is the one in which it is a
 * transaction, else the first in which it decodes at all, else base64.
 */
function detect(text: string): TextEncoding {
  const read = [...ENCODINGS].reverse().map((encoding) => readAs(text, encoding))
  const found = read.find(({ wire }) => wire !== null) ?? read.find(({ bytes }) => bytes !== null)
  return found?.encoding ?? 'base64'
}

const HEX = /^(?:0x)?((?:[0-9a-f]{2})+)$/i

function sentText(text: string, encoding: TextEncoding): SentText | null {
  if (encoding !== 'hex') return { text, encoding }
  const digits = HEX.exec(text)?.[1]
  if (digits === undefined) return null
  const bytes = digits.match(/../g)!.map((pair) => String.fromCharCode(Number.parseInt(pair, 16)))
  return { text: btoa(bytes.join('')), encoding: 'base64' }
}

/** A transaction's name: its first signature, base58. */
export const nameOf = (wire: WireTransaction): string => encodeBase58(wire.signature(0))
