/**
 * Writes Sui transactions: the BCS of a TransactionData, from the parts of its
 * programmable transaction.
 *
 * Source: MystenLabs/sui crates/sui-types/src/transaction.rs
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { findChain } from '../../chains/find.ts'

/** One part of a transaction, as encoded. */
export type BcsPart = Uint8Array

export interface Composition {
  readonly inputs: readonly BcsPart[]
  readonly commands: readonly BcsPart[]
  readonly sender: string
  readonly gasCoins?: readonly string[]
  readonly gasOwner?: string
  readonly gasPrice?: bigint
  readonly gasBudget?: bigint
  readonly expiration?: BcsPart
}

const GAS_BUDGET = 20_000_000n
const GAS_PRICE = 750n

/** @returns base64 */
export function composeSui(composition: Composition): string {
  const { inputs, commands, sender, gasOwner = sender, gasCoins = [gasCoinOf(sender)] } = composition
  const { gasPrice = GAS_PRICE, gasBudget = GAS_BUDGET, expiration = u8(0) } = composition
  return Buffer.concat([
    u8(0, 0), // V1, ProgrammableTransaction
    list(inputs),
    list(commands),
    address(sender),
    list(gasCoins.map(objectRef)),
    address(gasOwner),
    u64(gasPrice),
    u64(gasBudget),
    expiration,
  ]).toString('base64')
}

/** The wallet's coins in the sandbox: one for gas, and one of each type. */
export const gasCoinOf = (wallet: string): string => idOf(`gas of ${wallet}`)
export const coinOf = (wallet: string, coinType: string): string => idOf(`${coinType} of ${wallet}`)

/** An object's id, the same for the same words. */
export const idOf = (words: string): string => `0x${Buffer.from(sha256(Buffer.from(words))).toString('hex')}`

/**
 * Versions of the router and of its venue that no table has, each with the first version, as a node reports
 * it. Wallets whose address ends in 59 call them.
 */
export const UPGRADED: ReadonlyMap<string, string> = new Map([
  [idOf('router, upgraded'), '0x33ec64e9bb369bf045ddc198c81adbf2acab424da37465d95296ee02045d2b17'],
  [idOf('venue, upgraded'), '0xb1e11ceaf3e7cd3031ef5e24804478ec3441c5aecdace910bdaca317a0c1c535'],
])

/** The object that describes a coin: the real one if the chain's definition has it. */
export const metadataOf = (coinType: string): string =>
  findChain('sui')!.coinMetadata?.[coinType] ?? idOf(`metadata of ${coinType}`)

export const u8 = (...bytes: number[]): BcsPart => Buffer.from(bytes)

export const u16 = (value: number): BcsPart => u8(value & 0xff, value >> 8)

export function u32(value: number): BcsPart {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32LE(value)
  return buffer
}

export function u64(value: bigint): BcsPart {
  const buffer = Buffer.alloc(8)
  buffer.writeBigUInt64LE(value)
  return buffer
}

/** A list of fewer than 128 items. */
export const list = (items: readonly BcsPart[]): BcsPart => Buffer.concat([u8(items.length), ...items])

export const bytes = (content: BcsPart): BcsPart => Buffer.concat([u8(content.length), content])

export const text = (value: string): BcsPart => bytes(Buffer.from(value))

export const address = (hex: string): BcsPart => Buffer.from(hex.slice(2).padStart(64, '0'), 'hex')

/** Inputs. */
export const pure = (content: BcsPart): BcsPart => Buffer.concat([u8(0), bytes(content)])
export const owned = (id: string): BcsPart => Buffer.concat([u8(1, 0), objectRef(id)])
export const shared = (id: string): BcsPart => Buffer.concat([u8(1, 1), address(id), u64(1n), u8(1)])

/** May withdraw this much from an address balance: the sender's, or with 1 the sponsor's. */
export const withdrawal = (amount: bigint, coinType: string, from = 0): BcsPart =>
  Buffer.concat([u8(2, 0), u64(amount), u8(0), struct(coinType), u8(from)])

/** ValidDuring an epoch and the next: required if an address balance pays for gas. */
export const validDuring = (epoch: bigint): BcsPart =>
  Buffer.concat([
    ...[u8(2, 1), u64(epoch), u8(1), u64(epoch + 1n), u8(0, 0)],
    ...[bytes(sha256(Buffer.from('chain'))), u32(0)],
  ])

const objectRef = (id: string): BcsPart =>
  Buffer.concat([address(id), u64(1n), bytes(sha256(Buffer.from('version 1')))])

/** Arguments. */
export const GAS: BcsPart = u8(0)
export const input = (index: number): BcsPart => u8(1, index, 0)
export const result = (command: number): BcsPart => u8(2, command, 0)
export const nested = (command: number, index: number): BcsPart => u8(3, command, 0, index, 0)

/** Commands. */
export const split = (coin: BcsPart, amounts: readonly BcsPart[]): BcsPart =>
  Buffer.concat([u8(2), coin, list(amounts)])
export const merge = (into: BcsPart, coins: readonly BcsPart[]): BcsPart =>
  Buffer.concat([u8(3), into, list(coins)])
export const transfer = (objects: readonly BcsPart[], to: BcsPart): BcsPart =>
  Buffer.concat([u8(1), list(objects), to])

/** @param target  `package::module::function` */
export function call(target: string, types: readonly string[], args: readonly BcsPart[]): BcsPart {
  const [packageId, module, name] = target.split('::')
  return Buffer.concat([
    u8(0),
    address(packageId!),
    text(module!),
    text(name!),
    list(types.map(struct)),
    list(args),
  ])
}

/** A type that is a struct without type arguments. */
export function struct(type: string): BcsPart {
  const [packageId, module, name] = type.split('::')
  return Buffer.concat([u8(7), address(packageId!), text(module!), text(name!), list([])])
}
