/** The System program, and the program of associated token accounts: what makes accounts and moves lamports. */
import * as programs from '../../chains/solana/programs.ts'
import { accountRent, rentOf, SOLANA_CEILING, TOKEN_ACCOUNT_BYTES } from '../../proof/terms/fees.ts'
import type { Findings } from '../findings.ts'
import { DEPOSIT, hands, opens, pays, receives, type Who } from '../ledger.ts'
import {
  at,
  type InstructionReader,
  isTokenProgram,
  type Program,
  type ProgramCall,
  said,
  signerOf,
  table,
} from './call.ts'
import { keyIn, moves, who } from './lamports.ts'

/** Programs whose accounts have an owner once they are initialized. */
const PROGRAMS: ReadonlySet<string> = new Set([
  programs.TOKEN_PROGRAM,
  programs.TOKEN_2022_PROGRAM,
  programs.STAKE_PROGRAM,
  programs.VOTE_PROGRAM,
  programs.LOADER_PROGRAM,
])

/** An account's rent returns to its authority; anything beyond goes to them at once. */
const creates: InstructionReader = (call, data, found, memory) => {
  const [payer, account] = [at(call, 0), at(call, 1)]
  const [lamports, space, owner] = [data.u64(), data.u64(), data.key()]
  const authority = memory.authorityOf(account)
  // A nonce is an account of the System program, too.
  const isProgram = PROGRAMS.has(owner ?? '') || (owner === programs.SYSTEM_PROGRAM && authority !== null)
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
  const words = `makes the account ${account} for ${who(owner, found)}, with ${found.says(gives)}`
  found.act('create', words, { program: call.program, ...gives, from: payer, to: account }, effects)
  if (isProgram && authority === null && found.concerns(payer))
    found.risk('unfinished_account', `Anybody may say whose ${account} is, and take what it holds.`)
}

/** An account that is of another program from then on. */
function assigns(call: ProgramCall, found: Findings, account: Who, base: Who, to: Who) {
  const power = hands(base, account, to, 'ownership', 'account_assigned', { by: signerOf(call, found) })
  const more = { program: call.program, from: base, to }
  found.act('assign', `gives the account ${account} to ${who(to, found)}`, more, [power])
}

/** @param hasSpace  whether it also says how many bytes the account gets */
const assignsSeeded =
  (hasSpace: boolean): InstructionReader =>
  (call, data, found) => {
    const base = data.key()
    data.text()
    if (hasSpace) data.u64()
    assigns(call, found, at(call, 0), base, data.key())
  }

export const SYSTEM = table(
  4,
  {
    0: creates,
    1: (call, data, found) => assigns(call, found, at(call, 0), at(call, 0), data.key()),
    2: (call, data, found, memory) => {
      const [from, account] = [at(call, 0), at(call, 1)]
      // Lamports in a token account are its owner's wrapped SOL.
      const to = memory.ownerOf(account, programs.WRAPPED_SOL_MINT) ?? account
      moves(call, found, { from, authority: from, to, lamports: data.u64() })
    },
    3: (call, data, found, memory) => {
      data.key()
      data.text()
      creates(call, data, found, memory)
    },
    4: (call, _, found) => {
      const authority = at(call, 2)
      const words = `advances the nonce ${at(call, 0)}`
      found.act('nonce', words, { program: programs.SYSTEM_PROGRAM, from: authority }, [])
      if (call.where !== 'instruction 1') return
      const severity = found.isOwn(authority) ? 'warning' : 'danger'
      const reason = `It can be sent at any time until ${authority} advances the nonce.`
      found.risk('durable_nonce', reason, severity)
    },
    5: (call, data, found) => {
      const parts = { from: at(call, 0), authority: at(call, 4), to: at(call, 1), lamports: data.u64() }
      moves(call, found, parts, { code: 'close_to_stranger' })
    },
    6: (call, data, found, memory) => {
      const [account, to] = [at(call, 0), data.key()]
      const power = hands(memory.makerOf(account), account, to, 'the nonce', 'nonce_authority')
      const words = `makes the nonce account ${account} for ${who(to, found)}`
      found.act('nonce', words, { program: programs.SYSTEM_PROGRAM, to }, [power])
    },
    7: (call, data, found) => {
      const [nonce, from, to] = [at(call, 0), at(call, 1), data.key()]
      const power = hands(from, nonce, to, 'the nonce', 'nonce_authority', { by: signerOf(call, found) })
      const words = `gives the nonce account ${nonce} to ${who(to, found)}`
      found.act('authority', words, { program: programs.SYSTEM_PROGRAM, from, to }, [power])
    },
    8: (call, data, found) => {
      const account = at(call, 0)
      // With data a wallet cannot pay any more.
      const power = hands(account, account, null, 'paying', 'account_assigned')
      const words = `gives the account ${account} ${data.u64()} bytes of data`
      found.act('assign', words, { program: programs.SYSTEM_PROGRAM, from: account }, [power])
    },
    9: assignsSeeded(true),
    10: assignsSeeded(false),
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
    const [payer, account, owner, mint] = [at(call, 0), at(call, 1), at(call, 2), at(call, 3)]
    const tokens = at(call, kind === 2 ? 6 : 5)
    if (kind === 2) {
      const wallet = at(call, 5)
      const words = `moves what a nested account holds to ${who(wallet, found)}`
      found.act('close', words, { program, asset: account, to: wallet }, [receives(wallet, account, null)])
    } else {
      const rent =
        tokens === programs.TOKEN_PROGRAM ? rentOf(TOKEN_ACCOUNT_BYTES) : accountRent(SOLANA_CEILING)
      const words = `opens the token account ${account} of ${who(owner, found)}`
      const more = { program, asset: mint, from: payer, to: account }
      found.act('create', words, more, [opens(payer, rent, owner)])
    }
    if (isTokenProgram(tokens)) return
    found.leave(where, 'it calls a token program that is not known here', data)
    if (signerOf(call, found) !== undefined)
      found.risk('unknown_call', `${tokens} gets the wallet's signature, and may pass it on.`)
  },
}
