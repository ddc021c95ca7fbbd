/** Holds what was signed against what was verified. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { decodeBase58, encodeBase58 } from '../../chains/solana/base58.ts'
import { WireTransaction } from '../../chains/solana/wire.ts'
import { decodeBase64 } from '../../runtime/base64.ts'
import type { Send } from './types.ts'

/** What came of it. `id` is the hash or the signature that the chain knows it by; null where the file has none. */
export interface Signed {
  readonly id: string | null
  /** Each with what it should be and what it is. */
  readonly broken: readonly (readonly [rule: string, expected: string, found: string])[]
  /** Why nothing shows what was signed; null where it is bound. */
  readonly notBound: string | null
}

const bound = (id: string): Signed => ({ id, broken: [], notBound: null })
const broken = (id: string | null, rule: string, expected: string, found: string): Signed => ({
  id,
  broken: [[rule, expected, found]],
  notBound: null,
})
const notBound = (id: string | null, why: string): Signed => ({ id, broken: [], notBound: why })

/** @param from  the wallet of the order */
export async function signedOf(body: unknown, send: Send, from: string): Promise<Signed> {
  if (typeof body !== 'string') return notBound(null, 'it is no text: neither a transaction nor its id')
  switch (send.family) {
    case 'evm':
      return signedEvm(body, send, from)
    case 'solana':
      return signedSolana(body, send.transaction, from)
    case 'sui':
    case 'ton':
      return notBound(body, 'what wallets of this chain sign is not read')
  }
}

async function signedEvm(
  body: string,
  { transactions }: Send & { readonly family: 'evm' },
  from: string,
): Promise<Signed> {
  if (/^0x[0-9a-fA-F]{64}$/.test(body))
    return notBound(body.toLowerCase(), 'a hash does not show what was signed: the signed transaction would')
  const { readTransaction } = await import('../../proof/explain/evm.ts')
  const found = await readTransaction({ chain: '', transaction: body })
  if (found === null) return broken(null, 'signed', 'a signed transaction, or its hash', cut(body))
  const id = `0x${bytesToHex(keccak_256(hexToBytes(body.slice(2))))}`
  const swap = transactions.at(-1)!
  for (const [rule, expected, actual] of [
    ['signed_from', from, found.from ?? 'nobody'],
    ['signed_chain', swap.chainId, found.chainId === null ? 'every chain' : hex(found.chainId)],
    ['signed_to', swap.to, found.to ?? 'a new contract'],
    ['signed_value', swap.value, hex(found.value)],
    ['signed_data', swap.data, found.data],
    ['signed_delegation', '0', String(found.authorizations.length)],
  ] as const) {
    if (expected.toLowerCase() !== actual.toLowerCase()) return broken(id, rule, cut(expected), cut(actual))
  }
  return bound(id)
}

const hex = (value: bigint): string => `0x${value.toString(16)}`
const cut = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** The blockhash alone may be another: wallets and relays set a fresh one. */
async function signedSolana(body: string, built: string, from: string): Promise<Signed> {
  const { verifyStrict } = await import('../../chains/solana/signer.ts')
  const expected = wireOf(built)!
  const key = decodeBase58(from, 32)!
  const single = decodeBase58(body, 64)
  if (single?.length === 64) {
    if (verifyStrict(single, messageOf(expected), key)) return bound(body)
    return notBound(body, 'the signature is not over what was built: the signed transaction would show why')
  }
  const wire = wireOf(body)
  if (wire === null) return broken(null, 'signed', 'a signed transaction, or its signature', cut(body))
  const signature = wire.signature(0)
  const id = encodeBase58(signature)
  const [wanted, found] = [undated(expected), undated(wire)].map(bytesToHex) as [string, string]
  if (wanted !== found) return broken(id, 'signed_message', cut(wanted), cut(found))
  if (!verifyStrict(signature, messageOf(wire), key))
    return broken(id, 'signed_from', from, 'a signature that does not verify')
  return bound(id)
}

function wireOf(base64: string): WireTransaction | null {
  const bytes = decodeBase64(base64)
  if (bytes === null) return null
  const wire = new WireTransaction()
  return wire.parse(bytes) === null ? wire : null
}

const messageOf = ({ bytes, messageAt, messageEnd }: WireTransaction): Uint8Array =>
  bytes.subarray(messageAt, messageEnd)

/** The message with a blockhash of zeros. */
function undated(wire: WireTransaction): Uint8Array {
  const message = messageOf(wire).slice()
  message.fill(0, wire.blockhashAt - wire.messageAt, wire.blockhashAt - wire.messageAt + 32)
  return message
}
