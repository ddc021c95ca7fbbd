/**
 * SPL Token and Token-2022 data, read and shown as a node's jsonParsed does.
 *
 *   token account  [mint 32][owner 32][amount u64][delegate c36][state u8][native c12][delegated u64][close c36]
 *   mint           [authority c36][supply u64][decimals u8][initialized u8][freeze c36]
 *   c              a u32 that is 1 if the value after it is present
 *   Token-2022     pads to 165 bytes, then [1 mint, 2 account][type u16, length u16, value]*
 *
 * Source: solana-program/token interface/src/state.rs · solana-program/token-2022
 * interface/src/extension/mod.rs · anza-xyz/agave account-decoder/src/parse_token.rs
 */

import { encodeBase58 } from '../../../chains/solana/base58.ts'
import type { JsonObject } from './json.ts'
import { readMultiplier, SCALED_UI_AMOUNT, scaledAmount } from './scaled.ts'
import type { Account } from './vm.ts'

const TOKEN_ACCOUNT_BYTES = 165
const MINT_BYTES = 82
/** A multisig has no kind byte; it is recognized by its length. */
const MULTISIG_BYTES = 355
const KIND_MINT = 1
const KIND_ACCOUNT = 2
const UNINITIALIZED = 0
const FROZEN = 2

/** Extension -> what jsonParsed calls it. */
const EXTENSIONS: ReadonlyMap<number, string> = new Map([
  [7, 'immutableOwner'],
  [SCALED_UI_AMOUNT, 'scaledUiAmountConfig'],
])

/** Token program -> what jsonParsed calls it. */
const TOKEN_PROGRAMS: ReadonlyMap<string, string> = new Map([
  ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'spl-token'],
  ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', 'spl-token-2022'],
])

interface TokenAccount {
  readonly mint: Uint8Array
  readonly owner: Uint8Array
  /** Base units. */
  readonly amount: bigint
}

/** Reads another account while one is shown: a balance needs its mint's decimals. */
export type ReadAccount = (address: Uint8Array) => Account | null

export const isTokenProgram = (address: Uint8Array): boolean => TOKEN_PROGRAMS.has(encodeBase58(address))

/** @returns null if the account is not an initialized token account */
export function readTokenAccount(account: Account): TokenAccount | null {
  const { data } = account
  if (
    !isTokenProgram(account.owner) ||
    !isKind(data, TOKEN_ACCOUNT_BYTES, KIND_ACCOUNT) ||
    data[108] === UNINITIALIZED
  ) {
    return null
  }
  return {
    mint: data.subarray(0, 32),
    owner: data.subarray(32, 64),
    amount: view(data).getBigUint64(64, true),
  }
}

/** @returns null if the account is not an initialized mint */
export function readMintDecimals(account: Account | null): number | null {
  if (account === null || !isTokenProgram(account.owner)) return null
  const { data } = account
  return isKind(data, MINT_BYTES, KIND_MINT) && data[45] === 1 ? data[44]! : null
}

/** The units that a mint's amounts are shown with. */
interface MintUnits {
  readonly decimals: number
  /** Null if amounts are shown as they are. */
  readonly multiplier: number | null
}

function readMintUnits(account: Account | null): MintUnits | null {
  const decimals = readMintDecimals(account)
  if (account === null || decimals === null) return null
  const scaling = extensionsOf(account.data).find(({ type }) => type === SCALED_UI_AMOUNT)
  return { decimals, multiplier: scaling === undefined ? null : readMultiplier(scaling.value) }
}

/** An account's balance as a node shows it, null if its mint isn't one. */
export function tokenBalance(token: TokenAccount, read: ReadAccount): JsonObject | null {
  const units = readMintUnits(read(token.mint))
  return units === null ? null : shownAmount(token.amount, units)
}

function shownAmount(amount: bigint, { decimals, multiplier }: MintUnits): JsonObject {
  return multiplier === null ? tokenAmount(amount, decimals) : scaledAmount(amount, decimals, multiplier)
}

/** Exactly its base form, or Token-2022's extended form of the kind. */
function isKind(data: Uint8Array, baseBytes: number, kind: number): boolean {
  if (data.length <= TOKEN_ACCOUNT_BYTES || data.length === MULTISIG_BYTES) return data.length === baseBytes
  return data[TOKEN_ACCOUNT_BYTES] === kind
}

/** A token amount in base units with its decimals, three ways, as a node writes it. */
export function tokenAmount(amount: bigint, decimals: number): JsonObject {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point).replace(/0+$/, '')
  const uiAmountString = fraction === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`
  return { uiAmount: Number(uiAmountString), decimals, amount: amount.toString(), uiAmountString }
}

/**
 * @returns null if a node has no parsed form, because it isn't a token account or mint, or lacks the
 * account's mint
 */
export function parseTokenData(account: Account, read: ReadAccount): JsonObject | null {
  const token = readTokenAccount(account)
  const info = token === null ? mintInfo(account) : tokenAccountInfo(account, token, read)
  if (info === null) return null
  const type = token === null ? 'mint' : 'account'
  const program = TOKEN_PROGRAMS.get(encodeBase58(account.owner))!
  const extensions = listExtensions(account.data)
  const parsed = extensions.length === 0 ? info : { ...info, extensions }
  return { program, parsed: { type, info: parsed }, space: account.data.length }
}

function tokenAccountInfo(account: Account, token: TokenAccount, read: ReadAccount): JsonObject | null {
  const units = readMintUnits(read(token.mint))
  if (units === null) return null
  const { data } = account
  const bytes = view(data)
  const delegate = optionalAddress(data, 72)
  const isNative = bytes.getUint32(109, true) === 1
  return {
    mint: encodeBase58(token.mint),
    owner: encodeBase58(token.owner),
    tokenAmount: shownAmount(token.amount, units),
    delegate: delegate ?? undefined,
    delegatedAmount: delegate === null ? undefined : shownAmount(bytes.getBigUint64(121, true), units),
    state: data[108] === FROZEN ? 'frozen' : 'initialized',
    isNative,
    rentExemptReserve: isNative ? shownAmount(bytes.getBigUint64(113, true), units) : undefined,
    closeAuthority: optionalAddress(data, 129) ?? undefined,
  }
}

function mintInfo(account: Account): JsonObject | null {
  const decimals = readMintDecimals(account)
  if (decimals === null) return null
  const { data } = account
  return {
    mintAuthority: optionalAddress(data, 0),
    supply: view(data).getBigUint64(36, true).toString(),
    decimals,
    isInitialized: true,
    freezeAuthority: optionalAddress(data, 46),
  }
}

/** The extensions by name only: the known ones, the others as unparsed. */
function listExtensions(data: Uint8Array): JsonObject[] {
  return extensionsOf(data).map(({ type }) => ({ extension: EXTENSIONS.get(type) ?? 'unparseableExtension' }))
}

function extensionsOf(data: Uint8Array): { type: number; value: DataView }[] {
  const bytes = view(data)
  const extensions: { type: number; value: DataView }[] = []
  for (let at = TOKEN_ACCOUNT_BYTES + 1; at + 4 <= data.length; ) {
    const [type, length] = [bytes.getUint16(at, true), bytes.getUint16(at + 2, true)]
    if (type === 0) break
    extensions.push({ type, value: view(data.subarray(at + 4, at + 4 + length)) })
    at += 4 + length
  }
  return extensions
}

function optionalAddress(data: Uint8Array, at: number): string | null {
  return view(data).getUint32(at, true) === 1 ? encodeBase58(data.subarray(at + 4, at + 36)) : null
}

function view(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength)
}
