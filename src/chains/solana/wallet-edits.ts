/**
 * What wallets change of a transaction before they sign it: another blockhash, another price or limit of compute
 * units, assertions of Lighthouse, a memo, or a durable nonce of their own. Instructions of these kinds leave alone
 * what the others do.
 *
 * Source: anza-xyz/solana-sdk compute-budget-interface, system-interface · solana-program/memo ·
 * Jac0xb/lighthouse clients/rust/src/generated/instructions
 */
import {
  COMPUTE_BUDGET_PROGRAM,
  LIGHTHOUSE_PROGRAM,
  MEMO_PROGRAM,
  MEMO_V1_PROGRAM,
  SYSTEM_PROGRAM,
} from './programs.ts'

export type EditKind = 'budget' | 'guard' | 'memo' | 'nonce'

/**
 * Lighthouse's assertions only read, and fail the transaction. Its first two instructions write to accounts and
 * close them, and those after the assertions call other programs.
 */
const FIRST_ASSERTION = 2
const LAST_ASSERTION = 15

export const isAssertion = (data: Uint8Array): boolean =>
  data.length > 0 && data[0]! >= FIRST_ASSERTION && data[0]! <= LAST_ASSERTION

/** Whether an instruction of the System program is AdvanceNonceAccount, a u32; it ignores trailing bytes. */
export const advancesNonce = (data: Uint8Array): boolean => [4, 0, 0, 0].every((byte, i) => data[i] === byte)

/**
 * @param index  of the instruction: a nonce counts only in the first one
 * @returns null for an instruction that may do anything else
 */
export function editKindOf(program: string, data: Uint8Array, index: number): EditKind | null {
  switch (program) {
    case COMPUTE_BUDGET_PROGRAM:
      return 'budget'
    case LIGHTHOUSE_PROGRAM:
      return isAssertion(data) ? 'guard' : null
    case MEMO_PROGRAM:
    case MEMO_V1_PROGRAM:
      return 'memo'
    case SYSTEM_PROGRAM:
      return index === 0 && advancesNonce(data) ? 'nonce' : null
    default:
      return null
  }
}
