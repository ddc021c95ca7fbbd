/** Compares what was signed with what was verified. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { EVM_CHAINS } from '../../chains/find.ts'
import { quantity } from '../../chains/json/quantity.ts'
import { decodeBase58, encodeBase58 } from '../../chains/solana/base58.ts'
import { WireTransaction } from '../../chains/solana/wire.ts'
import { boundOf } from '../../explain/ledger.ts'
import { decodeBase64 } from '../../runtime/base64.ts'
import type { Findings } from './findings.ts'
import type { Confirmed, Send, Trade } from './types.ts'

/** `id` is the hash or signature by which the chain knows it; null if the file has none. */
export interface Signed {
  readonly id: string | null
  /** It has the blockhash that was built: wallets and relays set a fresh one, which alone may differ. */
  readonly isAsBuilt: boolean
}

/** A wallet sets its own gas, with room for higher prices when it lands. */
const GAS_ROOM = 10n

const known = (id: string | null, isAsBuilt = false): Signed => ({ id, isAsBuilt })

/** @param body  of the part */
export async function signedOf(
  { order, built }: Trade,
  { send }: Confirmed,
  body: unknown,
  found: Findings,
): Promise<Signed> {
  if (typeof body !== 'string') {
    found.leave('signed', 'it is no text: neither a transaction nor its id')
    return known(null)
  }
  switch (send.family) {
    case 'evm':
      return signedEvm(body, send, order, built.body, found)
    case 'solana':
      return signedSolana(body, send.transaction, order.from, found)
    case 'sui':
    case 'ton':
      found.leave('signed', 'what wallets of this chain sign is not read')
      return known(body)
  }
}

async function signedEvm(
  body: string,
  { transactions, chainId }: Send & { readonly family: 'evm' },
  { from }: Trade['order'],
  answer: unknown,
  found: Findings,
): Promise<Signed> {
  if (/^0x[0-9a-fA-F]{64}$/.test(body)) {
    found.leave('signed', 'a hash does not show what was signed: the signed transaction would')
    return known(body)
  }
  const { readSerialized } = await import('../../explain/evm/envelope.ts')
  const read = body.startsWith('0x') ? await readSerialized(body) : null
  if (read === null) {
    found.expect(false, 'signed', 'signed', 'a signed transaction, or its hash', body)
    return known(null)
  }
  const swap = transactions.at(-1)!
  for (const [rule, expected, actual] of [
    ['signed_from', from, read.from ?? 'nobody'],
    ['signed_chain', swap.chainId, read.chainId === null ? 'every chain' : quantity(read.chainId)],
    ['signed_to', swap.to, read.to ?? 'a new contract'],
    ['signed_value', swap.value, quantity(read.value)],
    ['signed_data', swap.data, read.data],
    ['signed_delegation', '0', String(read.authorizations.length)],
  ] as const) {
    found.expect(expected.toLowerCase() === actual.toLowerCase(), 'signed', rule, expected, actual)
  }
  for (const why of read.unread) found.leave('signed', why)
  bindGas((read.gas ?? 0n) * (read.price ?? 0n), chainId, answer, found)
  return known(`0x${bytesToHex(keccak_256(hexToBytes(body.slice(2))))}`)
}

/** The most that it pays for gas, checked against the answer, and against the bound for thefts. */
function bindGas(fee: bigint, chainId: number, answer: unknown, found: Findings): void {
  const { theft } = boundOf(EVM_CHAINS.find((chain) => chain.chainId === chainId)!)
  found.expect(fee < theft, 'signed', 'signed_gas', `less than ${theft} wei for gas`, String(fee))
  const { costs } = Object(answer) as { readonly costs?: unknown }
  const shown = Array.isArray(costs) ? costs.find((cost) => cost?.kind === 'network_fee')?.amount : null
  const isShown = typeof shown === 'string' && /^\d{1,30}$/.test(shown) && fee <= BigInt(shown) * GAS_ROOM
  if (!isShown) found.leave('signed', `what was built does not show gas of up to ${fee} wei`)
}

/** The blockhash alone may be another. */
async function signedSolana(body: string, built: string, from: string, found: Findings): Promise<Signed> {
  const { verifyStrict } = await import('../../chains/solana/signatures/signer.ts')
  const expected = wireOf(built)!
  const key = decodeBase58(from, 32)!
  const single = decodeBase58(body, 64)
  if (single?.length === 64) {
    const isAsBuilt = verifyStrict(single, messageOf(expected), key)
    if (!isAsBuilt)
      found.leave('signed', 'the signature is not over what was built: the signed transaction would show why')
    return known(body, isAsBuilt)
  }
  const wire = wireOf(body)
  if (wire === null) {
    found.expect(false, 'signed', 'signed', 'a signed transaction, or its signature', body)
    return known(null)
  }
  const [wanted, actual] = [withoutBlockhash(expected), withoutBlockhash(wire)].map(bytesToHex) as [
    string,
    string,
  ]
  found.expect(wanted === actual, 'signed', 'signed_message', wanted, actual)
  const signature = wire.signature(0)
  const isSigned = verifyStrict(signature, messageOf(wire), key)
  found.expect(isSigned, 'signed', 'signed_from', from, 'a signature that does not verify')
  const isAsBuilt = bytesToHex(messageOf(expected)) === bytesToHex(messageOf(wire))
  return known(encodeBase58(signature), isAsBuilt)
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
function withoutBlockhash(wire: WireTransaction): Uint8Array {
  const message = messageOf(wire).slice()
  message.fill(0, wire.blockhashAt - wire.messageAt, wire.blockhashAt - wire.messageAt + 32)
  return message
}
