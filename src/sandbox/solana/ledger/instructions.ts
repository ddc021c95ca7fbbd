/**
 * The instructions of the sandbox's swaps.
 *
 * Source: solana-program/token interface/src/instruction.rs ·
 * solana-program/associated-token-account interface/src/instruction.rs ·
 * anza-xyz/solana-sdk system-interface, compute-budget-interface
 */

import { associatedAddress } from '../../../chains/solana/associated.ts'
import { decodeBase58, encodeBase58 } from '../../../chains/solana/base58.ts'
import type { AccountUse } from '../../../chains/solana/message.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '../../../chains/solana/programs.ts'
import type { Composed } from './compose.ts'

export const signer = (address: string): AccountUse => ({ address, isSigner: true, isWritable: true })
export const writable = (address: string): AccountUse => ({ address, isSigner: false, isWritable: true })
export const readonly = (address: string): AccountUse => ({ address, isSigner: false, isWritable: false })

/**
 * @param program  the token program that owns the mint
 * @returns the address of the owner's associated account
 */
export function tokenAddress(owner: string, mint: string, program: string = TOKEN_PROGRAM): string {
  const [ownerKey, mintKey, programKey] = [owner, mint, program].map((address) => decodeBase58(address, 32)!)
  return encodeBase58(associatedAddress(ownerKey!, mintKey!, programKey!))
}

export const setComputeUnitLimit = (units: number): Composed => ({
  program: COMPUTE_BUDGET_PROGRAM,
  accounts: [],
  data: Buffer.concat([Uint8Array.of(2), u32(units)]),
})

export const setComputeUnitPrice = (microLamports: number): Composed => ({
  program: COMPUTE_BUDGET_PROGRAM,
  accounts: [],
  data: Buffer.concat([Uint8Array.of(3), u64(BigInt(microLamports))]),
})

/** Pays for the owner's token account if there is none yet. */
export const createTokenAccount = (
  payer: string,
  owner: string,
  mint: string,
  program: string = TOKEN_PROGRAM,
): Composed => ({
  program: ASSOCIATED_TOKEN_PROGRAM,
  accounts: [
    signer(payer),
    writable(tokenAddress(owner, mint, program)),
    readonly(owner),
    readonly(mint),
    readonly(SYSTEM_PROGRAM),
    readonly(program),
  ],
  data: Uint8Array.of(1),
})

export const transferLamports = (from: string, to: string, lamports: bigint): Composed => ({
  program: SYSTEM_PROGRAM,
  accounts: [signer(from), writable(to)],
  data: Buffer.concat([u32(2), u64(lamports)]),
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

/** Adds lamports sent to a wrapped-SOL account to its balance. */
export const syncNative = (account: string): Composed => ({
  program: TOKEN_PROGRAM,
  accounts: [writable(account)],
  data: Uint8Array.of(17),
})

/** Closes a token account; the lamports that it holds go to its owner. */
export const closeTokenAccount = (account: string, owner: string): Composed => ({
  program: TOKEN_PROGRAM,
  accounts: [writable(account), writable(owner), { address: owner, isSigner: true, isWritable: false }],
  data: Uint8Array.of(9),
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

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
