/**
 * A transaction's fee: a fixed part per signature, and the priority fee that its compute
 * budget instructions set, or in version 1 the message itself.
 *
 *   [2][limit u32]     compute units at most
 *   [3][price u64]     micro-lamports for each of them
 *
 * Source: anza-xyz/agave compute-budget-instruction/src/compute_budget_instruction_details.rs ·
 * SIMD-0170
 */

import { encodeBase58 } from '../../chains/solana/base58.ts'
import { COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM } from '../../chains/solana/programs.ts'
import type { WireTransaction } from '../../chains/solana/wire.ts'
import { configOf } from '../../chains/solana/wire-v1.ts'

export const LAMPORTS_PER_SIGNATURE = 5_000n
const MICRO_LAMPORTS = 1_000_000n
const SET_LIMIT = 2
const SET_PRICE = 3
const MAX_UNITS = 1_400_000n
/** Compute units per instruction without a limit. */
const USUAL_UNITS = 200_000n
const BUILTIN_UNITS = 3_000n
/** The builtin programs that wallets call. */
const BUILTINS: ReadonlySet<string> = new Set([SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM])

/** @returns lamports */
export function feeOf(wire: WireTransaction): bigint {
  const base = LAMPORTS_PER_SIGNATURE * BigInt(wire.requiredSignatures)
  const config = configOf(wire)
  if (config !== null) return base + (config.priorityFee ?? 0n)
  let price = 0n
  let limit: bigint | null = null
  let usual = 0n
  for (const { programIndex, data: bytes } of wire.instructions()) {
    const program = encodeBase58(wire.key(programIndex))
    usual += BUILTINS.has(program) ? BUILTIN_UNITS : USUAL_UNITS
    const data = Buffer.from(bytes)
    if (program !== COMPUTE_BUDGET_PROGRAM) continue
    if (data[0] === SET_LIMIT && data.length === 5) limit = BigInt(data.readUInt32LE(1))
    if (data[0] === SET_PRICE && data.length === 9) price = data.readBigUInt64LE(1)
  }
  const asked = limit ?? usual
  const units = asked < MAX_UNITS ? asked : MAX_UNITS
  const priority = (units * price + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS
  return base + priority
}
