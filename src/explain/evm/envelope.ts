/**
 * Reads the envelope of a serialized EVM transaction.
 *
 * Source: EIP-155, EIP-2718, EIP-2930, EIP-1559, EIP-4844, EIP-7702
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { RLP } from 'micro-eth-signer/core/rlp.js'
import type { EvmTransaction } from './call.ts'
import { canonical } from './context.ts'

/** What RLP holds: bytes, or a list. */
type Item = Uint8Array | readonly Item[]

/** The most items and lists: an access list of a thousand slots has a tenth of it. */
const MAX_ITEMS = 8_192

const itemsIn = (item: Item): number =>
  item instanceof Uint8Array ? 1 : item.reduce((sum, one) => sum + itemsIn(one), 1)

/** @throws RangeError  if it is longer than 256 bits, or not in its shortest form: nodes refuse it */
function numberOf(item: Item | undefined): bigint {
  if (!(item instanceof Uint8Array) || item.length > 32 || item[0] === 0) throw new RangeError('number')
  return item.length === 0 ? 0n : BigInt(`0x${bytesToHex(item)}`)
}

/** @param v  of a legacy transaction (EIP-155) @returns null if it is good on every chain */
const chainIdOf = (v: bigint): bigint | null => (v < 35n ? null : (v - 35n) / 2n)

/** The number of fields of each envelope without its signature, and the index of each field; 0 is legacy. */
const FIELDS: Readonly<Record<number, { count: number; gas: number; price: number; list?: number }>> = {
  0: { count: 6, price: 1, gas: 2 },
  1: { count: 8, price: 2, gas: 3 },
  2: { count: 9, price: 3, gas: 4 },
  3: { count: 11, price: 3, gas: 4 },
  4: { count: 10, price: 3, gas: 4, list: 9 },
}
const SIGNATURE_FIELDS = 3

/**
 * @param hex  a serialized transaction, signed or not
 * @returns null if it isn't one; `chainId` is null if the bytes name none
 */
export async function readSerialized(hex: string): Promise<EvmTransaction | null> {
  try {
    const bytes = hexToBytes(hex.replace(/^0x/, ''))
    const type = bytes[0]! < 0x80 ? bytes[0]! : 0
    const fields = FIELDS[type]
    // As nodes read it: each length in its shortest form, and nothing after the end.
    const items = RLP.decode(type === 0 ? bytes : bytes.subarray(1)) as Item
    if (fields === undefined || items instanceof Uint8Array || itemsIn(items) > MAX_ITEMS) return null
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
      gas: numberOf(items[gas]),
      price: numberOf(items[price]),
      authorizations: fields.list === undefined ? [] : authorizationsOf(items[fields.list]),
      unread: type === 3 ? ['what its blobs cost and hold is not read'] : [],
      malformed: [],
    }
  } catch {
    return null
  }
}

/** @throws RangeError  if it isn't one */
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

/** @returns null if the signature is nobody's */
async function signerOf(type: number, items: readonly Item[]): Promise<string | null> {
  const [v, r, s] = (items.slice(-3) as readonly Uint8Array[]).map(numberOf)
  const chainId = type === 0 ? chainIdOf(v!) : null
  const none = new Uint8Array()
  const signed = [...items.slice(0, -3), ...(chainId === null ? [] : [bytesOf(chainId), none, none])]
  const bytes = RLP.encode(signed as never)
  const hash = keccak_256(type === 0 ? bytes : concatBytes(Uint8Array.of(type), bytes))
  const { recoverSigner } = await import('./signer.ts')
  return recoverSigner(hash, r!, s!, type !== 0 ? v! : chainId === null ? v! - 27n : (v! - 35n) % 2n)
}

function bytesOf(value: bigint): Uint8Array {
  const digits = value.toString(16)
  return hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`)
}
