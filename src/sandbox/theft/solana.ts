/**
 * Decomposes a Solana transaction into its instructions, which a thief changes before
 * composing it again; and the instructions that a thief may add to any transaction.
 */
import { decodeBase58, encodeBase58 } from '../../chains/solana/base58.ts'
import type { AccountUse } from '../../chains/solana/message.ts'
import { compileTransaction } from '../../chains/solana/message.ts'
import { COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../../chains/solana/programs.ts'
import { WireTransaction } from '../../chains/solana/wire.ts'
import { type Composed, composeMessage, unsigned } from '../solana/compose.ts'
import { setComputeUnitPrice, transferLamports } from '../solana/instructions.ts'

/** The thief's address. It needs no key: receiving is enough. */
export const STRANGER = encodeBase58(new Uint8Array(32).fill(0x66))
/** An unknown program. */
const STRANGE_PROGRAM = encodeBase58(new Uint8Array(32).fill(0x67))
export const STRANGE_TABLE = encodeBase58(new Uint8Array(32).fill(0x69))
/** Micro-lamports per unit: some SOL for a validator that shares. */
const COSTLY_PRICE = 20_000_000_000
const ALL_LAMPORTS = 1_000_000_000n

export interface OpenedTransaction {
  /** base58 of the fee payer. */
  readonly wallet: string
  readonly instructions: readonly Composed[]
  /** base58 */
  readonly blockhash: string
}

/** @returns null unless it is a transaction without lookup tables */
export function open(base64: unknown): OpenedTransaction | null {
  if (typeof base64 !== 'string' || base64 === '') return null
  const wire = new WireTransaction()
  if (wire.parse(Buffer.from(base64, 'base64')) !== null || wire.lookupCount > 0) return null
  const { keyCount, requiredSignatures, readonlySigned, readonlyUnsigned } = wire
  const address = (i: number): string => encodeBase58(wire.key(i))
  const use = (i: number): AccountUse => ({
    address: address(i),
    isSigner: i < requiredSignatures,
    isWritable:
      i < requiredSignatures ? i < requiredSignatures - readonlySigned : i < keyCount - readonlyUnsigned,
  })
  const instructions = wire.instructions().map(({ programIndex, accounts, data }) => ({
    program: address(programIndex),
    accounts: [...accounts].map(use),
    data: Uint8Array.from(data),
  }))
  return { wallet: address(0), instructions, blockhash: encodeBase58(wire.blockhash()) }
}

/** @returns base64, unsigned */
export const close = ({ wallet, instructions, blockhash }: OpenedTransaction): string =>
  unsigned(composeMessage(wallet, instructions, blockhash)).toString('base64')

/**
 * Takes an account from a lookup table that nobody has made: whoever makes it says which account it is.
 * @returns base64, unsigned
 */
export function missingTable(
  { wallet, instructions, blockhash }: OpenedTransaction,
  account: string,
): string {
  const transaction = compileTransaction({
    payer: wallet,
    instructions,
    tables: { [STRANGE_TABLE]: [account] },
    pinned: new Set(),
    blockhash: decodeBase58(blockhash, 32)!,
  })
  return Buffer.from(transaction!).toString('base64')
}

/** Appends instructions. */
export const adding =
  (...more: readonly Composed[]) =>
  (whole: OpenedTransaction): OpenedTransaction => ({
    ...whole,
    instructions: [...whole.instructions, ...more],
  })

export type TransactionChange = readonly [
  what: string,
  change: (whole: OpenedTransaction) => OpenedTransaction,
]

/**
 * Thefts that work with any transaction.
 * @param account  one of the wallet's token accounts
 */
export function extras(wallet: string, account: string): readonly TransactionChange[] {
  const token = (data: readonly number[], ...accounts: readonly AccountUse[]): Composed => ({
    program: TOKEN_PROGRAM,
    accounts,
    data: Uint8Array.from(data),
  })
  const writable: AccountUse = { address: account, isSigner: false, isWritable: true }
  const stranger: AccountUse = { address: STRANGER, isSigner: false, isWritable: false }
  const owner: AccountUse = { address: wallet, isSigner: true, isWritable: true }
  const key = [...decodeBase58(STRANGER, 32)!]
  const all = Array<number>(8).fill(0xff)
  return [
    ['sends lamports to a stranger', adding(transferLamports(wallet, STRANGER, ALL_LAMPORTS))],
    ['lets a stranger spend without an end', adding(token([4, ...all], writable, stranger, owner))],
    ['gives a token account to a stranger', adding(token([6, 2, 1, ...key], writable, owner))],
    [
      'closes a token account for a stranger',
      adding(token([9], writable, { ...stranger, isWritable: true }, owner)),
    ],
    [
      'hands the wallet to a program',
      adding({
        program: SYSTEM_PROGRAM,
        accounts: [owner],
        data: Uint8Array.from([1, 0, 0, 0, ...key]),
      }),
    ],
    [
      'calls a program that nobody knows',
      adding({ program: STRANGE_PROGRAM, accounts: [owner, writable], data: Uint8Array.of(1) }),
    ],
  ]
}

/** A priority fee of some SOL: the gateway composes Jupiter's transactions itself, and bounds it there. */
export const COSTLY: TransactionChange = [
  'pays a validator all there is',
  (whole) => ({
    ...whole,
    instructions: [
      setComputeUnitPrice(COSTLY_PRICE),
      ...whole.instructions.filter(
        ({ program, data }) => program !== COMPUTE_BUDGET_PROGRAM || data[0] !== 3,
      ),
    ],
  }),
]
