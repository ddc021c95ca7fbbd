/**
 * Instructions of the public programs, as a swap needs them around it.
 *
 * Source: solana-program/token interface/src/instruction.rs ·
 * solana-program/associated-token-account interface/src/instruction.rs ·
 * anza-xyz/solana-sdk system-interface, compute-budget-interface
 */
import { associatedAccount } from './associated.ts'
import { limitData } from './compute-budget.ts'
import type { AccountUse, InstructionParts } from './message.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from './programs.ts'

export const signer = (address: string): AccountUse => ({ address, isSigner: true, isWritable: true })
export const writable = (address: string): AccountUse => ({ address, isSigner: false, isWritable: true })
export const readonly = (address: string): AccountUse => ({ address, isSigner: false, isWritable: false })

export const setComputeUnitLimit = (units: number): InstructionParts => ({
  program: COMPUTE_BUDGET_PROGRAM,
  accounts: [],
  data: limitData(units),
})

/**
 * Pays for the owner's token account if there is none yet.
 * @param program  the token program that owns the mint
 */
export const createTokenAccount = (
  payer: string,
  owner: string,
  mint: string,
  program: string = TOKEN_PROGRAM,
): InstructionParts => ({
  program: ASSOCIATED_TOKEN_PROGRAM,
  accounts: [
    signer(payer),
    writable(associatedAccount(owner, mint, program)),
    readonly(owner),
    readonly(mint),
    readonly(SYSTEM_PROGRAM),
    readonly(program),
  ],
  data: Uint8Array.of(1),
})

export const transferLamports = (from: string, to: string, lamports: bigint): InstructionParts => ({
  program: SYSTEM_PROGRAM,
  accounts: [signer(from), writable(to)],
  data: Buffer.concat([Uint8Array.of(2, 0, 0, 0), u64(lamports)]),
})

/** Adds lamports sent to a wrapped-SOL account to its balance. */
export const syncNative = (account: string): InstructionParts => ({
  program: TOKEN_PROGRAM,
  accounts: [writable(account)],
  data: Uint8Array.of(17),
})

/** Wraps SOL in the wallet's associated account. */
export function wrapping(wallet: string, lamports: bigint): InstructionParts[] {
  const account = associatedAccount(wallet, WRAPPED_SOL_MINT, TOKEN_PROGRAM)
  return [
    createTokenAccount(wallet, wallet, WRAPPED_SOL_MINT),
    transferLamports(wallet, account, lamports),
    syncNative(account),
  ]
}

/** Closes a token account; the lamports that it holds go to its owner. */
export const closeTokenAccount = (account: string, owner: string): InstructionParts => ({
  program: TOKEN_PROGRAM,
  accounts: [writable(account), writable(owner), { address: owner, isSigner: true, isWritable: false }],
  data: Uint8Array.of(9),
})

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
