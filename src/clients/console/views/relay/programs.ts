/**
 * Decodes instructions of the programs that wallets call most. Bytes that do not
 * match a known layout are shown as bytes, never guessed at.
 *
 * Source: anza-xyz/solana-sdk system-interface/src/instruction.rs ·
 * compute-budget-interface/src/lib.rs · solana-program/token interface/src/instruction.rs ·
 * associated-token-account interface/src/instruction.rs
 */
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  MEMO_V1_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../../../chains/solana/programs.ts'
import type { TransactionConfig } from '../../../../chains/solana/wire-v1.ts'

export const PROGRAM_NAMES: Readonly<Record<string, string>> = {
  [SYSTEM_PROGRAM]: 'System',
  [COMPUTE_BUDGET_PROGRAM]: 'Compute budget',
  [TOKEN_PROGRAM]: 'Token',
  [TOKEN_2022_PROGRAM]: 'Token-2022',
  [ASSOCIATED_TOKEN_PROGRAM]: 'Associated token account',
  [MEMO_V1_PROGRAM]: 'Memo (first version)',
  [MEMO_PROGRAM]: 'Memo',
  JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4: 'Jupiter v6',
  AddressLookupTab1e1111111111111111111111111: 'Address lookup table',
  Stake11111111111111111111111111111111111111: 'Stake',
  Vote111111111111111111111111111111111111111: 'Vote',
}

/** @param accounts  addresses in the instruction's order; for looked-up accounts, the table and index */
export function meaningOf(program: string, data: Uint8Array, accounts: readonly string[]): string | null {
  const view = new DataView(data.buffer, data.byteOffset, data.length)
  const [first = '?', second = '?', third = '?', fourth = '?'] = accounts
  switch (program) {
    case SYSTEM_PROGRAM:
      return system(view, first, second)
    case COMPUTE_BUDGET_PROGRAM:
      return computeBudget(view)
    case TOKEN_PROGRAM:
    case TOKEN_2022_PROGRAM:
      return token(view, [first, second, third, fourth])
    case ASSOCIATED_TOKEN_PROGRAM:
      return data.length <= 1 && (data[0] ?? 0) <= 1
        ? `Create the token account of ${third} for ${fourth}, paid by ${first}`
        : null
    case MEMO_PROGRAM:
    case MEMO_V1_PROGRAM:
      return memo(data)
    default:
      return null
  }
}

function system(data: DataView, first: string, second: string): string | null {
  if (data.byteLength < 4) return null
  const kind = data.getUint32(0, true)
  if (kind === 2 && data.byteLength === 12) {
    return `Transfer ${sol(data.getBigUint64(4, true))} from ${first} to ${second}`
  }
  if (kind === 0 && data.byteLength === 52) {
    const [lamports, space] = [data.getBigUint64(4, true), data.getBigUint64(12, true)]
    return `Create the account ${second} of ${space} bytes with ${sol(lamports)} from ${first}`
  }
  if (kind === 4 && data.byteLength === 4) return `Advance the durable nonce of ${first}`
  return null
}

/** The compute budget in a message of version 1. A limit that is not set is zero. */
export function budgetOf(config: TransactionConfig): string {
  const { priorityFee, computeUnitLimit, loadedAccountsDataSizeLimit, heapSize } = config
  return [
    ...(priorityFee === null ? [] : [`Priority fee of ${sol(priorityFee)}`]),
    `At most ${grouped(computeUnitLimit ?? 0)} compute units`,
    ...(loadedAccountsDataSizeLimit === null
      ? []
      : [`Load at most ${grouped(loadedAccountsDataSizeLimit)} bytes`]),
    ...(heapSize === null ? [] : [`Heap of ${grouped(heapSize)} bytes`]),
  ].join('; ')
}

function computeBudget(data: DataView): string | null {
  const kind = data.byteLength === 0 ? null : data.getUint8(0)
  if (kind === 1 && data.byteLength === 5) return `Heap of ${grouped(data.getUint32(1, true))} bytes`
  if (kind === 2 && data.byteLength === 5) return `At most ${grouped(data.getUint32(1, true))} compute units`
  if (kind === 3 && data.byteLength === 9) {
    return `${grouped(data.getBigUint64(1, true))} micro-lamports for each compute unit`
  }
  if (kind === 4 && data.byteLength === 5) return `Load at most ${grouped(data.getUint32(1, true))} bytes`
  return null
}

function token(data: DataView, accounts: readonly [string, string, string, string]): string | null {
  const [first, second, third, fourth] = accounts
  const kind = data.byteLength === 0 ? null : data.getUint8(0)
  const units = (): string => `${grouped(data.getBigUint64(1, true))} base units`
  const isPlain = data.byteLength === 9
  const isChecked = data.byteLength === 10
  if (kind === 3 && isPlain) return `Transfer ${units()} from ${first} to ${second}, by ${third}`
  if (kind === 4 && isPlain) return `Approve ${second} to spend ${units()} of ${first}, by ${third}`
  if (kind === 5 && data.byteLength === 1) return `Revoke the approval on ${first}, by ${second}`
  if (kind === 7 && isPlain) return `Mint ${units()} of ${first} to ${second}, by ${third}`
  if (kind === 8 && isPlain) return `Burn ${units()} of ${second} from ${first}, by ${third}`
  if (kind === 9 && data.byteLength === 1) return `Close ${first} and send the rest to ${second}, by ${third}`
  if (kind === 12 && isChecked) {
    return `Transfer ${decimal(data)} of ${second} from ${first} to ${third}, by ${fourth}`
  }
  if (kind === 13 && isChecked) {
    return `Approve ${third} to spend ${decimal(data)} of ${second} from ${first}, by ${fourth}`
  }
  if (kind === 17 && data.byteLength === 1) return `Sync the wrapped SOL balance of ${first}`
  return null
}

/** Formats a u64 of base units, followed by the mint's decimals in the instruction. */
function decimal(data: DataView): string {
  return fixed(data.getBigUint64(1, true), data.getUint8(9))
}

function memo(data: Uint8Array): string | null {
  try {
    return `Says: ${new TextDecoder('utf-8', { fatal: true }).decode(data)}`
  } catch {
    return null
  }
}

const LAMPORT_DECIMALS = 9

const sol = (lamports: bigint): string => `${fixed(lamports, LAMPORT_DECIMALS)} SOL`

/** An exact decimal: amounts about to be signed or sent are not rounded. */
export function fixed(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0')
  const whole = grouped(BigInt(digits.slice(0, digits.length - decimals)))
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return part === '' ? whole : `${whole}.${part}`
}

const grouped = (value: number | bigint): string => value.toLocaleString('en-US')
