/** A compromised Jupiter: its route instruction is changed, or others are added. */

import type { AccountUse } from '../../chains/solana/message.ts'
import { JUPITER_PROGRAM } from '../../proof/jupiter.ts'
import type { Composed } from '../solana/compose.ts'
import { tokenAddress, transferLamports } from '../solana/instructions.ts'
import { adding, close, extras, missingTable, type OpenedTransaction, open, STRANGER } from './solana.ts'
import { type Thief, theftsOf } from './thief.ts'

/** Accounts of `route_v2`. */
const [SOURCE, DESTINATION, MINT_OUT, PROGRAM_OUT, OVERRULING] = [1, 2, 4, 6, 7]
/** Where its arguments stand. */
const [AMOUNT_IN, QUOTED_OUT, SLIPPAGE_BPS, FEE_BPS, POSITIVE_BPS] = [8, 16, 24, 26, 28]
/** A worthless token: any mint will do. */
const WORTHLESS = 'mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So'

export const thief: Thief = (body) => {
  const member = 'swapTransaction' in body ? 'swapTransaction' : 'transaction'
  const whole = open(body[member])
  const route = whole?.instructions.find(({ program }) => program === JUPITER_PROGRAM)
  if (whole === null || route === undefined) return []
  const { wallet } = whole
  const { accounts } = route
  const feeBps = new DataView(Uint8Array.from(route.data).buffer).getUint16(FEE_BPS, true)
  const stolen = tokenAddress(STRANGER, accounts[MINT_OUT]!.address, accounts[PROGRAM_OUT]!.address)
  return theftsOf(whole, (changed) => ({ ...body, [member]: close(changed) }), [
    ['lets a stranger receive', rerouted({ [DESTINATION]: stolen })],
    ['lets a stranger receive beside the wallet', rerouted({ [OVERRULING]: stolen })],
    [
      'sells twice as much',
      numbered((view) => view.setBigUint64(AMOUNT_IN, 2n * view.getBigUint64(AMOUNT_IN, true), true)),
    ],
    ['promises nothing', numbered((view) => view.setBigUint64(QUOTED_OUT, 1n, true))],
    ['lets all of it slip', numbered((view) => view.setUint16(SLIPPAGE_BPS, 10_000, true))],
    ['takes a fee', numbered((view) => view.setUint16(FEE_BPS, 500, true))],
    [
      'takes a bps more than it stated',
      numbered((view) => view.setUint16(FEE_BPS, view.getUint16(FEE_BPS, true) + 1, true)),
    ],
    ...(feeBps === 0 ? [] : [LEAVES_OUT_FEE]),
    ['keeps what is above the quote', numbered((view) => view.setUint16(POSITIVE_BPS, 10_000, true))],
    [
      'buys something worthless',
      rerouted({ [MINT_OUT]: WORTHLESS, [DESTINATION]: tokenAddress(wallet, WORTHLESS) }),
    ],
    ['swaps twice', adding(route)],
    ['wraps more than is sold', adding(transferLamports(wallet, accounts[SOURCE]!.address, 1_000_000_000n))],
    ...extras(wallet, accounts[DESTINATION]!.address),
  ]).concat({
    what: 'names a lookup table that is not there yet',
    rob: () => ({ ...body, [member]: missingTable(whole, accounts.at(-1)!.address) }),
  })
}

const onRoute =
  (change: (route: Composed) => Composed) =>
  (whole: OpenedTransaction): OpenedTransaction => ({
    ...whole,
    instructions: whole.instructions.map((one) => (one.program === JUPITER_PROGRAM ? change(one) : one)),
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

/** A quoted amount whose minimum is the agreed one before the fee, and less than it after. */
const LEAVES_OUT_FEE = [
  'leaves its fee out of the minimum',
  numbered((view) => {
    const quoted = view.getBigUint64(QUOTED_OUT, true)
    const fee = (quoted * BigInt(view.getUint16(FEE_BPS, true))) / 10_000n
    view.setBigUint64(QUOTED_OUT, quoted - fee, true)
  }),
] as const
