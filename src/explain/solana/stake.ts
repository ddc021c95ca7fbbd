/** Stake and vote accounts: who may stake, vote and withdraw. */
import { STAKE_PROGRAM } from '../../chains/solana/programs.ts'
import type { Findings } from '../findings.ts'
import { hands, type Who } from '../ledger.ts'
import { at, type InstructionReader, type Memory, type ProgramCall, said, signerOf, table } from './call.ts'
import { keyIn, moves, who } from './lamports.ts'

type What = 'stake' | 'vote'
type Layout = readonly ('to' | 'key' | 'u32' | 'text')[]

/**
 * Gives an account away.
 * @param from    the giver, by the place among the accounts
 * @param layout  the data, up to its end: `to` is the recipient's key
 * @param toAt    the recipient, by the place, if the data does not name them
 */
const authorize =
  (what: What, from: number, layout: Layout, toAt = -1): InstructionReader =>
  (call, data, found) => {
    let to = at(call, toAt)
    for (const field of layout) {
      if (field === 'to') to = data.key()
      else data[field]()
    }
    const [account, giver, by] = [at(call, 0), at(call, from), { by: signerOf(call, found) }]
    const words = `makes ${who(to, found)} the authority of the ${what} account ${account}`
    const control = hands(giver, account, to, `the ${what}`, 'stake_authority', by)
    found.act('authority', words, { program: call.program, from: giver, to }, [control])
  }

const lockup =
  (custodianIn: 'data' | 'accounts'): InstructionReader =>
  (call, data, found) => {
    for (let i = 0; i < 2; i++) if (data.u8() !== 0) data.u64()
    const to = custodianIn === 'data' ? data.optionalKey() : at(call, 2)
    const [account, from, by] = [at(call, 0), at(call, 1), { by: signerOf(call, found) }]
    // The lockup is worthless if its custodian can lift it at any time.
    const control = hands(from, account, null, 'withdrawing', 'stake_authority', by)
    const words = `changes the lockup of the stake account ${account}`
    found.act('authority', words, { program: call.program, from, to }, [control])
  }

/** What stays among accounts of the same authorities, as the program itself demands. */
const stakes =
  (words: (call: ProgramCall, lamports: bigint) => string, hasLamports: boolean): InstructionReader =>
  (call, data, found) => {
    const lamports = hasLamports ? data.u64() : 0n
    const more = hasLamports ? { asset: 'native', amount: String(lamports) } : {}
    found.act('stake', words(call, lamports), { program: STAKE_PROGRAM, ...more, to: at(call, 1) }, [])
  }

const withdraws =
  (authorityAt: number): InstructionReader =>
  (call, data, found) => {
    const [from, to, authority] = [at(call, 0), at(call, 1), at(call, authorityAt)]
    moves(call, found, { from, authority, to, lamports: data.u64() })
  }

/** A new account of these authorities. */
function begins(call: ProgramCall, found: Findings, memory: Memory, what: What, keys: readonly Who[]) {
  const [account, to] = [at(call, 0), keys.at(-1) ?? null]
  const maker = memory.makerOf(account)
  const effects = keys.map((key) => hands(maker, account, key, `the ${what}`, 'stake_authority'))
  const words = `makes the ${what} account ${account} of ${who(to, found)}`
  found.act('stake', words, { program: call.program, to }, effects)
}

export const STAKE = table(
  4,
  {
    0: (call, data, found, memory) => {
      const [staker, withdrawer] = [data.key(), data.key()]
      const [time, epoch, custodian] = [data.u64(), data.u64(), data.key()]
      const locks = time > 0n || epoch > 0n ? [custodian] : []
      begins(call, found, memory, 'stake', [...locks, staker, withdrawer])
    },
    1: authorize('stake', 2, ['to', 'u32']),
    2: stakes((call) => `delegates the stake ${at(call, 0)} to the validator ${at(call, 1)}`, false),
    3: stakes((call, lamports) => `splits ${lamports} lamports of the stake ${at(call, 0)} off`, true),
    4: withdraws(4),
    5: said('stake', 'deactivates a stake'),
    6: lockup('data'),
    7: stakes((call) => `merges the stake ${at(call, 1)} into ${at(call, 0)}`, false),
    8: authorize('stake', 1, ['to', 'u32', 'text', 'key']),
    9: (call, _, found, memory) => begins(call, found, memory, 'stake', [at(call, 2), at(call, 3)]),
    10: authorize('stake', 2, ['u32'], 3),
    11: authorize('stake', 1, ['u32', 'text', 'key'], 3),
    12: lockup('accounts'),
    16: stakes((call) => `moves stake of ${at(call, 0)} to ${at(call, 1)}`, true),
    17: stakes((call) => `moves free lamports of the stake ${at(call, 0)} to ${at(call, 1)}`, true),
  },
  (call, memory) => {
    if (call.data[0] === 0) memory.finishes(at(call, 0), keyIn(call, 36))
    if (call.data[0] === 3) memory.splits(at(call, 1), at(call, 2))
    if (call.data[0] === 9) memory.finishes(at(call, 0), at(call, 3))
  },
)

export const VOTE = table(
  4,
  {
    ...Object.fromEntries(
      [2, 6, 8, 9, 12, 13, 14, 15].map((kind) => [kind, said('vote', 'votes as a validator')]),
    ),
    0: (call, data, found, memory) => {
      data.key()
      const keys = [data.key(), data.key()]
      data.u8()
      begins(call, found, memory, 'vote', keys)
    },
    1: authorize('vote', 2, ['to', 'u32']),
    3: withdraws(2),
    7: authorize('vote', 2, ['u32'], 3),
    10: authorize('vote', 2, ['u32', 'key', 'text', 'to']),
    11: authorize('vote', 2, ['u32', 'key', 'text'], 3),
  },
  (call, memory) => {
    if (call.data[0] === 0) memory.finishes(at(call, 0), keyIn(call, 68))
  },
)
