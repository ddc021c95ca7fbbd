/**
 * The instructions of the two token programs. Token-2022 has those of the older one, and extensions.
 *
 * Source: solana-program/token-2022 interface/src/instruction.rs, interface/src/extension/*
 */
import { SYSTEM_PROGRAM, WRAPPED_SOL_MINT } from '../../chains/solana/programs.ts'
import { BPS, SOLANA_CEILING } from '../../proof/terms/fees.ts'
import type { Findings } from '../findings.ts'
import { costs, destroys, hands, opens, pays, permits, type Stated, type Who } from '../ledger.ts'
import type { Severity } from '../types.ts'
import {
  at,
  DataReader,
  type InstructionReader,
  type Memory,
  type Program,
  type ProgramCall,
  said,
  signerOf,
  table,
} from './call.ts'
import { empties, keyIn, who } from './lamports.ts'
import authorities from './token-authorities.json' with { type: 'json' }

const MAX_U64 = 2n ** 64n - 1n
/** An amount from here on means everything there is. */
const UNLIMITED = MAX_U64 / 2n
/** The most bytes for half of an extension's number: the longest has about 600. */
const EXTENSION_BYTES = 300n

/** [source, destination, authority], or [source, mint, destination, authority] if the mint is checked. */
const transfer =
  (isChecked: boolean, hasFee = false): InstructionReader =>
  (call, data, found, memory) => {
    if (hasFee && data.u8() !== 1) return feeSetting(call, data, found, memory)
    const amount = data.u64()
    if (isChecked) data.u8()
    const fee = hasFee ? data.u64() : 0n
    const [from, to] = [at(call, 0), at(call, isChecked ? 2 : 1)]
    const mint = isChecked ? at(call, 1) : null
    const authority = at(call, isChecked ? 3 : 2)
    const owner = memory.ownerOf(to, mint) ?? to
    const asset = mint ?? mintIn(memory, from)
    const holder = holderOf(memory, found, from, asset) ?? authority
    const by = signerOf(call, found)
    const bps = amount > 0n ? Number((fee * BPS) / amount) : 0
    const share = { bps, key: found.keeps(owner, holder, by) ? null : asset }
    const gives = { asset, amount: String(amount) }
    // It moves nothing and takes no fee, and fails if the account holds less: see proof/solana/guards.ts.
    if (from !== null && from === to && !hasFee) {
      const words = `checks that ${from} holds ${found.says(gives)}`
      found.act('transfer', words, { program: call.program, ...gives, from, to }, [])
      return
    }
    const words = `sends ${found.says(gives)} to ${who(owner, found)}`
    found.act('transfer', words, { program: call.program, ...gives, from, to: owner }, [
      pays(holder, asset, amount > fee ? amount - fee : 0n, owner, { by }),
      ...(fee > 0n ? [costs(holder, asset, fee, null, { what: 'transfer fee', share })] : []),
    ])
  }

/** A delegate can take what belongs to the wallet, too. @returns null if the account isn't the wallet's */
function holderOf(memory: Memory, found: Findings, account: string | null, mint: string | null) {
  const owner = memory.ownerOf(account, mint)
  return owner !== null && found.concerns(owner) ? owner : null
}

/** @returns the mint of a token account, if the transaction or the wallet's own accounts show it */
function mintIn(memory: Memory, account: string | null): string | null {
  memory.ownerOf(account, null)
  return memory.mintOf(account)
}

/** [source, delegate, owner], or [source, mint, delegate, owner]. */
const approve =
  (isChecked: boolean): InstructionReader =>
  (call, data, found, memory) => {
    const amount = data.u64()
    if (isChecked) data.u8()
    const spender = at(call, isChecked ? 2 : 1)
    const asset = isChecked ? at(call, 1) : mintIn(memory, at(call, 0))
    const taken = { asset, amount: String(amount) }
    const may = permits(at(call, isChecked ? 3 : 2), asset, amount, spender, {
      by: signerOf(call, found),
      code: 'delegate_to_stranger',
      isUnlimited: amount >= UNLIMITED,
    })
    const words = `lets ${spender} take ${found.says(taken)} out of ${at(call, 0)}`
    found.act('approve', words, { program: call.program, ...taken, from: at(call, 0), spender }, [may])
  }

const ACCOUNT_OWNER = 2
const CLOSE_ACCOUNT = 3
/** For an account and for a mint: the authority that closes it takes its lamports. */
const CLOSES: readonly number[] = [CLOSE_ACCOUNT, 6]
const CREATE = /^(0|1|2|16|18|19|20)$/

const setAuthority: InstructionReader = (call, data, found, memory) => {
  const kind = data.u8()
  const to = data.optionalKey()
  const what = authorities[kind] ?? `authority ${kind}`
  const isClosing = CLOSES.includes(kind)
  const code = kind === ACCOUNT_OWNER ? 'owner_change' : isClosing ? 'close_authority' : 'authority_change'
  // Giving up minting and freezing at a launch is what holders want. Setting the owner of an account you just
  // created is not a takeover, but the owner gets what is put into it later.
  const isMade = memory.isNew(at(call, 0) ?? '') && !isClosing
  const severity: Severity | undefined = to === null ? 'info' : isMade ? 'warning' : undefined
  const more = { by: signerOf(call, found), ...(severity && { severity }) } as const
  const [account, from] = [at(call, 0), at(call, 1)]
  const words = `gives ${what} of ${account} to ${to === null ? 'nobody' : found.nameOf(to)}`
  // Only the owner may close it then.
  const isKept = kind === CLOSE_ACCOUNT && to === null
  const control = isKept ? [] : [hands(from, account, to, what, code, more)]
  found.act('authority', words, { program: call.program, from, to }, control)
}

/** Mints and burns: [account or mint, mint or account, authority]. */
const supply =
  (kind: 'mint' | 'burn', isChecked: boolean): InstructionReader =>
  (call, data, found, memory) => {
    const amount = data.u64()
    if (isChecked) data.u8()
    const mint = at(call, kind === 'mint' ? 0 : 1)
    const account = at(call, kind === 'mint' ? 1 : 0)
    const made = { asset: mint, amount: String(amount) }
    const owner = kind === 'mint' ? (memory.ownerOf(account, mint) ?? account) : null
    const holder = kind === 'burn' ? (holderOf(memory, found, account, mint) ?? at(call, 2)) : at(call, 2)
    const words = kind === 'mint' ? `makes ${found.says(made)} for ${owner}` : `destroys ${found.says(made)}`
    const by = { by: signerOf(call, found) }
    found.act(kind, words, { program: call.program, ...made, [kind === 'mint' ? 'to' : 'from']: account }, [
      kind === 'mint' ? pays(holder, mint, amount, owner, by) : destroys(holder, mint, amount, by),
    ])
  }

/** [account, destination, authority]. */
const closes =
  (words: string): InstructionReader =>
  (call, data, found, memory) => {
    data.skip(data.rest().length)
    const [account, authority] = [at(call, 0), at(call, 2)]
    const to = memory.ownerOf(at(call, 1), WRAPPED_SOL_MINT) ?? at(call, 1)
    const holder = holderOf(memory, found, account, WRAPPED_SOL_MINT) ?? authority
    const told = `${words} ${account}, and sends its SOL to ${who(to, found)}`
    const more = { program: call.program, asset: 'native', from: account, to }
    found.act('close', told, more, [empties(found, call, holder, to)])
  }

/** The account's lamports were paid when it was created. */
const initializes =
  (ownerIn: 'accounts' | 'data'): InstructionReader =>
  (call, data, found) => {
    const owner = ownerIn === 'data' ? data.key() : at(call, 2)
    const words = `opens the token account ${at(call, 0)} of ${owner === null ? 'nobody' : found.nameOf(owner)}`
    found.act('create', words, { program: call.program, asset: at(call, 1), to: owner }, [])
  }

/**
 * A power over all holders of a mint that the transaction creates: it counts for its creator, and for a
 * wallet that holds it.
 */
function overHolders(call: ProgramCall, found: Findings, memory: Memory, what: string, to: Who): Stated {
  const mint = at(call, 0)
  const holder = memory.isHeld(mint ?? '') ? found.owner : memory.makerOf(mint)
  const by = signerOf(call, found)
  return hands(holder, mint, to, what, 'token_power', { by })
}

const mint: InstructionReader = (call, data, found, memory) => {
  data.u8()
  const authority = data.key()
  const freezer = data.optionalKey()
  const what = 'freezing what holders have'
  const effects = freezer === null ? [] : [overHolders(call, found, memory, what, freezer)]
  const more = { program: call.program, asset: at(call, 0), to: authority }
  found.act('create', `makes the mint ${at(call, 0)}, which ${authority} mints`, more, effects)
}

/** A frozen balance cannot be moved until the authority allows it. */
const freeze: InstructionReader = (call, _, found, memory) => {
  const account = at(call, 0)
  const holder = memory.ownerOf(account, at(call, 1))
  const may = hands(holder, account, at(call, 2), 'moving what is in it', 'authority_change')
  found.act('freeze', `freezes ${account}`, { program: call.program }, [may])
}

const OLDER: Readonly<Record<number, InstructionReader>> = {
  0: mint,
  1: initializes('accounts'),
  2: said('create', 'makes an account that several people sign for'),
  3: transfer(false),
  4: approve(false),
  5: (call, _, found) => {
    const more = { program: call.program, from: at(call, 0) }
    found.act('revoke', `takes permissions over ${at(call, 0)} back`, more, [])
  },
  6: setAuthority,
  7: supply('mint', false),
  8: supply('burn', false),
  9: closes('closes'),
  10: freeze,
  11: said('freeze', 'unfreezes an account'),
  12: transfer(true),
  13: approve(true),
  14: supply('mint', true),
  15: supply('burn', true),
  16: initializes('data'),
  17: (call, _, found) => {
    const more = { program: call.program, asset: 'native', to: at(call, 0) }
    found.act('wrap', `counts the SOL in ${at(call, 0)} as wrapped`, more, [])
  },
  18: initializes('data'),
  19: said('create', 'makes an account that several people sign for'),
  20: mint,
  21: said('read', 'reads the size of an account'),
  22: said('create', "makes an account's owner final"),
  23: said('read', 'reads an amount'),
  24: said('read', 'reads an amount'),
  38: closes('takes excess lamports of'),
  45: closes('unwraps lamports of'),
}

/** An extension's own instruction that sets or changes something; `off` are those that end a protection. */
const setting =
  (what: string, off: readonly number[] = []): InstructionReader =>
  (call, data, found) => {
    const kind = data.u8()
    data.skip(data.rest().length)
    const [account, more] = [at(call, 0), { program: call.program }]
    if (!off.includes(kind)) return found.act('setting', `sets ${what} of ${account}`, more, [])
    const guards = hands(at(call, 1), account, null, what, 'guard_off', { by: signerOf(call, found) })
    found.act('guard_off', `ends ${what} of ${account}`, more, [guards])
  }

/**
 * Powers over all holders of a mint.
 * @param read  their new holders, up to the end of the data. Null: nobody in particular, or somebody unnamed
 */
const power =
  (what: string, read: (data: DataReader) => readonly (string | null)[]): InstructionReader =>
  (call, data, found, memory) => {
    const effects = [...new Set(read(data))].map((to) => overHolders(call, found, memory, what, to))
    const more = { program: call.program, asset: at(call, 0) }
    found.act('setting', `gives the mint ${at(call, 0)} ${what}`, more, effects)
  }

/** @returns nobody if the keys are zero, which means none */
const given = (...keys: readonly (string | null)[]): readonly (string | null)[] =>
  keys.filter((key) => key !== null && key !== SYSTEM_PROGRAM)
/** For an extension: the power's holder is named when it begins, and not when it is used. */
const begun =
  (read: (data: DataReader) => readonly (string | null)[]) =>
  (data: DataReader): readonly (string | null)[] => {
    if (data.u8() === 0) return read(data)
    data.skip(data.rest().length)
    return [null]
  }

/**
 * Metadata of a mint: the authority that may change it from the start has a power over its creator's own
 * token only.
 */
const shown =
  (what: string): InstructionReader =>
  (call, data, found, memory) => {
    const to = data.u8() === 0 ? given(data.key()) : []
    data.skip(data.rest().length)
    const mint = at(call, 0)
    const effects = to.map((one) => hands(memory.makerOf(mint), mint, one, what, 'token_power'))
    found.act('setting', `sets ${what} of ${mint}`, { program: call.program, asset: mint }, effects)
  }

const FEES = 'fees of transfers'
const WITHDRAWN = [2, 3]
const HARVEST = 4

/** An extension's own instruction about fees. Its number was read. */
const feeSetting: InstructionReader = (call, data, found, memory) => {
  const kind = call.data[1]!
  const [mint, to, authority] = [at(call, 0), at(call, 1), at(call, 2)]
  const read = (): readonly Stated[] => {
    if (kind === 0) {
      const keys = given(data.optionalKey(), data.optionalKey())
      return keys.map((one) => overHolders(call, found, memory, FEES, one))
    }
    // Moving withheld fees elsewhere changes nobody's balance.
    if (kind === HARVEST) return []
    const by = { by: signerOf(call, found) }
    if (WITHDRAWN.includes(kind)) return [pays(authority, mint, null, memory.ownerOf(to, mint) ?? to, by)]
    return [overHolders(call, found, memory, FEES, null)]
  }
  const effects = read()
  data.skip(data.rest().length)
  const more = { program: call.program, asset: mint }
  found.act('setting', `sets or collects fees of transfers of ${mint}`, more, effects)
}

const PERMITTED_BURNS = power(
  'burning that somebody permits',
  begun((data) => given(data.key())),
)
const BURN_CHECKED = 2

/** [account, mint, permitting authority, authority]. */
const permissionedBurn: InstructionReader = (call, data, found, memory) => {
  const kind = call.data[1]!
  if (kind === 0) return PERMITTED_BURNS(call, data, found, memory)
  const { accounts, signs } = call
  data.u8()
  const holder = {
    ...call,
    accounts: [...accounts.slice(0, 2), ...accounts.slice(3)],
    signs: [...signs.slice(0, 2), ...signs.slice(3)],
  }
  supply('burn', kind === BURN_CHECKED)(holder, data, found, memory)
}

/** Room for extensions: the payer, and the account's owner. */
const reallocate: InstructionReader = (call, data, found) => {
  const bytes = BigInt(data.rest().length) * EXTENSION_BYTES
  data.skip(data.rest().length)
  const rent = opens(at(call, 1), bytes * SOLANA_CEILING.perByte, at(call, 3), { by: signerOf(call, found) })
  found.act('setting', `makes room for extensions in ${at(call, 0)}`, { program: call.program }, [rent])
}

const hidden: InstructionReader = (call, data, found) => {
  found.act('call', 'moves or proves amounts that are encrypted', { program: call.program }, [])
  found.leave(call.where, 'amounts are encrypted', data.rest())
}

const BATCH = 255

/** [accounts u8][length u8][data], one after the other; the accounts stand in their order. */
const batch: InstructionReader = (call, data, found, memory) => {
  for (const inner of batched(call, data)) TOKEN_2022.read(inner, found, memory)
  if (data.isShort) found.leave(call.where, 'a batch is cut off', call.data)
}

function* batched(call: ProgramCall, data: DataReader): Generator<ProgramCall> {
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

function foresee(call: ProgramCall, memory: Memory): void {
  const { data } = call
  if (data[0] === BATCH) {
    const reader = new DataReader(data.subarray(1))
    for (const inner of batched(call, reader)) foresee(inner, memory)
    return
  }
  const account = at(call, 0)
  // SetAuthority, of the owner.
  if (data[0] === 6 && data[1] === 2) memory.passes(account)
  if (!CREATE.test(String(data[0]))) return
  if (data[0] === 1) memory.opens(account, at(call, 2), at(call, 1))
  else if (data[0] === 16 || data[0] === 18) memory.opens(account, keyIn(call, 1), at(call, 1))
  // The rent of a shared account never comes back; that of a mint stays with the mint authority.
  else memory.finishes(account, data[0] === 0 || data[0] === 20 ? keyIn(call, 2) : account)
}

export const TOKEN: Program = table(1, { ...OLDER, [BATCH]: batch }, foresee)

export const TOKEN_2022: Program = table(
  1,
  {
    ...OLDER,
    25: power('somebody who may close it', (data) => given(data.optionalKey())),
    26: transfer(true, true),
    27: hidden,
    28: setting('the state of new accounts'),
    29: reallocate,
    30: setting('memos that transfers must have', [1]),
    32: power('no transfers', () => [null]),
    33: shown('interest'),
    34: setting('the guard against calls by programs', [1]),
    35: power('somebody who may take from every holder', (data) => given(data.key())),
    36: power(
      'a program that runs at each transfer',
      begun((data) => given(data.key(), data.key())),
    ),
    37: hidden,
    39: shown('the pointer to metadata'),
    40: shown('the pointer to a group'),
    41: shown('the pointer to a member'),
    42: hidden,
    43: shown('the scale of amounts'),
    44: power(
      'somebody who may pause all transfers',
      begun((data) => given(data.key())),
    ),
    46: permissionedBurn,
    [BATCH]: batch,
  },
  foresee,
)
