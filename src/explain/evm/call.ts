/**
 * Reads an unserialized EVM transaction, as `eth_sendTransaction` takes it: each of its members, or it
 * reports which was not read. Wallets and nodes act on members that a reader skips.
 *
 * Source: ethereum/execution-apis src/schemas/transaction.yaml (GenericTransaction)
 */
import { type Fields, isFields } from '../../chains/json/fields.ts'
import { canonical } from './context.ts'

/** An unserialized transaction, as far as it was read. */
export type EvmTransaction = NonNullable<ReturnType<typeof readCall>>

const HEX = /^0x(?:[0-9a-fA-F]{2})*$/
const HEX_QUANTITY = /^0x[0-9a-fA-F]{1,64}$/
const DECIMAL = /^(?:0|[1-9]\d{0,77})$/
/** Envelopes that are read: legacy, EIP-2930, EIP-1559, EIP-7702. */
const TYPES: readonly bigint[] = [0n, 1n, 2n, 4n]
/** The members of an authorization that are read, and those of its signature. */
const AUTHORIZATION: ReadonlySet<string> = new Set(['chainId', 'address', 'nonce', 'yParity', 'v', 'r', 's'])

/** Null is absent: nodes read it so. */
const given = (members: Fields, name: string): unknown =>
  Object.hasOwn(members, name) ? (members[name] ?? undefined) : undefined

/** @returns null if it isn't one */
export function readCall(call: unknown) {
  if (!isFields(call)) return null
  const unread: string[] = []
  const malformed: string[] = []
  const names = new Set(Object.keys(call).filter((name) => given(call, name) !== undefined))
  const take = (name: string): unknown => {
    names.delete(name)
    return given(call, name)
  }
  const quantity = (of: Fields, name: string, where = name): bigint | null => {
    const value = given(of, name)
    names.delete(where)
    if (value === undefined) return null
    const read = quantityOf(value)
    if (read === null) unread.push(`\`${where}\` is no quantity such as 0x1`)
    else if (typeof value === 'string' && /^[1-9]\d/.test(value))
      unread.push(`\`${where}\` has digits without 0x, which some wallets read as hexadecimal`)
    return read
  }
  const alike = <T>(one: T | null, other: T | null, names: string): T | null => {
    if (one !== null && other !== null && one !== other) malformed.push(`${names} differ.`)
    return other ?? one
  }
  const bytes = (name: string): string | null | undefined => {
    const value = take(name)
    if (value === undefined) return null
    return typeof value === 'string' && HEX.test(value) ? value.toLowerCase() : undefined
  }
  const address = (name: string): string | null | undefined => {
    const value = take(name)
    if (value === undefined || value === '0x') return null
    return (typeof value === 'string' ? canonical(value) : null) ?? undefined
  }
  const [from, to, data, input] = [address('from'), address('to'), bytes('data'), bytes('input')]
  if (from === undefined || to === undefined || data === undefined || input === undefined) return null
  const value = quantity(call, 'value') ?? 0n
  const gas = alike(quantity(call, 'gasLimit'), quantity(call, 'gas'), '`gas` and `gasLimit`')
  const prices = ['gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas'].map((name) => quantity(call, name))
  if (prices[0] !== null && (prices[1] !== null || prices[2] !== null))
    unread.push('`gasPrice` and `maxFeePerGas` exclude each other')
  const price = prices.reduce((most, one) => (one !== null && one > (most ?? -1n) ? one : most))
  const chainId = quantity(call, 'chainId')
  const authorizationList = take('authorizationList')
  const list = authorizationList === undefined ? [] : authorizationList
  const authorizations = (Array.isArray(list) ? list : [list]).flatMap((one, i) => {
    const where = `authorizationList[${i}]`
    const chainId = isFields(one) ? quantity(one, 'chainId', `${where}.chainId`) : null
    if (!isFields(one) || chainId === null) unread.push(`\`${where}\` names no chain`)
    if (!isFields(one)) return []
    for (const name of Object.keys(one))
      if (!AUTHORIZATION.has(name)) unread.push(notRead(`${where}.${name}`))
    const address = typeof one.address === 'string' ? canonical(one.address) : null
    if (address === null) unread.push(`\`${where}.address\` is no address`)
    return [{ chainId: chainId ?? 0n, address }]
  })
  quantity(call, 'nonce')
  const type = quantity(call, 'type')
  if (type !== null && (!TYPES.includes(type) || (authorizations.length > 0 && type !== 4n)))
    unread.push(`\`type\` is ${type}, which is not read, or not with what stands beside it`)
  if (!isAccessList(take('accessList') ?? [])) unread.push('`accessList` is none')
  for (const name of names) unread.push(notRead(name))
  return {
    from,
    to,
    data: alike(data, input, '`data` and `input`') ?? '0x',
    value,
    /** The most units, and the most wei for each; null if not given. */
    gas,
    price: price ?? null,
    authorizations,
    /** Null if it names none. */
    chainId,
    /** The members that were not read, in words. */
    unread,
    /** The members that different readers read differently. */
    malformed,
  }
}

const notRead = (name: string): string => `its member ${JSON.stringify(name.slice(0, 64))} is not read`

function quantityOf(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null
  if (typeof value === 'string') {
    if (!HEX_QUANTITY.test(value) && !DECIMAL.test(value)) return null
  } else if (typeof value !== 'bigint') return null
  const read = BigInt(value)
  return read >= 0n && read < 2n ** 256n ? read : null
}

function isAccessList(list: unknown): boolean {
  if (!Array.isArray(list)) return false
  return list.every((entry) => {
    if (!isFields(entry) || Object.keys(entry).length !== 2) return false
    const { address, storageKeys } = entry
    return (
      typeof address === 'string' &&
      canonical(address) !== null &&
      Array.isArray(storageKeys) &&
      storageKeys.every((key) => typeof key === 'string' && /^0x[0-9a-fA-F]{64}$/.test(key))
    )
  })
}
