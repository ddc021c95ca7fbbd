/**
 * A transaction's fee: a fixed part per signature, and the priority fee that its compute
 * budget instructions set, or in version 1 the message itself.
 *
 * Source: anza-xyz/agave compute-budget-instruction/src/compute_budget_instruction_details.rs ·
 * SIMD-0170
 */

import { encodeBase58 } from '../../../chains/solana/base58.ts'
import { computeBudgetOf, MAX_COMPUTE_UNITS } from '../../../chains/solana/compute-budget.ts'
import { COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM } from '../../../chains/solana/programs.ts'
import type { WireTransaction } from '../../../chains/solana/wire.ts'
import { configOf } from '../../../chains/solana/wire-v1.ts'

export const LAMPORTS_PER_SIGNATURE = 5_000n
const MICRO_LAMPORTS = 1_000_000n
const MAX_UNITS = BigInt(MAX_COMPUTE_UNITS)
/** Compute units per instruction without a limit. */
const USUAL_UNITS = 200_000n
const BUILTIN_UNITS = 3_000n
/** The builtin programs that wallets call. */
const BUILTINS: ReadonlySet<string> = new Set([SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM])

/** What leaders rank by: micro-lamports for a compute unit. */
export function priceOf(wire: WireTransaction): bigint {
  const config = configOf(wire)
  if (config === null) return computeBudgetOf(wire)!.price
  return ((config.priorityFee ?? 0n) * MICRO_LAMPORTS) / BigInt(config.computeUnitLimit || 1)
}

/** @returns lamports */
export function feeOf(wire: WireTransaction, perSignature = LAMPORTS_PER_SIGNATURE): bigint {
  const base = perSignature * BigInt(wire.requiredSignatures)
  const config = configOf(wire)
  if (config !== null) return base + (config.priorityFee ?? 0n)
  const { price, limit } = computeBudgetOf(wire)!
  let usual = 0n
  for (const { programIndex } of wire.instructions()) {
    usual += BUILTINS.has(encodeBase58(wire.key(programIndex))) ? BUILTIN_UNITS : USUAL_UNITS
  }
  const asked = limit === null ? usual : BigInt(limit)
  const units = asked < MAX_UNITS ? asked : MAX_UNITS
  const priority = (units * price + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS
  return base + priority
}
