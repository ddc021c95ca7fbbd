/**
 * The programs of Solana that are read here. An instruction that is not in its program's table, is shorter than
 * its arguments or has bytes behind them is unknown.
 *
 * Source: anza-xyz/solana-sdk system-interface, stake-interface, vote-interface, loader-v3-interface,
 * address-lookup-table-interface · solana-program/token, token-2022, associated-token-account, memo · Jupiter's IDL
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
  WRAPPED_SOL_MINT,
} from '../../chains/solana/programs.ts'
import { JUPITER_PROGRAM } from '../jupiter.ts'
import type { Findings } from './findings.ts'
import { at, type Call, type Program, type Reading, said, table } from './solana-call.ts'
import { JUPITER } from './solana-jupiter.ts'
import { TOKEN, TOKEN_2022 } from './solana-token.ts'

const STAKE_PROGRAM = 'Stake11111111111111111111111111111111111111'
const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111'
const LOADER_PROGRAM = 'BPFLoaderUpgradeab1e11111111111111111111111'
const LIGHTHOUSE_PROGRAM = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95'

/** Lamports of rent that an account of a known program may lock without a word. */
const MAX_RENT = 10_000_000n

const NATIVE = { asset: 'native' } as const
function moves(call: Call, found: Findings, from: string | null, to: string | null, lamports: bigint | null) {
  const amount = lamports === null ? null : String(lamports)
  const words = `sends ${amount ?? 'all'} lamports to ${to ?? 'an account that is not shown'}`
  found.act('transfer', words, { program: call.program, ...NATIVE, amount, from, to })
}

function creates(
  call: Call,
  found: Findings,
  from: string | null,
  to: string | null,
  lamports: bigint,
  owner: string | null,
) {
  found.act('create', `makes the account ${to} for the program ${owner}, with ${lamports} lamports`, {
    program: call.program,
    ...NATIVE,
    amount: String(lamports),
    from,
    to,
  })
  if (
    found.isOwn(from) &&
    (lamports > MAX_RENT ||
      owner === null ||
      owner === SYSTEM_PROGRAM ||
      (programOf(owner) === undefined && !found.isOwn(to)))
  )
    found.pays(to, `${lamports} lamports`)
}

const SYSTEM = table(
  4,
  {
    0: (call, data, found) => {
      const lamports = data.u64()
      data.u64()
      creates(call, found, at(call, 0), at(call, 1), lamports, data.key())
    },
    1: (call, data, found) => {
      const owner = data.key()
      const account = at(call, 0)
      found.act('assign', `gives the account ${account} to the program ${owner}`, {
        program: SYSTEM_PROGRAM,
        from: account,
        to: owner,
      })
      if (found.isOwn(account)) found.hands('account_assigned', owner, "The wallet's account")
    },
    2: (call, data, found, memory) => {
      const [from, to] = [at(call, 0), at(call, 1)]
      const lamports = data.u64()
      moves(call, found, from, to, lamports)
      // Lamports in the wallet's own token account are its wrapped SOL.
      if (found.isOwn(from) && lamports > 0n && !found.isOwn(memory.ownerOf(to, WRAPPED_SOL_MINT)))
        found.pays(to, `${lamports} lamports`)
    },
    3: (call, data, found) => {
      data.key()
      data.text()
      const lamports = data.u64()
      data.u64()
      creates(call, found, at(call, 0), at(call, 1), lamports, data.key())
    },
    4: (call, _, found) => {
      const authority = at(call, 2)
      found.act('nonce', `advances the nonce ${at(call, 0)}`, { program: SYSTEM_PROGRAM, from: authority })
      if (call.where !== 'instruction 1') return
      const severity = found.isOwn(authority) ? 'warning' : 'danger'
      found.risk(
        'durable_nonce',
        `It can be sent at any time until ${authority} advances the nonce.`,
        severity,
      )
    },
    5: (call, data, found) => {
      const [nonce, to] = [at(call, 0), at(call, 1)]
      const lamports = data.u64()
      moves(call, found, nonce, to, lamports)
      found.hands('close_to_stranger', to, `What the nonce account ${nonce} holds`)
    },
    6: (call, data, found) => {
      const authority = data.key()
      found.act('nonce', `makes the nonce account ${at(call, 0)} for ${authority}`, {
        program: SYSTEM_PROGRAM,
        to: authority,
      })
      found.hands('nonce_authority', authority, 'The nonce account')
    },
    7: (call, data, found) => {
      const to = data.key()
      found.act('authority', `gives the nonce account ${at(call, 0)} to ${to}`, {
        program: SYSTEM_PROGRAM,
        from: at(call, 1),
        to,
      })
      found.hands('nonce_authority', to, 'The nonce account')
    },
    8: (call, data, found) => {
      const account = at(call, 0)
      found.act('assign', `gives the account ${account} ${data.u64()} bytes of data`, {
        program: SYSTEM_PROGRAM,
        from: account,
      })
      if (found.isOwn(account)) found.risk('account_assigned', 'With data the wallet cannot pay any more.')
    },
    9: said('assign', 'gives an account that is derived from a seed data of a length'),
    10: (call, data, found) => {
      const base = data.key()
      data.text()
      const owner = data.key()
      found.act('assign', `gives the account ${at(call, 0)} to the program ${owner}`, {
        program: SYSTEM_PROGRAM,
        from: base,
        to: owner,
      })
      if (found.isOwn(base)) found.hands('account_assigned', owner, 'An account that belongs to the wallet')
    },
    11: (call, data, found) => {
      const lamports = data.u64()
      data.text()
      data.key()
      moves(call, found, at(call, 0), at(call, 2), lamports)
      if (found.isOwn(at(call, 1))) found.pays(at(call, 2), `${lamports} lamports`)
    },
    12: said('nonce', 'brings a nonce account to the newer form'),
  },
  (call, memory) => {
    const kind = call.data[0]
    if (kind === 0 || kind === 3) memory.makes(at(call, 1))
    if (kind === 1 || kind === 8) memory.makes(at(call, 0))
  },
)

const ASSOCIATED: Program = {
  foresee: (call, memory) => memory.opens(at(call, 1), at(call, 2)),
  read(call, found) {
    const { data, program, where } = call
    const [payer, account, owner, mint] = [0, 1, 2, 3].map((i) => at(call, i)) as (string | null)[]
    const kind = data.length === 0 ? 0 : data[0]!
    if (kind > 2 || data.length > 1) return found.leave(where, 'it is no instruction of the program', data)
    const verb = kind === 2 ? 'moves what a nested account holds out of' : 'opens'
    found.act('create', `${verb} the token account ${account} of ${owner}`, {
      program,
      asset: mint!,
      from: payer!,
      to: account!,
    })
    if (kind < 2) found.pays(owner!, 'A token account that is paid for')
  },
}

const authorize =
  (what: string, newAt: number | null): Reading =>
  (call, data, found) => {
    const to = newAt === null ? data.key() : at(call, newAt)
    data.skip(data.rest().length)
    found.act('authority', `makes ${to} the authority of the ${what} account ${at(call, 0)}`, {
      program: call.program,
      to,
    })
    found.hands('stake_authority', to, `The ${what} account`)
  }

const lockup: Reading = (call, data, found) => {
  data.skip(data.rest().length)
  found.act('authority', `changes the lockup of the stake account ${at(call, 0)}`, { program: call.program })
  found.risk('stake_authority', 'A custodian may keep the stake from being withdrawn.')
}

const stakeMove =
  (toAt: number, signerAt: number): Reading =>
  (call, data, found) => {
    const lamports = data.u64()
    moves(call, found, at(call, 0), at(call, toAt), lamports)
    if (found.isOwn(at(call, signerAt)) && !found.isOwn(at(call, toAt)))
      found.pays(at(call, toAt), `${lamports} lamports of stake`)
  }

const STAKE = table(4, {
  0: (call, data, found) => {
    const [staker, withdrawer] = [data.key(), data.key()]
    const [time, epoch, custodian] = [data.u64(), data.u64(), data.key()]
    found.act('stake', `makes the stake account ${at(call, 0)} of ${withdrawer}`, {
      program: STAKE_PROGRAM,
      to: withdrawer,
    })
    for (const who of [staker, withdrawer]) found.hands('stake_authority', who, 'The new stake account')
    if (time > 0n || epoch > 0n) found.hands('stake_authority', custodian, 'The lockup')
  },
  1: authorize('stake', null),
  2: (call, _, found) =>
    found.act('stake', `delegates the stake ${at(call, 0)} to the validator ${at(call, 1)}`, {
      program: STAKE_PROGRAM,
      to: at(call, 1),
    }),
  3: (call, data, found, memory) => {
    const lamports = data.u64()
    found.act('stake', `splits ${lamports} lamports of the stake ${at(call, 0)} off`, {
      program: STAKE_PROGRAM,
      ...NATIVE,
      amount: String(lamports),
      to: at(call, 1),
    })
    if (!memory.isNew(at(call, 1) ?? '')) found.pays(at(call, 1), 'The stake')
  },
  4: stakeMove(1, 4),
  5: said('stake', 'deactivates a stake'),
  6: lockup,
  7: (call, _, found) => {
    found.act('stake', `merges the stake ${at(call, 1)} into ${at(call, 0)}`, {
      program: STAKE_PROGRAM,
      from: at(call, 1),
      to: at(call, 0),
    })
  },
  8: authorize('stake', null),
  9: (call, _, found) => {
    found.act('stake', `makes the stake account ${at(call, 0)} of ${at(call, 3)}`, {
      program: STAKE_PROGRAM,
      to: at(call, 3),
    })
    for (const who of [at(call, 2), at(call, 3)]) found.hands('stake_authority', who, 'The new stake account')
  },
  10: authorize('stake', 3),
  11: authorize('stake', 3),
  12: lockup,
  16: stakeMove(1, 2),
  17: stakeMove(1, 2),
})

const VOTE = table(4, {
  ...Object.fromEntries(
    [2, 6, 8, 9, 12, 13, 14, 15].map((kind) => [kind, said('vote', 'votes as a validator')]),
  ),
  0: said('vote', 'makes a vote account'),
  1: authorize('vote', null),
  3: stakeMove(1, 2),
  7: authorize('vote', 3),
  10: authorize('vote', 2),
  11: authorize('vote', 3),
})

const loaderAuthority =
  (newAt: number): Reading =>
  (call, _, found) => {
    const to = at(call, newAt)
    found.act('authority', `gives the program or buffer ${at(call, 0)} to ${to ?? 'nobody'}`, {
      program: LOADER_PROGRAM,
      from: at(call, 1),
      to,
    })
    if (to === null) return found.risk('authority_change', 'It can never be changed again.', 'warning')
    found.hands('authority_change', to, 'Who may change the code')
  }

const LOADER = table(4, {
  0: said('deploy', 'makes a buffer for code'),
  1: said('deploy', 'writes code into a buffer'),
  2: said('deploy', 'deploys a program'),
  3: (call, _, found) => {
    found.act('upgrade', `replaces the code of ${at(call, 1)} by the buffer ${at(call, 2)}`, {
      program: LOADER_PROGRAM,
      from: at(call, 2),
      to: at(call, 1),
    })
    found.risk('upgrade', `The program ${at(call, 1)} runs other code from then on.`)
    found.hands('close_to_stranger', at(call, 3), "The buffer's lamports")
  },
  4: loaderAuthority(2),
  5: (call, _, found) => {
    found.act('close', `closes ${at(call, 0)}`, {
      program: LOADER_PROGRAM,
      ...NATIVE,
      from: at(call, 0),
      to: at(call, 1),
    })
    found.hands('close_to_stranger', at(call, 1), 'What it holds')
  },
  6: said('deploy', 'makes room for more code'),
  7: loaderAuthority(2),
})

const LOOKUP_TABLE = table(4, {
  0: said('create', 'makes a lookup table'),
  1: said('create', 'freezes a lookup table'),
  2: said('create', 'adds addresses to a lookup table'),
  3: said('close', 'deactivates a lookup table'),
  4: (call, _, found) => {
    found.act('close', `closes the lookup table ${at(call, 0)}`, {
      program: call.program,
      ...NATIVE,
      to: at(call, 2),
    })
    found.hands('close_to_stranger', at(call, 2), 'What it holds')
  },
})

const BUDGET = table(1, {
  1: (_, data) => void data.u32(),
  2: (_, data) => void data.u32(),
  3: (_, data) => void data.u64(),
  4: (_, data) => void data.u32(),
})

const MEMO: Program = {
  read({ program, data }, found) {
    const text = new TextDecoder().decode(data).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '·')
    found.act('memo', `notes the text ${JSON.stringify(text.slice(0, 200))}`, { program })
    found.risk('sender_text', 'A memo moves nothing: it is only a text.', 'info')
  },
}

const LIGHTHOUSE: Program = {
  read({ where, program, data }, found) {
    if (data.length === 0 || data[0]! < 2)
      return found.leave(where, `${program} has other instructions, too`, data)
    found.act('assert', 'makes the transaction fail where balances are not as expected', { program })
  },
}

const PROGRAMS: ReadonlyMap<string, readonly [name: string, Program]> = new Map([
  [SYSTEM_PROGRAM, ['the System program', SYSTEM]],
  [ASSOCIATED_TOKEN_PROGRAM, ['the Associated Token program', ASSOCIATED]],
  [TOKEN_PROGRAM, ['the Token program', TOKEN]],
  [TOKEN_2022_PROGRAM, ['Token-2022', TOKEN_2022]],
  [COMPUTE_BUDGET_PROGRAM, ['the compute budget', BUDGET]],
  [MEMO_V1_PROGRAM, ['the Memo program', MEMO]],
  [MEMO_PROGRAM, ['the Memo program', MEMO]],
  [STAKE_PROGRAM, ['the Stake program', STAKE]],
  [VOTE_PROGRAM, ['the Vote program', VOTE]],
  [LOADER_PROGRAM, ['the upgradeable loader', LOADER]],
  [LOOKUP_TABLE_PROGRAM, ['the lookup table program', LOOKUP_TABLE]],
  [LIGHTHOUSE_PROGRAM, ['Lighthouse', LIGHTHOUSE]],
  [JUPITER_PROGRAM, ['Jupiter', JUPITER]],
])

/** @returns undefined for a program that is not read here */
export const programOf = (address: string): Program | undefined => PROGRAMS.get(address)?.[1]
export const nameOfProgram = (address: string): string | undefined => PROGRAMS.get(address)?.[0]
