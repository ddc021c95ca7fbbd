/**
 * Parses a complete Sui transaction: the BCS of one TransactionData whose kind is
 * a programmable transaction, the only kind that a wallet signs.
 *
 *   TransactionData::V1 { kind, sender, gas { coins, owner, price, budget }, expiration }
 *   kind = ProgrammableTransaction { inputs, commands }
 *
 * Source: MystenLabs/sui crates/sui-types/src/transaction.rs ·
 * MystenLabs/ts-sdks packages/sui/src/bcs/bcs.ts
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { bcsReader, MalformedBytes, type StrictReader } from '../strict-reader.ts'

const ADDRESS_BYTES = 32
const DIGEST_BYTES = 32
/** Nesting levels of type arguments; Move's own bound is 16. */
const MAX_TYPE_DEPTH = 16
/** The network's own bounds (crates/sui-protocol-config): longer transactions are invalid. */
const MAX_INPUTS = 2_048
const MAX_COMMANDS = 1_024
const MAX_GAS_COINS = 256
const MAX_ARGUMENTS = 512
/** A valid Move name of a module, a function or a type. */
const IDENTIFIER = /^(?:[A-Za-z]\w{0,127}|_\w{1,127})$/

export type SuiTransaction = Readonly<Exclude<ReturnType<typeof parseSuiTransaction>, 'system' | null>>

export type SuiInput =
  | { readonly kind: 'pure'; readonly bytes: Uint8Array }
  /** `owned` is an object of the sender or an immutable one: the bytes do not show which. */
  | { readonly kind: 'owned' | 'shared' | 'receiving'; readonly id: string }
  /** May take at most this much of a coin type out of an address balance (SIP-58). */
  | {
      readonly kind: 'withdrawal'
      readonly amount: bigint
      readonly type: string
      readonly from: 'sender' | 'sponsor'
    }

export type SuiArgument =
  | { readonly kind: 'gas' }
  | { readonly kind: 'input'; readonly index: number }
  /**
   * The n-th result of a command. `Result(i)` is the first: it is valid only for commands with a single
   * result.
   */
  | { readonly kind: 'result'; readonly command: number; readonly index: number }

export interface SuiCall {
  readonly kind: 'call'
  readonly package: string
  /** `module::function` */
  readonly name: string
  readonly types: readonly string[]
  readonly args: readonly SuiArgument[]
}

export type SuiCommand =
  | SuiCall
  | { readonly kind: 'transfer'; readonly objects: readonly SuiArgument[]; readonly to: SuiArgument }
  | { readonly kind: 'split'; readonly coin: SuiArgument; readonly amounts: readonly SuiArgument[] }
  | { readonly kind: 'merge'; readonly into: SuiArgument; readonly coins: readonly SuiArgument[] }
  | { readonly kind: 'vector'; readonly items: readonly SuiArgument[] }
  | { readonly kind: 'publish' | 'upgrade' }

/**
 * @returns null unless the bytes are one TransactionData; `system` for a kind that only validators may send
 */
export function parseSuiTransaction(bytes: Uint8Array) {
  const reader = bcsReader(bytes)
  try {
    reader.variant(1) // V1
    if (reader.variant(TRANSACTION_KINDS) !== 0) return 'system' as const
    const inputs = reader.vector(() => readInput(reader), MAX_INPUTS)
    const commands = reader.vector(() => readCommand(reader), MAX_COMMANDS)
    const sender = readAddress(reader)
    /** Ids of the coins that pay for gas; empty if the address balance pays. */
    const gasCoins = reader.vector(() => readObjectRef(reader), MAX_GAS_COINS)
    const gasOwner = readAddress(reader)
    /** MIST per unit of gas. */
    const gasPrice = reader.u64()
    /** MIST. */
    const gasBudget = reader.u64()
    skipExpiration(reader)
    if (!reader.isAtEnd) return null
    return { inputs, commands, sender, gasCoins, gasOwner, gasPrice, gasBudget }
  } catch (error) {
    if (error instanceof MalformedBytes) return null
    throw error
  }
}

/** ProgrammableTransaction is the first kind; the others are system transactions. */
const TRANSACTION_KINDS = 11

/** CallArg: Pure, Object, FundsWithdrawal. */
function readInput(reader: StrictReader): SuiInput {
  const kind = reader.variant(3)
  if (kind === 0) return { kind: 'pure', bytes: reader.bytes() }
  return kind === 1 ? readObjectArg(reader) : readWithdrawal(reader)
}

/** ObjectArg: ImmOrOwnedObject, SharedObject, Receiving. */
function readObjectArg(reader: StrictReader): SuiInput {
  const kind = (['owned', 'shared', 'receiving'] as const)[reader.variant(3)]!
  if (kind !== 'shared') return { kind, id: readObjectRef(reader) }
  const id = readAddress(reader)
  reader.u64() // initial shared version
  reader.bool() // mutable
  return { kind, id }
}

/**
 * FundsWithdrawalArg: a maximum amount, a Balance type, and the owner. Another owner's, by an allowance, is
 * not read: no swap needs it.
 */
function readWithdrawal(reader: StrictReader): SuiInput {
  reader.variant(1)
  const amount = reader.u64()
  reader.variant(1)
  const type = readType(reader)
  return { kind: 'withdrawal', amount, type, from: reader.variant(2) === 0 ? 'sender' : 'sponsor' }
}

/** Reads past the version and the digest. @returns the object's id */
function readObjectRef(reader: StrictReader): string {
  const id = readAddress(reader)
  reader.u64() // version
  skipDigest(reader)
  return id
}

function readCommand(reader: StrictReader): SuiCommand {
  const args = () => reader.vector(() => readArgument(reader), MAX_ARGUMENTS)
  switch (reader.variant(7)) {
    case 0: {
      const packageId = readAddress(reader)
      const name = `${readIdentifier(reader)}::${readIdentifier(reader)}`
      const types = reader.vector(() => readType(reader))
      return { kind: 'call', package: packageId, name, types, args: args() }
    }
    case 1:
      return { kind: 'transfer', objects: args(), to: readArgument(reader) }
    case 2:
      return { kind: 'split', coin: readArgument(reader), amounts: args() }
    case 3:
      return { kind: 'merge', into: readArgument(reader), coins: args() }
    case 4:
      skipModules(reader)
      return { kind: 'publish' }
    case 5:
      reader.option(() => readType(reader))
      return { kind: 'vector', items: args() }
    default:
      skipModules(reader)
      reader.fixed(ADDRESS_BYTES)
      readArgument(reader)
      return { kind: 'upgrade' }
  }
}

function skipModules(reader: StrictReader): void {
  reader.vector(() => reader.bytes())
  reader.vector(() => reader.fixed(ADDRESS_BYTES))
}

/** GasCoin, Input, Result, NestedResult. */
function readArgument(reader: StrictReader): SuiArgument {
  switch (reader.variant(4)) {
    case 0:
      return { kind: 'gas' }
    case 1:
      return { kind: 'input', index: reader.u16() }
    case 2:
      return { kind: 'result', command: reader.u16(), index: 0 }
    default:
      return { kind: 'result', command: reader.u16(), index: reader.u16() }
  }
}

/** Type tags by index; `vector` and `struct` carry more fields. */
const TYPE_TAGS = ['bool', 'u8', 'u64', 'u128', 'address', 'signer', 'vector', 'struct', 'u16', 'u32', 'u256']

/** @returns the type in Move's notation, with all 64 digits of each address */
function readType(reader: StrictReader, depth = 0): string {
  if (depth === MAX_TYPE_DEPTH) throw new MalformedBytes('type too deep')
  const tag = TYPE_TAGS[reader.variant(TYPE_TAGS.length)]!
  if (tag === 'vector') return `vector<${readType(reader, depth + 1)}>`
  if (tag !== 'struct') return tag
  const name = [readAddress(reader), readIdentifier(reader), readIdentifier(reader)].join('::')
  const parameters = reader.vector(() => readType(reader, depth + 1))
  return parameters.length === 0 ? name : `${name}<${parameters.join()}>`
}

function readIdentifier(reader: StrictReader): string {
  const text = reader.string()
  if (!IDENTIFIER.test(text)) throw new MalformedBytes('identifier')
  return text
}

/** None, Epoch, ValidDuring { four optional bounds, chain, nonce }. */
function skipExpiration(reader: StrictReader): void {
  const kind = reader.variant(3)
  if (kind === 0) return
  if (kind === 1) {
    reader.u64()
    return
  }
  for (let bound = 0; bound < 4; bound++) reader.option(() => reader.u64())
  skipDigest(reader)
  reader.fixed(4)
}

/** On the wire a digest is a byte vector of fixed length. */
function skipDigest(reader: StrictReader): void {
  if (reader.bytes().length !== DIGEST_BYTES) throw new MalformedBytes('digest')
}

const readAddress = (reader: StrictReader): string => hexOf(reader.fixed(ADDRESS_BYTES))

/** @returns the address in a pure input; null if it holds something else */
export function addressIn(bytes: Uint8Array | null): string | null {
  return bytes?.length === ADDRESS_BYTES ? hexOf(bytes) : null
}

/** @returns the number in a pure input of exactly `length` bytes; null if it holds something else */
export function numberIn(bytes: Uint8Array | null, length: 1 | 2 | 4 | 8): bigint | null {
  if (bytes?.length !== length) return null
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
}

const hexOf = (bytes: Uint8Array): string => `0x${bytesToHex(bytes)}`
