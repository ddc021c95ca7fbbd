/**
 * What can be proved of a Sui transaction that a provider built: it is the BCS
 * of one whole TransactionData, a programmable transaction that `from` sends
 * and pays for, and that publishes no code.
 *
 *   TransactionData::V1 { kind, sender, gas { coins, owner, price, budget }, expiration }
 *   kind = ProgrammableTransaction { inputs, commands }
 *
 * Not provable here: what the called Move functions do with the coins, because
 * that is their code. So the result names the functions that are called and
 * the addresses that objects are sent to, for the wallet to show.
 *
 * Source: §4.6, §4.7 · MystenLabs/sui crates/sui-types/src/transaction.rs ·
 * MystenLabs/ts-sdks packages/sui/src/bcs/bcs.ts
 */
import { BcsReader, MalformedBcs } from './bcs.ts'
import { type Proof, refuseMaterial } from './verification.ts'

/** max_tx_size_bytes of the protocol configuration. */
const MAX_BYTES = 128 * 1024
const ADDRESS_BYTES = 32
const DIGEST_BYTES = 32
/** Levels of type arguments; Move's own bound is 16. */
const MAX_TYPE_DEPTH = 16

/**
 * @param from  canonical: 0x and 64 lower-case digits
 * @throws GatewayError  material_refused, with the rule: encoding, size, parse, kind, sender, gas_owner, command
 */
export function proveSui(base64: string, from: string): Proof {
  // Serialized Transaction JSON is a builder's format: it is not what is signed.
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0 || bytes.toString('base64') !== base64) throw refuseMaterial('encoding')
  if (bytes.length > MAX_BYTES) throw refuseMaterial('size')
  const transaction = parseTransaction(bytes)
  if (transaction === null) throw refuseMaterial('parse')
  if (transaction === 'system') throw refuseMaterial('kind')
  const { sender, gasOwner, gasBudget, calls, recipients, publishes } = transaction
  if (sender !== from) throw refuseMaterial('sender')
  // A sponsor would have to sign as well, and could be anybody.
  if (gasOwner !== from) throw refuseMaterial('gas_owner')
  if (publishes) throw refuseMaterial('command')
  return {
    checks: ['encoding', 'size', 'parse', 'kind', 'sender', 'gas_owner', 'command'],
    sender,
    bytes: bytes.length,
    gasBudget: gasBudget.toString(),
    calls,
    recipients,
  }
}

interface SuiTransaction {
  readonly sender: string
  readonly gasOwner: string
  readonly gasBudget: bigint
  /** `package::module::function`, in order. */
  readonly calls: readonly string[]
  /** Addresses that objects are transferred to, where they stand in the transaction. */
  readonly recipients: readonly string[]
  readonly publishes: boolean
}

/** @returns null where the bytes are not one TransactionData, `system` for what only validators may send */
function parseTransaction(bytes: Uint8Array): SuiTransaction | 'system' | null {
  const reader = new BcsReader(bytes)
  try {
    reader.variant(1) // V1
    if (reader.variant(TRANSACTION_KINDS) !== 0) return 'system'
    const inputs = reader.vector(() => readInput(reader))
    const commands = reader.vector(() => readCommand(reader))
    const sender = readAddress(reader)
    reader.vector(() => skipObjectRef(reader))
    const gasOwner = readAddress(reader)
    reader.u64() // price
    const gasBudget = reader.u64()
    skipExpiration(reader)
    if (!reader.isAtEnd) return null
    const recipients = commands.flatMap(({ to }) => {
      const input = to === undefined ? undefined : inputs[to]
      return input?.length === ADDRESS_BYTES ? [addressOf(input)] : []
    })
    return {
      sender,
      gasOwner,
      gasBudget,
      calls: commands.flatMap(({ call }) => call ?? []),
      recipients: [...new Set(recipients)],
      publishes: commands.some(({ publishes }) => publishes === true),
    }
  } catch (error) {
    if (error instanceof MalformedBcs) return null
    throw error
  }
}

/** ProgrammableTransaction is the first; the others are the system's own. */
const TRANSACTION_KINDS = 11

/** CallArg. @returns the bytes of a pure value, null for an object or a withdrawal */
function readInput(reader: BcsReader): Uint8Array | null {
  const kind = reader.variant(3)
  if (kind === 0) return reader.bytes()
  if (kind === 1) skipObjectArg(reader)
  else skipWithdrawal(reader)
  return null
}

const SHARED = 1

/** ObjectArg: ImmOrOwnedObject, SharedObject, Receiving. */
function skipObjectArg(reader: BcsReader): void {
  if (reader.variant(3) !== SHARED) {
    skipObjectRef(reader)
    return
  }
  reader.fixed(ADDRESS_BYTES)
  reader.u64() // initial shared version
  reader.bool() // mutable
}

/** FundsWithdrawalArg: a reservation of at most so much, of a Balance, from sender or sponsor. */
function skipWithdrawal(reader: BcsReader): void {
  reader.variant(1)
  reader.u64()
  reader.variant(1)
  skipType(reader)
  reader.variant(2)
}

function skipObjectRef(reader: BcsReader): void {
  reader.fixed(ADDRESS_BYTES)
  reader.u64() // version
  skipDigest(reader)
}

interface Command {
  readonly call?: string
  /** Index of the input that holds the address of a transfer. */
  readonly to?: number
  readonly publishes?: boolean
}

function readCommand(reader: BcsReader): Command {
  const args = () => reader.vector(() => readArgument(reader))
  switch (reader.variant(7)) {
    case 0: {
      const call = [readAddress(reader), reader.string(), reader.string()].join('::')
      reader.vector(() => skipType(reader))
      args()
      return { call }
    }
    case 1: {
      args()
      const to = readArgument(reader)
      return to === null ? {} : { to }
    }
    case 2: // SplitCoins
      readArgument(reader)
      args()
      return {}
    case 3: // MergeCoins
      readArgument(reader)
      args()
      return {}
    case 4:
      skipModules(reader)
      return { publishes: true }
    case 5: // MakeMoveVec
      reader.option(() => skipType(reader))
      args()
      return {}
    default: // Upgrade
      skipModules(reader)
      reader.fixed(ADDRESS_BYTES)
      readArgument(reader)
      return { publishes: true }
  }
}

function skipModules(reader: BcsReader): void {
  reader.vector(() => reader.bytes())
  reader.vector(() => reader.fixed(ADDRESS_BYTES))
}

/** GasCoin, Input, Result, NestedResult. @returns the index of an input, null for the others */
function readArgument(reader: BcsReader): number | null {
  switch (reader.variant(4)) {
    case 0:
      return null
    case 1:
      return reader.u16()
    case 2:
      reader.u16()
      return null
    default:
      reader.u16()
      reader.u16()
      return null
  }
}

const VECTOR = 6
const STRUCT = 7
/** bool, u8, u64, u128, address, signer, vector, struct, u16, u32, u256. */
const TYPE_TAGS = 11

function skipType(reader: BcsReader, depth = 0): void {
  if (depth === MAX_TYPE_DEPTH) throw new MalformedBcs('type too deep')
  const tag = reader.variant(TYPE_TAGS)
  if (tag === VECTOR) skipType(reader, depth + 1)
  if (tag !== STRUCT) return
  reader.fixed(ADDRESS_BYTES)
  reader.string()
  reader.string()
  reader.vector(() => skipType(reader, depth + 1))
}

/** None, Epoch, ValidDuring { four optional bounds, chain, nonce }. */
function skipExpiration(reader: BcsReader): void {
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

/** A digest is a byte vector on the wire, of one length only. */
function skipDigest(reader: BcsReader): void {
  if (reader.bytes().length !== DIGEST_BYTES) throw new MalformedBcs('digest')
}

const readAddress = (reader: BcsReader): string => addressOf(reader.fixed(ADDRESS_BYTES))

const addressOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`
