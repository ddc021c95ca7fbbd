/** A compromised Jupiter: its route instruction is changed, or others are added. */

import type { AccountUse } from '../../chains/solana/message.ts'
import { SYSTEM_PROGRAM } from '../../chains/solana/programs.ts'
import { JUPITER_PROGRAM } from '../../proof/jupiter.ts'
import type { Composed } from '../solana/compose.ts'
import { tokenAddress, transferLamports } from '../solana/instructions.ts'
import {
  adding,
  extras,
  type OpenedTransaction,
  STRANGE_TABLE,
  STRANGER,
  type TransactionChange,
} from './solana.ts'
import { type Fields, type Thief, theftsOf } from './thief.ts'

/** Accounts of `route_v2`. */
const [SOURCE, DESTINATION, MINT_OUT, PROGRAM_OUT, OVERRULING] = [1, 2, 4, 6, 7]
/** Where its arguments stand. */
const [AMOUNT_IN, QUOTED_OUT, SLIPPAGE_BPS, FEE_BPS, POSITIVE_BPS] = [8, 16, 24, 26, 28]
/** A worthless token: any mint will do. */
const WORTHLESS = 'mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So'

export const thief: Thief = (body) => {
  const whole = openInstructions(body)
  const route = whole?.instructions.find(isRoute)
  if (whole === null || route === undefined) return []
  const missing = {
    ...body,
    addressesByLookupTableAddress: { [STRANGE_TABLE]: [route.accounts.at(-1)!.address] },
  }
  return theftsOf(whole, (changed) => withInstructions(body, changed), changesOf(whole)).concat({
    what: 'names a lookup table that is not there yet',
    rob: () => missing,
  })
}

/** Thefts that work with a transaction of Jupiter's. */
export function changesOf({ wallet, instructions }: OpenedTransaction): readonly TransactionChange[] {
  const route = instructions.find(isRoute)!
  const { accounts } = route
  const stolen = tokenAddress(STRANGER, accounts[MINT_OUT]!.address, accounts[PROGRAM_OUT]!.address)
  return [
    ['lets a stranger receive', rerouted({ [DESTINATION]: stolen })],
    ['lets a stranger receive beside the wallet', rerouted({ [OVERRULING]: stolen })],
    [
      'sells twice as much',
      numbered((view) => view.setBigUint64(AMOUNT_IN, 2n * view.getBigUint64(AMOUNT_IN, true), true)),
    ],
    ['promises nothing', numbered((view) => view.setBigUint64(QUOTED_OUT, 1n, true))],
    ['lets all of it slip', numbered((view) => view.setUint16(SLIPPAGE_BPS, 10_000, true))],
    ['takes a fee', numbered((view) => view.setUint16(FEE_BPS, 500, true))],
    ['takes a bps that it did not state', numbered((view) => view.setUint16(FEE_BPS, 1, true))],
    ['keeps what is above the quote', numbered((view) => view.setUint16(POSITIVE_BPS, 10_000, true))],
    [
      'buys something worthless',
      rerouted({ [MINT_OUT]: WORTHLESS, [DESTINATION]: tokenAddress(wallet, WORTHLESS) }),
    ],
    ['swaps twice', adding(route)],
    ['wraps more than is sold', adding(transferLamports(wallet, accounts[SOURCE]!.address, 1_000_000_000n))],
    ...extras(wallet, accounts[DESTINATION]!.address),
  ]
}

/** The lists of instructions in an answer, in the order in which they are executed. */
const [BUDGET, SETUP, SWAP, CLEANUP, OTHER] = [
  'computeBudgetInstructions',
  'setupInstructions',
  'swapInstruction',
  'cleanupInstruction',
  'otherInstructions',
] as const

interface Sent {
  readonly programId: string
  readonly accounts: readonly {
    readonly pubkey: string
    readonly isSigner: boolean
    readonly isWritable: boolean
  }[]
  readonly data: string
}

const isRoute = ({ program }: Composed): boolean => program === JUPITER_PROGRAM

/** @returns null for an answer that has none */
export function openInstructions(body: Fields): OpenedTransaction | null {
  if (!(SWAP in body)) return null
  const sent = [BUDGET, SETUP, SWAP, CLEANUP, OTHER].flatMap((name) => (body[name] ?? []) as Sent | Sent[])
  const instructions = sent.map(({ programId, accounts, data }) => ({
    program: programId,
    accounts: accounts.map(({ pubkey, ...use }) => ({ address: pubkey, ...use })),
    data: Uint8Array.from(Buffer.from(data, 'base64')),
  }))
  const wallet = instructions.find(isRoute)?.accounts.find(({ isSigner }) => isSigner)?.address
  return wallet === undefined ? null : { wallet, instructions, blockhash: SYSTEM_PROGRAM }
}

function withInstructions(body: Fields, { instructions }: OpenedTransaction): Fields {
  const sent = instructions.map(
    ({ program, accounts, data }): Sent => ({
      programId: program,
      accounts: accounts.map(({ address, ...use }) => ({ pubkey: address, ...use })),
      data: Buffer.from(data).toString('base64'),
    }),
  )
  const at = instructions.findIndex(isRoute)
  const after = { [SWAP]: sent[at], [CLEANUP]: null, [OTHER]: sent.slice(at + 1) }
  return { ...body, [BUDGET]: [], [SETUP]: sent.slice(0, at), ...after }
}

const onRoute =
  (change: (route: Composed) => Composed) =>
  (whole: OpenedTransaction): OpenedTransaction => ({
    ...whole,
    instructions: whole.instructions.map((one) => (isRoute(one) ? change(one) : one)),
  })

/** Replaces accounts by their positions. */
const rerouted = (addresses: Readonly<Record<number, string>>) =>
  onRoute((route) => ({
    ...route,
    accounts: route.accounts.map(
      (use, at): AccountUse => ({ ...use, address: addresses[at] ?? use.address }),
    ),
  }))

/** Changes the arguments. */
const numbered = (change: (view: DataView) => void) =>
  onRoute((route) => {
    const data = Uint8Array.from(route.data)
    change(new DataView(data.buffer))
    return { ...route, data }
  })
