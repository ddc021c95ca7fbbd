/**
 * Reads and checks a pasted transaction before it is sent, with the relay's own code:
 * its decoder, parser, signature check and messages. Nothing that only the chain
 * knows is checked here.
 */

import { encodeBase58 } from '../../../../chains/solana/base58.ts'
import { decodeTransaction } from '../../../../chains/solana/encoding.ts'
import { durableNonceOf } from '../../../../chains/solana/nonce.ts'
import type { TransactionRefusal } from '../../../../chains/solana/refusals.ts'
import { verifyStrict } from '../../../../chains/solana/signatures/signer.ts'
import { MAX_TRANSACTION_BYTES } from '../../../../chains/solana/sizes.ts'
import { WireTransaction } from '../../../../chains/solana/wire.ts'
import { V1 } from '../../../../chains/solana/wire-v1.ts'
import { describeRefusal, PREFLIGHT_REQUIRED } from '../../../../relay/submissions/refusals.ts'

export const ENCODINGS = ['base64', 'base58', 'hex'] as const
export type TextEncoding = (typeof ENCODINGS)[number]

export type SignatureState = 'holds' | 'missing' | 'invalid'

/** The relay's refusal of a transaction: code and message. */
export interface PredictedRefusal {
  readonly code: TransactionRefusal | 'preflight_required'
  readonly message: string
}

export interface SentText {
  readonly text: string
  /** The relay's encoding; hexadecimal input is sent as base64. */
  readonly encoding: 'base64' | 'base58'
}

export interface PastedTransaction {
  readonly encoding: TextEncoding
  readonly sent: SentText
  /** Null if the text does not decode. */
  readonly bytes: Uint8Array | null
  /** The most bytes that the relay forwards of such a transaction. */
  readonly maxBytes: number
  /** Null if a validator would not accept the bytes as a transaction. */
  readonly wire: WireTransaction | null
  /** One state per required signature, in the signers' order. */
  readonly signatures: readonly SignatureState[]
  readonly isDurableNonce: boolean
  /** Null: as far as the bytes show, the relay forwards it. */
  readonly refusal: PredictedRefusal | null
}

/**
 * @param encoding    null: detected from the text
 * @param maxV1Bytes  the most bytes of a transaction of version 1 that the relay forwards
 */
export function readTransaction(
  pasted: string,
  encoding: TextEncoding | null,
  maxV1Bytes: number = MAX_TRANSACTION_BYTES,
): PastedTransaction {
  const text = pasted.trim()
  return readAs(text, encoding ?? detect(text, maxV1Bytes), maxV1Bytes)
}

/** The relay's expected refusal; null: it forwards. The relay checks the options after parsing, before the signatures. */
export function predict(
  { refusal, wire }: PastedTransaction,
  skipPreflight: boolean,
): PredictedRefusal | null {
  return skipPreflight && wire !== null
    ? { code: 'preflight_required', message: PREFLIGHT_REQUIRED }
    : refusal
}

/** Which signers' signatures are wrong, and why; empty if all hold. */
export function signatureFaults({ wire, signatures }: PastedTransaction): readonly string[] {
  return signatures.flatMap((state, i) => {
    if (state === 'holds') return []
    const what = state === 'missing' ? 'has not signed' : 'its signature does not verify'
    return [`Signer ${i + 1} of ${signatures.length}, ${encodeBase58(wire!.key(i))}: ${what}.`]
  })
}

function readAs(text: string, encoding: TextEncoding, maxV1Bytes: number): PastedTransaction {
  const sent = sentText(text, encoding)
  const bytes =
    sent === null ? 'transaction_encoding_invalid' : decodeTransaction(sent.text, sent.encoding, maxV1Bytes)
  const refusalOf = (code: TransactionRefusal): PredictedRefusal => ({
    code,
    message: describeRefusal(code, maxV1Bytes),
  })
  const maxBytes = bytes[0] === V1 ? maxV1Bytes : MAX_TRANSACTION_BYTES
  const nothing = { wire: null, signatures: [], isDurableNonce: false }
  const base = { encoding, sent: sent ?? { text, encoding: 'base64' }, maxBytes } as const
  if (typeof bytes === 'string') return { ...base, ...nothing, bytes: null, refusal: refusalOf(bytes) }
  const wire = new WireTransaction()
  const refused = wire.parse(bytes, maxV1Bytes)
  if (refused !== null) return { ...base, ...nothing, bytes, refusal: refusalOf(refused) }
  const signatures = signaturesOf(wire)
  const code = signatures.includes('missing')
    ? 'transaction_not_signed'
    : signatures.includes('invalid')
      ? 'signature_invalid'
      : null
  const refusal = code === null ? null : refusalOf(code)
  return { ...base, bytes, wire, signatures, isDurableNonce: durableNonceOf(wire) !== null, refusal }
}

function signaturesOf(wire: WireTransaction): readonly SignatureState[] {
  const message = wire.message()
  return Array.from({ length: wire.signatureCount }, (_, i) => {
    const signature = wire.signature(i)
    if (signature.every((byte) => byte === 0)) return 'missing'
    return verifyStrict(signature, message, wire.key(i)) ? 'holds' : 'invalid'
  })
}

/**
 * Detects the encoding of a text that may be valid in several: the one that gives a
 * transaction, else the first that decodes at all, else base64.
 */
function detect(text: string, maxV1Bytes: number): TextEncoding {
  const read = [...ENCODINGS].reverse().map((encoding) => readAs(text, encoding, maxV1Bytes))
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
