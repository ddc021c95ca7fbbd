/**
 * Durable nonces: a transaction whose first instruction advances a nonce account has the account's value in place of
 * a blockhash. It can land as long as the account holds that value, and at most once.
 *
 *   account      [version u32, 1][state u32, 1][authority 32][value 32][lamports per signature u64]
 *   instruction  AdvanceNonceAccount: [nonce account, RecentBlockhashes, authority], 4 u32
 *
 * Source: anza-xyz/solana-sdk nonce/src/versions.rs, system-interface, transaction/src/lib.rs (uses_durable_nonce) ·
 * anza-xyz/agave programs/system/src/system_instruction.rs
 */
import { encodeBase58 } from './base58.ts'
import { SYSTEM_PROGRAM } from './programs.ts'
import { KEY_BYTES } from './sizes.ts'
import { advancesNonce } from './wallet-edits.ts'
import type { WireTransaction } from './wire.ts'

export const RECENT_BLOCKHASHES = 'SysvarRecentB1ockHashes11111111111111111111'
export const NONCE_BYTES = 80
const AUTHORITY_AT = 8
const VALUE_AT = 40
/** The older version's accounts hold values that no transaction can use. */
const CURRENT = 1
const INITIALIZED = 1

/** A nonce account, and the value that it held when it was read; both in base58. */
export type Nonce = Readonly<NonNullable<ReturnType<typeof durableNonceOf>>>

/** @returns null unless the transaction's first instruction advances a nonce */
export function durableNonceOf(wire: WireTransaction) {
  const first = wire.instructions()[0]
  const at = first?.accounts[0]
  // Of an account from a lookup table, the bytes do not show the address, and validators take none.
  if (first === undefined || at === undefined || at >= wire.keyCount) return null
  const isAdvance = advancesNonce(first.data) && encodeBase58(wire.key(first.programIndex)) === SYSTEM_PROGRAM
  return isAdvance ? { account: encodeBase58(wire.key(at)), value: encodeBase58(wire.blockhash()) } : null
}

export const advanceNonce = (account: string, authority: string) => ({
  program: SYSTEM_PROGRAM,
  accounts: [
    { address: account, isSigner: false, isWritable: true },
    { address: RECENT_BLOCKHASHES, isSigner: false, isWritable: false },
    { address: authority, isSigner: true, isWritable: false },
  ],
  data: Uint8Array.of(4, 0, 0, 0),
})

/**
 * @param owner  the account's, in base58
 * @returns the authority and the value, in base58; what is wrong with the account, if it is not a nonce account that
 *   transactions can use
 */
export function readNonce(owner: string, data: Uint8Array) {
  if (owner !== SYSTEM_PROGRAM || data.length !== NONCE_BYTES) return 'foreign'
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const [version, state] = [view.getUint32(0, true), view.getUint32(4, true)]
  if (version > CURRENT || state > INITIALIZED) return 'foreign'
  if (state !== INITIALIZED) return 'uninitialized'
  if (version !== CURRENT) return 'old'
  const keyAt = (at: number) => encodeBase58(data.subarray(at, at + KEY_BYTES))
  return { authority: keyAt(AUTHORITY_AT), value: keyAt(VALUE_AT) }
}
