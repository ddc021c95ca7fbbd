/** Stake and vote accounts: who may stake, vote and withdraw. */
import { STAKE_PROGRAM } from '../../chains/solana/programs.ts'
import type { Findings } from '../findings.ts'
import { hands } from '../ledger.ts'
import {
  at,
  type DataReader,
  type InstructionReader,
  type Memory,
  type ProgramCall,
  said,
  signerOf,
  table,
} from './call.ts'
import { keyIn, moves, who } from './lamports.ts'

/** Where an instruction that gives an account away names the giver and the recipient. */
interface Authorization {
  readonly what: 'stake' | 'vote'
  readonly from: number
  /** An account; absent if the key is in the data. */
  readonly to?: number
}

/** @param read  the data, up to its end. @returns the key in it */
const authorize =
  ({ what, from, to: toAt }: Authorization, read: (data: DataReader) => string | null): InstructionReader =>
  (call, data, found) => {
    const inData = read(data)
    const to = toAt === undefined ? inData : at(call, toAt)
    const [account, giver, by] = [at(call, 0), at(call, from), { by: signerOf(call, found) }]
    const words = `makes ${who(to, found)} the authority of the ${what} account ${account}`
    const control = hands(giver, account, to, `the ${what}`, 'stake_authority', by)
    found.act('authority', words, { program: call.program, from: giver, to }, [control])
  }

const keyAndKind = (data: DataReader): string | null => {
  const key = data.key()
  data.u32()
  return key
}
const kindAlone = (data: DataReader): null => {
  data.u32()
  return null
}
/** Of an authority that is derived from a seed. */
const seeded = (data: DataReader): null => {
  data.u32()
  data.key()
  data.text()
  return null
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
  (call, data, found) =>
    moves(call, found, {
      from: at(call, 0),
      authority: at(call, authorityAt),
      to: at(call, 1),
      lamports: data.u64(),
    })

/** A new account of these authorities. */
function begins(
  call: ProgramCall,
  found: Findings,
  memory: Memory,
  what: Authorization['what'],
  keys: readonly (string | null)[],
) {
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
    1: authorize({ what: 'stake', from: 2 }, keyAndKind),
    2: stakes((call) => `delegates the stake ${at(call, 0)} to the validator ${at(call, 1)}`, false),
    3: stakes((call, lamports) => `splits ${lamports} lamports of the stake ${at(call, 0)} off`, true),
    4: withdraws(4),
    5: said('stake', 'deactivates a stake'),
    6: lockup('data'),
    7: stakes((call) => `merges the stake ${at(call, 1)} into ${at(call, 0)}`, false),
    8: authorize({ what: 'stake', from: 1 }, (data) => {
      const key = keyAndKind(data)
      data.text()
      data.key()
      return key
    }),
    9: (call, _, found, memory) => begins(call, found, memory, 'stake', [at(call, 2), at(call, 3)]),
    10: authorize({ what: 'stake', from: 2, to: 3 }, kindAlone),
    11: authorize({ what: 'stake', from: 1, to: 3 }, (data) => {
      data.u32()
      data.text()
      data.key()
      return null
    }),
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
    1: authorize({ what: 'vote', from: 2 }, keyAndKind),
    3: withdraws(2),
    7: authorize({ what: 'vote', from: 2, to: 3 }, kindAlone),
    10: authorize({ what: 'vote', from: 2 }, (data) => {
      seeded(data)
      return data.key()
    }),
    11: authorize({ what: 'vote', from: 2, to: 3 }, seeded),
  },
  (call, memory) => {
    if (call.data[0] === 0) memory.finishes(at(call, 0), keyIn(call, 68))
  },
)
