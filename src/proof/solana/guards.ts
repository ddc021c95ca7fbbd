/**
 * Guards: instructions of public programs that move nothing, and fail a transaction whose outcome is not the ordered
 * one. They stand at its end, one group for each token account of the wallet's:
 *
 *   Revoke                         only the owner may, unless there is a delegate: none is left afterwards
 *   Transfer, TransferChecked      of the account to itself: fails if it holds less, or is no longer the wallet's
 *   SetAuthority, CloseAccount     to nobody: fails if somebody else may close it
 *
 * and a transfer of lamports from the wallet to itself, which fails if it holds less, or if the System program no longer
 * owns it. A delegate may transfer, too. So the revocation comes first: a new owner could have made the wallet one.
 *
 * A transfer to itself takes no fee, and calls no transfer hook.
 *
 * Source: solana-program/token program/src/processor.rs, p-token/src/processor · solana-program/token-2022
 * program/src/processor.rs (process_transfer, process_revoke, process_set_authority) · anza-xyz/agave
 * programs/system/src/system_instruction.rs (transfer_verified)
 */
import { encodeBase58 } from '../../chains/solana/base58.ts'
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../chains/solana/programs.ts'
import type { Instruction, WireTransaction } from '../../chains/solana/wire.ts'
import { refuseMaterial } from '../terms/verification.ts'
import { FROM, readU64 } from './reading.ts'

export const REVOKE: readonly number[] = [5]
/** SetAuthority, of the kind CloseAccount, to nobody. */
export const CLOSABLE_BY_OWNER: readonly number[] = [6, 3, 0]
export const TRANSFER = 3
export const TRANSFER_CHECKED = 12
/** A u32. */
export const SYSTEM_TRANSFER: readonly number[] = [2, 0, 0, 0]

const startsWith = (data: Uint8Array, bytes: readonly number[]): boolean =>
  bytes.every((byte, i) => data[i] === byte)

/** Reads the guards of a transaction. Each of them is harmless wherever it stands. */
export class Guards {
  /** The most lamports that the wallet is shown to hold at the end. */
  lamports = 0n
  /** The most that each token account is shown to hold at the end, by its index. */
  readonly #held = new Map<number, bigint>()
  readonly #loosened = new Set<number>()

  /** Forgets those before the swap, which show nothing of its outcome. */
  swaps(): void {
    this.lamports = 0n
    this.#held.clear()
  }

  /** @returns whether it is a guard */
  take(program: string, { accounts, data }: Instruction): boolean {
    const [account] = accounts
    if (account === undefined || accounts.at(-1) !== FROM) return false
    if (program === SYSTEM_PROGRAM) {
      const isToItself = data.length === 12 && accounts.length === 2 && account === FROM
      if (!isToItself || !startsWith(data, SYSTEM_TRANSFER)) return false
      const lamports = readU64(data, 4)
      if (lamports > this.lamports) this.lamports = lamports
      return true
    }
    if ((program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) || account === FROM) return false
    if (accounts.length === 2) {
      const isLoosening = [REVOKE, CLOSABLE_BY_OWNER].some(
        (kind) => data.length === kind.length && startsWith(data, kind),
      )
      if (isLoosening) this.#loosened.add(account)
      return isLoosening
    }
    const isPlain = data[0] === TRANSFER && data.length === 9 && accounts.length === 3
    const isChecked = data[0] === TRANSFER_CHECKED && data.length === 10 && accounts.length === 4
    if ((!isPlain && !isChecked) || accounts[isPlain ? 1 : 2] !== account) return false
    const [held, amount] = [this.#held.get(account), readU64(data, 1)]
    if (held === undefined || amount > held) this.#held.set(account, amount)
    return true
  }

  /** @throws GatewayError  if a permission goes that of an account which isn't shown to be the wallet's */
  close(): void {
    for (const account of this.#loosened)
      if (!this.#held.has(account)) throw refuseMaterial('token_instruction')
  }

  /** @returns whether the token account is shown to hold as much at the end */
  holds(wire: WireTransaction, account: Uint8Array, atLeast: bigint): boolean {
    const address = encodeBase58(account)
    return this.#facts(wire).some((one) => one.account === address && BigInt(one.atLeast) >= atLeast)
  }

  /** What they enforce, as facts of a proof; nothing if there are none. */
  facts(wire: WireTransaction): { readonly guards?: readonly object[] } {
    const tokens = this.#facts(wire)
    const native = { account: encodeBase58(wire.key(FROM)), atLeast: String(this.lamports) }
    const guards = this.lamports === 0n ? tokens : [...tokens, native]
    return guards.length === 0 ? {} : { guards }
  }

  #facts(wire: WireTransaction) {
    return [...this.#held].map(([index, amount]) => ({
      // One from a lookup table is not in the bytes.
      account: index < wire.keyCount ? encodeBase58(wire.key(index)) : null,
      atLeast: String(amount),
    }))
  }
}
