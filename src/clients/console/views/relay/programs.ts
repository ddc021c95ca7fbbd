/**
 * Programs by their names, and the compute budget: what instructions do, the explanation says.
 *
 * Source: anza-xyz/solana-sdk compute-budget-interface/src/lib.rs
 */
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  MEMO_PROGRAM,
  MEMO_V1_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../../../chains/solana/programs.ts'
import type { TransactionConfig } from '../../../../chains/solana/wire-v1.ts'
import { decimal } from '../../format.ts'

export const PROGRAM_NAMES: Readonly<Record<string, string>> = {
  [SYSTEM_PROGRAM]: 'System',
  [COMPUTE_BUDGET_PROGRAM]: 'Compute budget',
  [TOKEN_PROGRAM]: 'Token',
  [TOKEN_2022_PROGRAM]: 'Token-2022',
  [ASSOCIATED_TOKEN_PROGRAM]: 'Associated token account',
  [MEMO_V1_PROGRAM]: 'Memo (first version)',
  [MEMO_PROGRAM]: 'Memo',
  JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4: 'Jupiter v6',
  [LOOKUP_TABLE_PROGRAM]: 'Address lookup table',
  Stake11111111111111111111111111111111111111: 'Stake',
  Vote111111111111111111111111111111111111111: 'Vote',
}

/** The compute budget in a message of version 1. A limit that is not set is zero. */
export function budgetOf(config: TransactionConfig): string {
  const { priorityFee, computeUnitLimit, loadedAccountsDataSizeLimit, heapSize } = config
  return [
    ...(priorityFee === null
      ? []
      : [`Priority fee of ${decimal(String(priorityFee), LAMPORT_DECIMALS)} SOL`]),
    `At most ${grouped(computeUnitLimit ?? 0)} compute units`,
    ...(loadedAccountsDataSizeLimit === null
      ? []
      : [`Load at most ${grouped(loadedAccountsDataSizeLimit)} bytes`]),
    ...(heapSize === null ? [] : [`Heap of ${grouped(heapSize)} bytes`]),
  ].join('; ')
}

const LAMPORT_DECIMALS = 9

/** @param data  of an instruction of the compute budget @returns null for one that is not known */
export function settingOf(data: Uint8Array): string | null {
  const view = new DataView(data.buffer, data.byteOffset, data.length)
  const kind = data[0]
  if (kind === 3 && data.length === 9)
    return `${grouped(view.getBigUint64(1, true))} micro-lamports for each compute unit`
  if (data.length !== 5) return null
  const value = grouped(view.getUint32(1, true))
  if (kind === 1) return `Heap of ${value} bytes`
  if (kind === 2) return `At most ${value} compute units`
  return kind === 4 ? `Load at most ${value} bytes` : null
}

const grouped = (value: number | bigint): string => value.toLocaleString('en-US')
