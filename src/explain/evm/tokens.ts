/** Functions of tokens, collections, positions and Permit2. Source: as evm-calls.ts */
import type { EvmChain } from '../../chains/definition.ts'
import { destroys, hands, pays, receives } from '../ledger.ts'
import type { Args } from './args.ts'
import { canonical, PERMIT2 } from './context.ts'
import functions from './functions.json' with { type: 'json' }
import {
  acts,
  holderIn,
  type KnownFunction,
  lets,
  type Permission,
  type Place,
  type Reading,
  type Row,
  rowsOf,
  transfers,
} from './rows.ts'

type Reads = KnownFunction['reads']

const paid = (args: Args) => ({ to: args.address('to'), amount: args.int('amount') })
function numbered(r: Reading, amount: bigint): void {
  const [from, to] = [r.args.address('from'), r.args.address('to')]
  transfers(r, { token: r.call.to, from, to, amount, id: r.args.int('id') })
}
const several: Reads = (r) => {
  const { args, call, found } = r
  const amounts = args.ints('amounts')
  const ids = args.ints('ids')
  if (ids.length !== amounts.length) found.leave(call.where, 'ids and amounts are not as many')
  const [from, to] = [args.address('from'), args.address('to')]
  ids.forEach((id, i) => {
    transfers(r, { token: call.to, from, to, amount: amounts[i] ?? 1n, id })
  })
}

const approves: Reads = (r) => {
  const { args, call } = r
  const [amount, spender] = [args.int('amount'), args.address('spender')]
  lets(r, { kind: 'approve', holder: call.from, token: call.to, amount, spender })
}
/** Adds to a permission, or reduces it: the bytes do not show the total. */
const shifts =
  (verb: 'raises' | 'lowers'): Reads =>
  (r) => {
    const { args, call, found } = r
    const [spender, by] = [args.address('spender'), args.int('amount')]
    if (verb === 'raises' && by > 0n) return approves(r)
    const what = found.says({ asset: call.to, amount: String(by) })
    const words = `${verb} what ${found.nameOf(spender)} may take by ${what}${holderIn(r)}`
    acts(r, by === 0n ? 'call' : 'revoke', words, [], { asset: call.to, spender })
  }
/** The spender is called with the data at once. */
const approvesAndCalls: Reads = async (r) => {
  await approves(r)
  r.found.leave(r.call.where, 'what the spender does with the call is not known')
}

/** All tokens of a collection, or a whole position. */
const operates =
  (isOn: (args: Args) => boolean): Reads =>
  (r) => {
    const { args, call, found } = r
    const operator = args.address('operator')
    const who = found.nameOf(operator)
    const more = { asset: call.to, spender: operator }
    if (!isOn(args))
      return acts(r, 'revoke', `takes all power over ${call.to} from ${who}${holderIn(r)}`, [], more)
    const isKnown = found.isNamed(operator) || found.isRouter(operator)
    const stated = hands(call.from, call.to, operator, 'power over all of it, now and later,', 'operator', {
      severity: isKnown ? 'warning' : 'danger',
    })
    acts(r, 'approve', `lets ${who} move all that you hold in ${call.to}`, [stated], more)
  }

/** Something taken by a signature: not by one from a stranger. */
function isSigned({ found }: Reading, owner: string): boolean {
  if (!found.isNamed(owner)) found.risk('foreign_permit', `It spends a signature of ${owner}.`)
  return found.isNamed(owner)
}

/** A permit whose signature is submitted by somebody else. */
function spendsPermit(
  r: Reading,
  holder: string,
  permission: Omit<Permission, 'kind' | 'holder' | 'token'> & { readonly token?: string },
): void {
  lets(r, { kind: 'permit', holder, token: r.call.to, ...permission })
  if (!(permission.amount === 0n && permission.isCounted)) isSigned(r, holder)
}
const permitted: Reads = (r) => {
  const [spender, amount] = [r.args.address('spender'), r.args.int('value')]
  return spendsPermit(r, r.args.address('owner'), { spender, amount })
}
/** DAI's: all or nothing. */
const allowed: Reads = (r) => {
  const [spender, amount] = [r.args.address('spender'), r.args.is('allowed') ? ALL : 0n]
  return spendsPermit(r, r.args.address('holder'), { spender, amount, isCounted: true })
}
/** For the chain's coin: the wrapper's contract does the same if it gets coins without a call. */
export function wraps(r: Place): void {
  const { from, to, value } = r.call
  const effects = [pays(from, 'native', value, to, { isKnown: true }), receives(from, to, value)]
  const what = r.found.says({ asset: 'native', amount: String(value) })
  acts(r, 'wrap', `wraps ${what}`, effects, { asset: 'native', amount: String(value), to: from })
}

const ALL = 2n ** 256n - 1n
const atWrapped = (to: string, chain: EvmChain): boolean => to === canonical(chain.wrappedNative)

const burns: Reads = (r) => {
  const [asset, burnt] = [r.call.to, String(r.args.int('amount'))]
  const what = r.found.says({ asset, amount: burnt })
  const effects = [destroys(r.call.from, asset, burnt === '0' ? 1n : burnt)]
  acts(r, 'burn', `destroys ${what}`, effects, { asset, amount: burnt })
}
const unwraps: Reads = (r) => {
  const { from, to } = r.call
  const amount = String(r.args.int('amount'))
  const effects = [pays(from, to, amount, to, { isKnown: true }), receives(from, 'native', amount)]
  const what = r.found.says({ asset: 'native', amount })
  acts(r, 'unwrap', `unwraps ${what}`, effects, { asset: to, amount, to: from })
}

const TOKEN_CALLS: Readonly<Record<string, Reads>> = {
  sends: (r) => transfers(r, { token: r.call.to, from: r.call.from, ...paid(r.args) }),
  sendsFrom: (r) => transfers(r, { token: r.call.to, from: r.args.address('from'), ...paid(r.args) }),
  sendsNumber: (r) => numbered(r, 1n),
  sendsSome: (r) => numbered(r, r.args.int('amount')),
  sendsSeveral: several,
  approves,
  raises: shifts('raises'),
  lowers: shifts('lowers'),
  approvesAndCalls,
  operates: operates(() => true),
  operatesIfApproved: operates((args) => args.is('approved')),
  permitted,
  allowed,
  burns,
}

// Permit2.
function takesBack(r: Reading, spender: string, asset: string, how = 'by Permit2'): void {
  const { found } = r
  const words = `takes back what ${found.nameOf(spender)} may take of ${found.nameOf(asset)} ${how}${holderIn(r)}`
  acts(r, 'revoke', words, [], { asset, spender })
}

const moves = (r: Reading, args: Args): void =>
  transfers(r, { token: args.address('token'), from: args.address('from'), ...paid(args) })
/** What Permit2 lets a spender take, of its `details`. */
export function allowance(details: Args, spender: string) {
  const [amount, until] = [details.int('amount'), details.int('expiration')]
  return { token: details.address('token'), amount, spender, until }
}
const spends =
  (detailsOf: (permit: Args) => readonly Args[]): Reads =>
  (r) => {
    const permit = r.args.struct('permit')
    for (const details of detailsOf(permit))
      spendsPermit(r, r.args.address('owner'), allowance(details, permit.address('spender')))
  }
/** The recipient is given next to the signature, not in it. */
const pulls =
  (several: boolean): Reads =>
  (r) => {
    const owner = r.args.address('owner')
    const permit = r.args.struct('permit')
    const items = several ? permit.structs('permitted') : [permit.struct('permitted')]
    const paid = several ? r.args.structs('transferDetails') : [r.args.struct('transferDetails')]
    if (items.length !== paid.length) r.found.leave(r.call.where, 'tokens and payees are not as many')
    paid.forEach((one, i) => {
      const token = (items[i] ?? items[0])!.address('token')
      transfers(r, { token, from: owner, to: one.address('to'), amount: one.int('requestedAmount') })
      isSigned(r, owner)
    })
  }

const PERMIT2_CALLS: Readonly<Record<string, Reads>> = {
  approvesUntil: (r) =>
    lets(r, { kind: 'approve', holder: r.call.from, ...allowance(r.args, r.args.address('spender')) }),
  moves: (r) => moves(r, r.args),
  movesAll(r) {
    for (const one of r.args.structs('transferDetails')) moves(r, one)
  },
  spends: spends((permit) => [permit.struct('details')]),
  spendsSeveral: spends((permit) => permit.structs('details')),
  pulls: pulls(false),
  pullsSeveral: pulls(true),
  locksDown(r) {
    for (const one of r.args.structs('approvals')) takesBack(r, one.address('spender'), one.address('token'))
  },
  invalidates: (r) => takesBack(r, r.args.address('spender'), r.args.address('token'), 'by signatures'),
  invalidatesUnordered(r) {
    const count = r.args.int('mask').toString(2).replaceAll('0', '').length
    acts(r, 'revoke', `takes ${count} signatures for Permit2 back${holderIn(r)}`, [])
  },
}

export const TOKEN_ROWS: readonly Row[] = [
  ...rowsOf(functions.tokens, TOKEN_CALLS),
  ['deposit()', wraps, { at: atWrapped, isPayable: true }],
  ['withdraw(uint256 amount)', unwraps, { at: atWrapped }],
  ...rowsOf(functions.permit2, PERMIT2_CALLS, { at: (to) => to === PERMIT2 }),
]
