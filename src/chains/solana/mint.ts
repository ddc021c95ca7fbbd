/**
 * Reads a mint's account, completely or not at all. Token-2022 keeps the powers of a token's creators over
 * its holders in extensions after the base form.
 *
 *   base          [authority c36][supply u64][decimals u8][initialized u8][freeze c36]
 *   c             a u32: 1 if the value after it is present, else 0
 *   with extensions   base, zeros up to 165 bytes, [1 mint], then [type u16][length u16][value]*
 *   key           32 bytes; zeros stand for no account
 *
 * The walk ends at the end of the account, at type 0, or where no further type fits. An extension of an
 * unexpected length is unreadable, and one that is not listed here is unknown: neither means that it does
 * nothing.
 *
 * Source: solana-program/token interface/src/state.rs · solana-program/token-2022
 * interface/src/extension/mod.rs, and the extension files next to it
 */
import { encodeBase58 } from './base58.ts'
import extensions from './mint-extensions.json' with { type: 'json' }
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { KEY_BYTES } from './sizes.ts'

const BASE_BYTES = 82
/** Offset of the account's kind: an extended mint is padded to the length of a token account. */
const KIND_AT = 165
const KIND_MINT = 1
/** The length of a multisig, which has no kind byte. */
const MULTISIG_BYTES = 355
const SUPPLY_AT = 36
const DECIMALS_AT = 44
const IS_INITIALIZED_AT = 45
const FREEZE_AUTHORITY_AT = 46

const TRANSFER_FEE = 1
const CLOSE_AUTHORITY = 3
const DEFAULT_STATE = 6
const NON_TRANSFERABLE = 9
const PERMANENT_DELEGATE = 12
const TRANSFER_HOOK = 14
const PAUSABLE = 26

/** The extensions of a mint by number: the name that nodes show, and the length if the value is read here. */
const EXTENSIONS: ReadonlyMap<number, (typeof extensions)[number]> = new Map(
  extensions.map((extension) => [extension.type, extension]),
)
/** The state of new accounts of a mint whose holders must be admitted. */
const FROZEN = 2

export type Mint = NonNullable<ReturnType<typeof readMint>>

/**
 * @param owner  the account's program, base58
 * @param data   the whole account
 * @returns null unless the account is a well-formed, initialized mint
 */
export function readMint(owner: string, data: Buffer) {
  if (owner !== TOKEN_PROGRAM && owner !== TOKEN_2022_PROGRAM) return null
  const isExtended = data.length !== BASE_BYTES
  if (isExtended && (owner === TOKEN_PROGRAM || !isExtendedMint(data))) return null
  const mintAuthority = optionalKey(data, 0)
  const freezeAuthority = optionalKey(data, FREEZE_AUTHORITY_AT)
  const values = isExtended ? valuesIn(data) : new Map<number, Buffer>()
  if (mintAuthority === undefined || freezeAuthority === undefined || values === null) return null
  if (data[IS_INITIALIZED_AT] !== 1) return null

  const readable = (type: number): Buffer | null => {
    const value = values.get(type)
    return value !== undefined && value.length === EXTENSIONS.get(type)!.bytes ? value : null
  }
  const keyOf = (type: number, at: number): string | null => {
    const value = readable(type)
    return value === null ? null : key(value, at)
  }
  const nameOf = (type: number): string => EXTENSIONS.get(type)?.name ?? String(type)
  const isRead = (type: number): boolean => EXTENSIONS.get(type)?.bytes === null || readable(type) !== null
  const fee = readable(TRANSFER_FEE)
  return {
    program: owner,
    /** In base units. */
    supply: data.readBigUInt64LE(SUPPLY_AT),
    decimals: data[DECIMALS_AT]!,
    /** Null if there is none; the same for the other authorities. */
    mintAuthority,
    freezeAuthority,
    /** Names of the extensions, in the account's order. An unknown extension has its number as the name. */
    extensions: [...values.keys()].map(nameOf),
    /** The extensions that could not be read: unknown here, or of an unexpected length. */
    unread: [...values.keys()].filter((type) => !EXTENSIONS.has(type) || !isRead(type)).map(nameOf),
    /** Null if no fee is taken and no authority can set one. */
    transferFee: fee && { configAuthority: key(fee, 0), older: feeIn(fee, 72), newer: feeIn(fee, 90) },
    closeAuthority: keyOf(CLOSE_AUTHORITY, 0),
    /** May move and burn the tokens of any holder. */
    permanentDelegate: keyOf(PERMANENT_DELEGATE, 0),
    /** The program that can refuse any transfer. */
    transferHook: keyOf(TRANSFER_HOOK, KEY_BYTES),
    isNonTransferable: readable(NON_TRANSFERABLE) !== null,
    isBornFrozen: readable(DEFAULT_STATE)?.[0] === FROZEN,
    isPaused: readable(PAUSABLE)?.[KEY_BYTES] === 1,
    /** May pause all transfers. */
    pauseAuthority: keyOf(PAUSABLE, 0),
  }
}

/** The fee of a transfer in this epoch. A new fee is announced two epochs ahead. */
export function feeAt({ older, newer }: NonNullable<Mint['transferFee']>, epoch: bigint) {
  return epoch >= newer.epoch ? newer : older
}

function isExtendedMint(data: Buffer): boolean {
  if (data.length <= KIND_AT || data.length === MULTISIG_BYTES || data[KIND_AT] !== KIND_MINT) return false
  return data.subarray(BASE_BYTES, KIND_AT).every((byte) => byte === 0)
}

/** @returns the extensions' values by type; null if one overruns the account or occurs twice */
function valuesIn(data: Buffer): Map<number, Buffer> | null {
  const values = new Map<number, Buffer>()
  for (let at = KIND_AT + 1; at + 2 <= data.length; ) {
    const type = data.readUInt16LE(at)
    if (type === 0) break
    const start = at + 4
    const end = start <= data.length ? start + data.readUInt16LE(at + 2) : start
    if (end > data.length || values.has(type)) return null
    values.set(type, data.subarray(start, end))
    at = end
  }
  return values
}

/** @returns null if it is absent; undefined if the tag is neither 0 nor 1 */
function optionalKey(data: Buffer, at: number): string | null | undefined {
  const tag = data.readUInt32LE(at)
  if (tag > 1) return undefined
  return tag === 0 ? null : encodeBase58(data.subarray(at + 4, at + 4 + KEY_BYTES))
}

function key(value: Buffer, at: number): string | null {
  const bytes = value.subarray(at, at + KEY_BYTES)
  return bytes.every((byte) => byte === 0) ? null : encodeBase58(bytes)
}

function feeIn(value: Buffer, at: number) {
  return {
    /** The first epoch in which the fee is taken. */
    epoch: value.readBigUInt64LE(at),
    /** The most of one transfer, in base units. */
    max: value.readBigUInt64LE(at + 8),
    bps: value.readUInt16LE(at + 16),
  }
}
