/** The System program, and the program of associated token accounts: what makes accounts and moves lamports. */
import {
  LOADER_PROGRAM,
  STAKE_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  VOTE_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../chains/solana/programs.ts'
import { accountRent, SOLANA_CEILING } from '../../proof/terms/fees.ts'
import type { Findings } from '../findings.ts'
import { DEPOSIT, hands, opens, pays, receives } from '../ledger.ts'
import { at, type Call, isTokenProgram, type Memory, type Program, said, signerOf, table } from './call.ts'
import { keyIn, moves, rentOf, TOKEN_ACCOUNT_BYTES, who } from './lamports.ts'

/** Programs whose accounts have an owner once they are initialized. */
const PROGRAMS: ReadonlySet<string> = new Set([
  TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  STAKE_PROGRAM,
  VOTE_PROGRAM,
  LOADER_PROGRAM,
])

interface Creation {
  readonly payer: string | null
  readonly account: string | null
  readonly lamports: bigint
  readonly space: bigint
  readonly owner: string | null
}

/** An account's rent returns to its authority; anything beyond goes to them at once. */
function creates(call: Call, found: Findings, memory: Memory, made: Creation) {
  const { payer, account, lamports, space, owner } = made
  const authority = memory.authorityOf(account)
  // A nonce is an account of the System program, too.
  const isProgram = PROGRAMS.has(owner ?? '') || (owner === SYSTEM_PROGRAM && authority !== null)
  const beyond = lamports > rentOf(space) ? lamports - rentOf(space) : 0n
  const rent = lamports - beyond
  const more = memory.isTokens(account) ? {} : { what: DEPOSIT }
  // Of a part of a stake, the staker vouches for the rent alone.
  const to = memory.isSplit(account) ? account : (authority ?? account)
  const effects = isProgram
    ? [
        opens(payer, rent, authority ?? account),
        ...(beyond > 0n ? [pays(payer, 'native', beyond, to, more)] : []),
      ]
    : [pays(payer, 'native', lamports, account)]
  const gives = { asset: 'native', amount: String(lamports) }
  found.act(
    'create',
    `makes the account ${account} for ${who(owner, found)}, with ${found.says(gives)}`,
    { program: call.program, ...gives, from: payer, to: account },
    effects,
  )
  if (isProgram && authority === null && found.concerns(payer))
    found.risk('unfinished_account', `Anybody may say whose ${account} is, and take what it holds.`)
}

/** An account that is of another program from then on. */
function assigns(
  call: Call,
  found: Findings,
  account: string | null,
  base: string | null,
  to: string | null,
) {
  found.act(
    'assign',
    `gives the account ${account} to ${who(to, found)}`,
    { program: call.program, from: base, to },
    [hands(base, account, to, 'ownership', 'account_assigned', { by: signerOf(call, found) })],
  )
}

export const SYSTEM = table(
  4,
  {
    0: (call, data, found, memory) => {
      const [lamports, space, owner] = [data.u64(), data.u64(), data.key()]
      creates(call, found, memory, { payer: at(call, 0), account: at(call, 1), lamports, space, owner })
    },
    1: (call, data, found) => assigns(call, found, at(call, 0), at(call, 0), data.key()),
    2: (call, data, found, memory) => {
      const [from, account] = [at(call, 0), at(call, 1)]
      // Lamports in a token account are its owner's wrapped SOL.
      const to = memory.ownerOf(account, WRAPPED_SOL_MINT) ?? account
      moves(call, found, { from, authority: from, to, lamports: data.u64() })
    },
    3: (call, data, found, memory) => {
      data.key()
      data.text()
      const [lamports, space, owner] = [data.u64(), data.u64(), data.key()]
      creates(call, found, memory, { payer: at(call, 0), account: at(call, 1), lamports, space, owner })
    },
    4: (call, _, found) => {
      const authority = at(call, 2)
      const words = `advances the nonce ${at(call, 0)}`
      found.act('nonce', words, { program: SYSTEM_PROGRAM, from: authority }, [])
      if (call.where !== 'instruction 1') return
      const severity = found.isOwn(authority) ? 'warning' : 'danger'
      found.risk(
        'durable_nonce',
        `It can be sent at any time until ${authority} advances the nonce.`,
        severity,
      )
    },
    5: (call, data, found) => {
      const parts = { from: at(call, 0), authority: at(call, 4), to: at(call, 1), lamports: data.u64() }
      moves(call, found, parts, { code: 'close_to_stranger' })
    },
    6: (call, data, found, memory) => {
      const authority = data.key()
      found.act(
        'nonce',
        `makes the nonce account ${at(call, 0)} for ${who(authority, found)}`,
        { program: SYSTEM_PROGRAM, to: authority },
        [hands(memory.makerOf(at(call, 0)), at(call, 0), authority, 'the nonce', 'nonce_authority')],
      )
    },
    7: (call, data, found) => {
      const [nonce, from, to] = [at(call, 0), at(call, 1), data.key()]
      found.act(
        'authority',
        `gives the nonce account ${nonce} to ${who(to, found)}`,
        { program: SYSTEM_PROGRAM, from, to },
        [hands(from, nonce, to, 'the nonce', 'nonce_authority', { by: signerOf(call, found) })],
      )
    },
    8: (call, data, found) => {
      const account = at(call, 0)
      found.act(
        'assign',
        `gives the account ${account} ${data.u64()} bytes of data`,
        { program: SYSTEM_PROGRAM, from: account },
        // With data a wallet cannot pay any more.
        [hands(account, account, null, 'paying', 'account_assigned')],
      )
    },
    9: (call, data, found) => {
      const base = data.key()
      data.text()
      data.u64()
      assigns(call, found, at(call, 0), base, data.key())
    },
    10: (call, data, found) => {
      const base = data.key()
      data.text()
      assigns(call, found, at(call, 0), base, data.key())
    },
    11: (call, data, found) => {
      const lamports = data.u64()
      data.text()
      data.key()
      moves(call, found, { from: at(call, 0), authority: at(call, 1), to: at(call, 2), lamports })
    },
    12: said('nonce', 'brings a nonce account to the newer form'),
  },
  (call, memory) => {
    const kind = call.data[0]
    if (kind === 0 || kind === 3) memory.makes(at(call, 1), at(call, 0))
    if (kind === 6) memory.finishes(at(call, 0), keyIn(call, 4))
  },
)

export const ASSOCIATED: Program = {
  foresee(call, memory) {
    if ((call.data[0] ?? 0) < 2 && isTokenProgram(at(call, 5)))
      memory.opens(at(call, 1), at(call, 2), at(call, 3))
  },
  read(call, found) {
    const { data, program, where } = call
    const kind = data.length === 0 ? 0 : data[0]!
    if (kind > 2 || data.length > 1) return found.leave(where, 'it is no instruction of the program', data)
    const [payer, account, owner, mint] = [0, 1, 2, 3].map((i) => at(call, i)) as (string | null)[]
    const tokens = at(call, kind === 2 ? 6 : 5)
    if (kind === 2) {
      const [nested, wallet] = [at(call, 1), at(call, 5)]
      const words = `moves what a nested account holds to ${who(wallet!, found)}`
      found.act('close', words, { program, asset: nested, to: wallet }, [receives(wallet, nested, null)])
    } else {
      const rent = tokens === TOKEN_PROGRAM ? rentOf(TOKEN_ACCOUNT_BYTES) : accountRent(SOLANA_CEILING)
      found.act(
        'create',
        `opens the token account ${account} of ${who(owner!, found)}`,
        { program, asset: mint!, from: payer!, to: account! },
        [opens(payer!, rent, owner!)],
      )
    }
    if (isTokenProgram(tokens)) return
    found.leave(where, 'it calls a token program that is not known here', data)
    if (signerOf(call, found) !== undefined)
      found.risk('unknown_call', `${tokens} gets the wallet's signature, and may pass it on.`)
  },
}
