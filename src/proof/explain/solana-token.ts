/**
 * The instructions of the two token programs. Token-2022 has those of the older one, and extensions.
 *
 * Source: solana-program/token-2022 interface/src/instruction.rs, interface/src/extension/*
 */
import { encodeBase58 } from '../../chains/solana/base58.ts'
import {
  at,
  type Call,
  DataReader,
  type Memory,
  type Program,
  type Reading,
  said,
  table,
} from './solana-call.ts'

const MAX_U64 = 2n ** 64n - 1n
/** From here on an amount is no amount, but all there is. */
const UNLIMITED = MAX_U64 / 2n

/** [source, destination, authority], or [source, mint, destination, authority] where the mint is checked. */
const transfer =
  (isChecked: boolean, hasFee = false): Reading =>
  (call, data, found, memory) => {
    if (hasFee && data.u8() !== 1) return feeSetting(call, data, found, memory)
    const amount = data.u64()
    if (isChecked) data.u8()
    const fee = hasFee ? data.u64() : 0n
    const [from, to] = [at(call, 0), at(call, isChecked ? 2 : 1)]
    const mint = isChecked ? at(call, 1) : null
    const authority = at(call, isChecked ? 3 : 2)
    const owner = memory.ownerOf(to, mint)
    const more = { program: call.program, asset: mint, amount: String(amount), from, to: owner ?? to }
    found.act(
      'transfer',
      `sends ${amount} of ${mint ?? 'a token that is not named'} to ${owner ?? to ?? 'an account that is not shown'}`,
      more,
    )
    if (fee * 10n > amount) found.risk('high_fee', `${fee} of it are a fee of the token's.`)
    if (found.isOwn(authority)) found.pays(owner ?? to, `${amount} of the token`)
  }

/** [source, delegate, owner], or [source, mint, delegate, owner]. */
const approve =
  (isChecked: boolean): Reading =>
  (call, data, found) => {
    const amount = data.u64()
    if (isChecked) data.u8()
    const spender = at(call, isChecked ? 2 : 1)
    const mint = isChecked ? at(call, 1) : null
    found.act('approve', `lets ${spender} take ${amount} of ${mint ?? `what ${at(call, 0)} holds`}`, {
      program: call.program,
      asset: mint,
      amount: String(amount),
      from: at(call, 0),
      spender,
    })
    if (!found.isOwn(spender)) found.empowers(spender, amount >= UNLIMITED, 'delegate')
  }

const AUTHORITIES: Readonly<Record<number, string>> = {
  0: 'minting',
  1: 'freezing',
  2: 'ownership of the account',
  3: 'closing the account',
  4: 'the fees of transfers',
  5: 'withheld fees',
  6: 'closing the mint',
  7: 'the interest rate',
  8: 'taking from every holder',
  9: 'confidential transfers',
  10: 'the program that runs at each transfer',
  11: 'confidential fees',
  12: 'the metadata pointer',
  13: 'the group pointer',
  14: 'the member pointer',
  15: 'the scale of amounts',
  16: 'pausing all transfers',
  17: 'permissioned burning',
}
const ACCOUNT_OWNER = 2
const CLOSE_ACCOUNT = 3
const CREATE = /^(0|1|2|16|18|19|20)$/

const setAuthority: Reading = (call, data, found, memory) => {
  const kind = data.u8()
  const to = data.optionalKey()
  const what = AUTHORITIES[kind] ?? `authority ${kind}`
  found.act('authority', `gives ${what} of ${at(call, 0)} to ${to ?? 'nobody'}`, {
    program: call.program,
    from: at(call, 1),
    to,
  })
  // A launch that gives up minting and freezing is what holders want.
  if (to === null) return
  const isOwners = kind === ACCOUNT_OWNER || kind === CLOSE_ACCOUNT
  const code = kind === ACCOUNT_OWNER ? 'owner_change' : isOwners ? 'close_authority' : 'authority_change'
  // Who makes an account for somebody gives away what it makes.
  const isMade = memory.isNew(at(call, 0) ?? '') || !found.isOwn(at(call, 1))
  if (isMade && !found.isOwn(to)) found.risk(code, `It goes to ${to}.`, 'warning')
  else found.hands(code, to, `The ${what}`)
}

/** Mints and burns: [account or mint, mint or account, authority]. */
const supply =
  (kind: 'mint' | 'burn', isChecked: boolean): Reading =>
  (call, data, found, memory) => {
    const amount = data.u64()
    if (isChecked) data.u8()
    const mint = at(call, kind === 'mint' ? 0 : 1)
    const account = at(call, kind === 'mint' ? 1 : 0)
    const words =
      kind === 'mint' ? `makes ${amount} of ${mint} for ${account}` : `destroys ${amount} of ${mint}`
    found.act(kind, words, {
      program: call.program,
      asset: mint,
      amount: String(amount),
      [kind === 'mint' ? 'to' : 'from']: account,
    })
    if (!found.isOwn(at(call, 2))) return
    if (kind === 'burn') found.risk('burn', `${amount} of ${mint} are gone then.`)
    else found.pays(memory.ownerOf(account, mint) ?? account, 'What is minted')
  }

/** [account, destination, authority]. */
const closes =
  (words: string): Reading =>
  (call, data, found) => {
    data.skip(data.rest().length)
    const [account, to] = [at(call, 0), at(call, 1)]
    found.act('close', `${words} ${account}, and sends its lamports to ${to}`, {
      program: call.program,
      asset: 'native',
      from: account,
      to,
    })
    if (!found.isOwn(at(call, 2))) return
    found.hands('close_to_stranger', to, 'What it holds')
  }

const opens =
  (ownerIn: 'accounts' | 'data'): Reading =>
  (call, data, found) => {
    const owner = ownerIn === 'data' ? data.key() : at(call, 2)
    found.act('create', `opens the token account ${at(call, 0)} of ${owner}`, {
      program: call.program,
      asset: at(call, 1),
      to: owner,
    })
    found.pays(owner, 'What the account holds')
  }

const mint: Reading = (call, data, found) => {
  data.u8()
  const authority = data.key()
  data.optionalKey()
  found.act('create', `makes the mint ${at(call, 0)}, which ${authority} mints`, {
    program: call.program,
    asset: at(call, 0),
    to: authority,
  })
}

const OLDER: Readonly<Record<number, Reading>> = {
  0: mint,
  1: opens('accounts'),
  2: said('create', 'makes an account that several people sign for'),
  3: transfer(false),
  4: approve(false),
  5: (call, _, found) =>
    found.act('revoke', `takes permissions over ${at(call, 0)} back`, {
      program: call.program,
      from: at(call, 0),
    }),
  6: setAuthority,
  7: supply('mint', false),
  8: supply('burn', false),
  9: closes('closes'),
  10: said('freeze', 'freezes an account'),
  11: said('freeze', 'unfreezes an account'),
  12: transfer(true),
  13: approve(true),
  14: supply('mint', true),
  15: supply('burn', true),
  16: opens('data'),
  17: (call, _, found) =>
    found.act('wrap', `counts the SOL in ${at(call, 0)} as wrapped`, {
      program: call.program,
      asset: 'native',
      to: at(call, 0),
    }),
  18: opens('data'),
  19: said('create', 'makes an account that several people sign for'),
  20: mint,
  21: said('read', 'reads the size of an account'),
  22: said('create', "makes an account's owner final"),
  23: said('read', 'reads an amount'),
  24: said('read', 'reads an amount'),
}

/** An extension's own instruction that sets or changes something; `off` are those that end a protection. */
const setting =
  (what: string, off: readonly number[] = []): Reading =>
  (call, data, found) => {
    const kind = data.u8()
    data.skip(data.rest().length)
    const isOff = off.includes(kind)
    found.act(isOff ? 'guard_off' : 'setting', `${isOff ? 'ends' : 'sets'} ${what} of ${at(call, 0)}`, {
      program: call.program,
    })
    if (isOff) found.risk('guard_off', `${what} no longer hold.`)
  }

/** A power over all holders of a mint that the wallet makes. */
const power =
  (what: string): Reading =>
  (call, data, found) => {
    data.skip(data.rest().length)
    found.act('setting', `gives the mint ${at(call, 0)} ${what}`, {
      program: call.program,
      asset: at(call, 0),
    })
    found.risk('token_power', `${what} of ${at(call, 0)}.`)
  }

const feeSetting: Reading = (call, data, found) => {
  data.skip(data.rest().length)
  found.act('setting', `sets or collects fees of transfers of ${at(call, 0)}`, {
    program: call.program,
    asset: at(call, 0),
  })
  found.risk('token_power', 'Transfers cost a fee, or withheld fees go to somebody.')
}

const hidden: Reading = (call, data, found) => {
  found.act('call', 'moves or proves amounts that are encrypted', { program: call.program })
  found.leave(call.where, 'amounts are encrypted', data.rest())
}

const BATCH = 255

/** [accounts u8][length u8][data], one after the other; the accounts stand in their order. */
const batch: Reading = (call, data, found, memory) => {
  for (const inner of batched(call, data)) TOKEN_2022.read(inner, found, memory)
  if (data.isShort) found.leave(call.where, 'a batch is cut off', call.data)
}

function* batched(call: Call, data: DataReader): Generator<Call> {
  let next = 0
  for (let i = 1; data.rest().length > 0; i++) {
    const count = data.u8()
    const inner = data.skip(data.u8())
    if (inner === null || inner[0] === BATCH) {
      data.isShort = true
      return
    }
    const slice = <T>(list: readonly T[]): readonly T[] => list.slice(next, next + count)
    yield {
      ...call,
      where: `${call.where}.${i}`,
      accounts: slice(call.accounts),
      signs: slice(call.signs),
      data: inner,
    }
    next += count
  }
}

function foresee(call: Call, memory: Memory): void {
  const { data } = call
  if (data[0] === BATCH) {
    const reader = new DataReader(data.subarray(1))
    for (const inner of batched(call, reader)) foresee(inner, memory)
    return
  }
  if (!CREATE.test(String(data[0]))) return
  memory.makes(at(call, 0))
  if (data[0] === 1) memory.opens(at(call, 0), at(call, 2))
  if ((data[0] === 16 || data[0] === 18) && data.length >= 33) {
    memory.opens(at(call, 0), encodeBase58(data.subarray(1, 33)))
  }
}

export const TOKEN: Program = table(
  1,
  { ...OLDER, 38: closes('takes excess lamports of'), 45: closes('unwraps lamports of'), [BATCH]: batch },
  foresee,
)

export const TOKEN_2022: Program = table(
  1,
  {
    ...OLDER,
    25: power('somebody who may close it'),
    26: transfer(true, true),
    27: hidden,
    28: setting('the state of new accounts'),
    29: said('setting', 'makes room for extensions in an account'),
    30: setting('memos that transfers must have', [1]),
    31: said('create', 'makes the mint of wrapped SOL'),
    32: power('no transfers'),
    33: setting('interest'),
    34: setting('the guard against calls by programs', [1]),
    35: power('somebody who may take from every holder'),
    36: power('a program that runs at each transfer'),
    37: feeSetting,
    38: closes('takes excess lamports of'),
    39: setting('the pointer to metadata'),
    40: setting('the pointer to a group'),
    41: setting('the pointer to a member'),
    42: hidden,
    43: setting('the scale of amounts'),
    44: power('somebody who may pause all transfers'),
    45: closes('unwraps lamports of'),
    46: power('burning that somebody permits'),
    [BATCH]: batch,
  },
  foresee,
)
