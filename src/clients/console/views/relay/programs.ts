/**
 * The names of programs, and the compute budget's settings.
 *
 * Source: anza-xyz/solana-sdk compute-budget-interface/src/lib.rs
 */
import { PROGRAM_NAMES } from '../../../../chains/solana/programs.ts'
import type { TransactionConfig } from '../../../../chains/solana/wire-v1.ts'
import { decimal } from '../../format.ts'

/** As a label: "System program"; null for an unknown program. */
export function programNameOf(address: string): string | null {
  const name = PROGRAM_NAMES.get(address)?.replace(/^the /, '')
  return name === undefined ? null : name[0]!.toUpperCase() + name.slice(1)
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
