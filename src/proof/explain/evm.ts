/**
 * Explains an EVM transaction: its envelope here, its call by evm-calls.ts. A selector says what a function is
 * called, not what a contract does: a call is known only where the function's meaning is a standard's, or the
 * contract is one that the proofs know.
 *
 * Source: EIP-155, EIP-2718, EIP-2930, EIP-1559, EIP-4844, EIP-7702 (envelopes)
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { RLP } from 'micro-eth-signer/core/rlp.js'
import type { CallReader } from './evm-args.ts'
import { type EvmTransaction, readCall } from './evm-call.ts'
import { callReader } from './evm-calls.ts'
import { canonical, type EvmContext, isOn } from './evm-context.ts'
import type { Findings } from './findings.ts'
import { costs, hands, pays } from './ledger.ts'
import { decodeRlp, type Item } from './rlp.ts'
import type { ExplainRequest } from './types.ts'

/** @throws RangeError  for what is longer than 256 bits, or not in its shortest form: nodes refuse it */
function numberOf(item: Item | undefined): bigint {
  if (!(item instanceof Uint8Array) || item.length > 32 || item[0] === 0) throw new RangeError('number')
  return item.length === 0 ? 0n : BigInt(`0x${bytesToHex(item)}`)
}

/** @param v  of a legacy transaction (EIP-155) @returns null where it is good on every chain */
const chainIdOf = (v: bigint): bigint | null => (v < 35n ? null : (v - 35n) / 2n)

/** The number of fields of each envelope without its signature, and the index of each field; 0 is legacy. */
const FIELDS: Readonly<
  Record<
    number,
    { readonly count: number; readonly gas: number; readonly price: number; readonly list?: number }
  >
> = {
  0: { count: 6, price: 1, gas: 2 },
  1: { count: 8, price: 2, gas: 3 },
  2: { count: 9, price: 3, gas: 4 },
  3: { count: 11, price: 3, gas: 4 },
  4: { count: 10, price: 3, gas: 4, list: 9 },
}
const SIGNATURE_FIELDS = 3

/** @returns null for what is none */
export const readTransaction = async ({
  transaction,
  call,
}: ExplainRequest): Promise<EvmTransaction | null> =>
  call === undefined ? deserialized(transaction!) : readCall(call)

/**
 * @param hex  a serialized transaction, signed or not
 * @returns null for what is none; `chainId` is null where the bytes name none
 */
async function deserialized(hex: string): Promise<EvmTransaction | null> {
  try {
    const bytes = hexToBytes(hex.replace(/^0x/, ''))
    const type = bytes[0]! < 0x80 ? bytes[0]! : 0
    const fields = FIELDS[type]
    const items = decodeRlp(type === 0 ? bytes : bytes.subarray(1))
    if (fields === undefined || items === null || items instanceof Uint8Array) return null
    const { count, gas, price } = fields
    if (items.length !== count && items.length !== count + SIGNATURE_FIELDS) return null
    const [to, value, data] = [items[gas + 1], items[gas + 2], items[gas + 3]]
    if (!(to instanceof Uint8Array && data instanceof Uint8Array)) return null
    if (type !== 0 && !isAccessList(items[gas + 4])) return null
    numberOf(items[type === 0 ? 0 : 1])
    return {
      chainId: type === 0 ? legacyChainOf(items) : numberOf(items[0]),
      from: isSigned(items, count) ? await signerOf(type, items) : null,
      to: to.length === 0 ? null : addressOf(to),
      value: numberOf(value),
      data: `0x${bytesToHex(data)}`,
      fee: numberOf(items[price]) * numberOf(items[gas]),
      authorizations: fields.list === undefined ? [] : authorizationsOf(items[fields.list]),
      unread: type === 3 ? ['what its blobs cost and hold is not read'] : [],
      malformed: [],
    }
  } catch {
    return null
  }
}

/** @throws RangeError  for what is none */
function addressOf(item: Item | undefined): string {
  if (!(item instanceof Uint8Array && item.length === 20)) throw new RangeError('address')
  return canonical(`0x${bytesToHex(item)}`)!
}

/** @throws RangeError */
function authorizationsOf(list: Item | undefined): EvmTransaction['authorizations'] {
  if (list === undefined || list instanceof Uint8Array) throw new RangeError('list')
  return list.map((one) => {
    if (one instanceof Uint8Array || one.length !== 6) throw new RangeError('authorization')
    return { chainId: numberOf(one[0]), address: addressOf(one[1]) }
  })
}

const isAccessList = (list: Item | undefined): boolean =>
  Array.isArray(list) &&
  list.every(
    (entry) =>
      Array.isArray(entry) &&
      entry.length === 2 &&
      entry[0]?.length === 20 &&
      Array.isArray(entry[1]) &&
      entry[1].every((key) => key instanceof Uint8Array && key.length === 32),
  )

/** An unsigned one ends with its own fields, or with the chain's id and two zeros. */
function isSigned(items: readonly Item[], count: number): boolean {
  return items.length > count && numberOf(items.at(-1)) > 0n
}

function legacyChainOf(items: readonly Item[]): bigint | null {
  if (items.length === FIELDS[0]!.count) return null
  const v = numberOf(items[6])
  return isSigned(items, FIELDS[0]!.count) ? chainIdOf(v) : v
}

/** @returns null where the signature is nobody's */
async function signerOf(type: number, items: readonly Item[]): Promise<string | null> {
  const [v, r, s] = (items.slice(-3) as readonly Uint8Array[]).map(numberOf)
  const chainId = type === 0 ? chainIdOf(v!) : null
  const none = new Uint8Array()
  const signed = [...items.slice(0, -3), ...(chainId === null ? [] : [bytesOf(chainId), none, none])]
  const bytes = RLP.encode(signed as never)
  const hash = keccak_256(type === 0 ? bytes : concatBytes(Uint8Array.of(type), bytes))
  const { recoverSigner } = await import('./evm-signer.ts')
  return recoverSigner(hash, r!, s!, type !== 0 ? v! : chainId === null ? v! - 27n : (v! - 35n) % 2n)
}

function bytesOf(value: bigint): Uint8Array {
  const digits = value.toString(16)
  return hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`)
}

/** Explains a transaction, serialized or not, or typed data. */
export async function explainEvm(request: ExplainRequest, context: EvmContext): Promise<void> {
  const { typedData, abi = [] } = request
  const read = callReader({ ...context, signatures: new Map() }, abi)
  if (typedData !== undefined) {
    const { explainTyped } = await import('./evm-typed.ts')
    return explainTyped(typedData, context, read)
  }
  const batch = batchOf(request, context.found)
  if (batch === null) return readOne(request, 'call', context, read)
  for (const [i, one] of batch.entries()) await readOne(one, `calls[${i}]`, context, read)
}

/**
 * The calls of an EIP-5792 batch, which have its sender and chain in common; null for what is none. Wallets read
 * nothing else beside them, or that alone: it is left unread.
 */
function batchOf(request: ExplainRequest, found: Findings): readonly ExplainRequest[] | null {
  const { calls, version, id, atomicRequired, from, chainId, ...beside } = request.call ?? {}
  if (!Array.isArray(calls)) return null
  for (const name of given(beside)) found.leave('call', `\`${name}\` beside \`calls\` is not read`)
  const common = { ...(from != null && { from }), ...(chainId != null && { chainId }) }
  return calls.map((one, i) => {
    for (const name of given({ from: one?.from, chainId: one?.chainId }))
      found.leave(`calls[${i}]`, `its own \`${name}\` is not read: the batch has one for all`)
    return { ...request, call: { ...one, ...common } }
  })
}

const given = (members: object): string[] =>
  Object.entries(members).flatMap(([name, value]) => (value == null ? [] : [name.slice(0, 64)]))

async function readOne(
  request: ExplainRequest,
  where: string,
  context: EvmContext,
  read: CallReader,
): Promise<void> {
  const { found, chain } = context
  const parsed = await readTransaction(request)
  if (parsed === null)
    return found.leave('transaction', 'it is no transaction of this chain, or has another spelling')
  const { chainId, unread, malformed } = parsed
  for (const why of unread) found.leave('transaction', why)
  for (const what of malformed) found.risk('malformed', what, 'danger', true)
  if (!isOn(chain, chainId)) found.risk('other_chain', `It is for chain ${chainId}.`, 'danger', true)
  // What is not serialized gets the wallet's own chain.
  if (chainId === null && request.transaction !== undefined)
    found.risk('every_chain', 'Signed, the transaction is good on every chain.', 'warning', true)
  await explainTransaction(parsed, where, context, read)
}

/** Explains what the transaction itself says, and its call. */
function explainTransaction(
  transaction: EvmTransaction,
  where: string,
  context: EvmContext,
  read: CallReader,
): Promise<void> {
  const { found } = context
  const { from, to, data, value, fee, authorizations } = transaction
  found.owner ??= from
  if (from !== null && !found.isOwn(from)) found.risk('not_signer', `${from} sends this.`, 'warning', true)
  for (const { chainId, address } of authorizations) delegates(chainId, address, found)
  if (fee !== null) found.state(costs(found.owner, 'native', fee, null, { what: 'gas' }), true)
  if (to !== null) return read({ where, from: found.owner, to, value, data, depth: 0 })
  if (authorizations.length > 0 && data === '0x') return Promise.resolve()
  const paid = value === 0n ? [] : [pays(found.owner, 'native', value, null)]
  found.act('deploy', 'creates a contract', { from: found.owner, amount: String(value) }, paid)
  found.leave(where, 'what the new contract does is its code', hexToBytes(data.slice(2)))
  return Promise.resolve()
}

/** EIP-7702: it stays, also where the call reverts. */
function delegates(chainId: bigint, address: string | null, found: Findings): void {
  const isCleared = address !== null && BigInt(address) === 0n
  const words = isCleared
    ? "ends the delegation of the account's code"
    : `makes the account run the code of ${address}`
  const where = chainId === 0n ? 'on every chain' : `on chain ${chainId}`
  const reason = `${address} decides over the whole account, ${where}, until it is taken back.`
  const power = hands(found.owner, found.owner, address, 'the whole account', 'delegated_account', { reason })
  found.act(
    isCleared ? 'revoke' : 'delegation',
    words,
    { from: found.owner, to: address },
    isCleared ? [] : [power],
  )
}
