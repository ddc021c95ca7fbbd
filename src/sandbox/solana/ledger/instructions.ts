/**
 * The instructions of the sandbox's swaps.
 *
 * Source: solana-program/token interface/src/instruction.rs ·
 * anza-xyz/solana-sdk compute-budget-interface
 */

import { associatedAccount } from '../../../chains/solana/associated.ts'
import { priceData } from '../../../chains/solana/compute-budget.ts'
import { readonly, u64, writable } from '../../../chains/solana/instructions.ts'
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM, TOKEN_PROGRAM } from '../../../chains/solana/programs.ts'
import type { Composed } from './compose.ts'

export {
  closeTokenAccount,
  createTokenAccount,
  readonly,
  setComputeUnitLimit,
  signer,
  syncNative,
  transferLamports,
  u64,
  writable,
} from '../../../chains/solana/instructions.ts'

/**
 * @param program  the token program that owns the mint
 * @returns the address of the owner's associated account
 */
export const tokenAddress = (owner: string, mint: string, program: string = TOKEN_PROGRAM): string =>
  associatedAccount(owner, mint, program)

export const setComputeUnitPrice = (microLamports: number): Composed => ({
  program: COMPUTE_BUDGET_PROGRAM,
  accounts: [],
  data: priceData(BigInt(microLamports)),
})

/** A transfer between the associated accounts of two owners. */
export const transferTokens = (
  from: string,
  to: string,
  mint: string,
  amount: bigint,
  decimals: number,
  program: string = TOKEN_PROGRAM,
): Composed => ({
  program,
  accounts: [
    writable(tokenAddress(from, mint, program)),
    readonly(mint),
    writable(tokenAddress(to, mint, program)),
    { address: from, isSigner: true, isWritable: false },
  ],
  data: Buffer.concat([Uint8Array.of(12), u64(amount), Uint8Array.of(decimals)]),
})

export const memo = (text: string): Composed => ({
  program: MEMO_PROGRAM,
  accounts: [],
  data: Buffer.from(text),
})

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
