/**
 * The deposit that a wallet makes into a bridge's account before it calls the
 * bridge: it opens the account and sends tokens or lamports to it.
 *
 *   Associated Token  create [payer, account, owner, mint, System, token program, maybe rent]
 *   System            transfer [from, account]
 *   Token, Token-2022 Transfer [source, account, from] · TransferChecked [source, mint, account, from] ·
 *                     SyncNative [account]
 *
 * The account accepts only its own mint, so the source account needs no rule.
 *
 * Source: solana-program/token interface/src/instruction.rs · mayan-finance/swap-sdk src/solana/solanaSwift.ts
 */
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../../chains/solana/programs.ts'
import { FROM, readU64, view } from '../../solana/reading.ts'
import { SYNC_NATIVE, SYSTEM_TRANSFER } from '../../solana/solana.ts'
import { refuseMaterial } from '../../terms/verification.ts'
import type { SolanaCall } from './call.ts'
import type { Deposit } from './terms.ts'

const TRANSFER = 3
const TRANSFER_CHECKED = 12

/** Checks the instructions that pay into the account, and adds up the amounts. */
export class Deposited {
  amount = 0n
  opened = 0
  readonly #to: Deposit
  readonly #mint: string

  constructor(to: Deposit, mint: string) {
    this.#to = to
    this.#mint = mint
  }

  /**
   * @returns false for an instruction that does not concern the account
   * @throws GatewayError  material_refused, rule `deposit`
   */
  take({ program, instruction, at }: SolanaCall): boolean {
    const { accounts, data } = instruction
    const { account, owner } = this.#to
    switch (program) {
      case ASSOCIATED_TOKEN_PROGRAM: {
        if (accounts[1] !== account) return false
        const isCreate = data.length === 0 || (data.length === 1 && data[0]! <= 1)
        const isItsOwn = accounts[0] === FROM && accounts[2] === owner && (at(3) ?? this.#mint) === this.#mint
        if (!isCreate || !isItsOwn || (accounts.length !== 6 && accounts.length !== 7)) throw refused()
        this.opened++
        return true
      }
      case SYSTEM_PROGRAM: {
        if (accounts[1] !== account) return false
        const isTransfer = data.length === 12 && view(data).getUint32(0, true) === SYSTEM_TRANSFER
        if (!isTransfer || accounts.length !== 2 || accounts[0] !== FROM) throw refused()
        if (this.#mint !== WRAPPED_SOL_MINT) throw refused()
        this.amount += readU64(data, 4)
        return true
      }
      case TOKEN_PROGRAM:
      case TOKEN_2022_PROGRAM:
        return this.#tokens(accounts, data)
      default:
        return false
    }
  }

  #tokens(accounts: Uint8Array, data: Uint8Array): boolean {
    const { account } = this.#to
    if (data[0] === SYNC_NATIVE && data.length === 1) return accounts.length === 1 && accounts[0] === account
    const isChecked = data[0] === TRANSFER_CHECKED && data.length === 10 && accounts.length === 4
    const isPlain = data[0] === TRANSFER && data.length === 9 && accounts.length === 3
    if (!isChecked && !isPlain) return false
    const [to, authority] = isChecked ? [accounts[2], accounts[3]] : [accounts[1], accounts[2]]
    if (to !== account) return false
    if (authority !== FROM) throw refused()
    this.amount += readU64(data, 1)
    return true
  }
}

const refused = () => refuseMaterial('deposit')
