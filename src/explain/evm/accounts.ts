/** Functions of accounts and of contracts' owners: batches, Safe, control. Source: as evm-calls.ts */
import { hexToBytes } from '@noble/hashes/utils.js'
import { MULTI_SENDS, MULTICALL3 } from '../../chains/contracts.ts'
import { isWrapping, OPERATION_V6, OPERATION_V7, sentTogether, unwrap } from '../../proof/evm/wrappers.ts'
import { type Findings, hexOf } from '../findings.ts'
import { costs, hands, pays } from '../ledger.ts'
import type { RiskCode } from '../risks.ts'
import type { Args } from './args.ts'
import { canonical } from './context.ts'
import functions from './functions.json' with { type: 'json' }
import powerRows from './power-rows.json' with { type: 'json' }
import { acts, inner, type KnownFunction, type Reading, type Row, rowsOf, ZERO } from './rows.ts'

type Reads = KnownFunction['reads']
type Call = { to: string; value?: bigint; data: string; isDelegated?: boolean }

/** An account of the owner's: what it is made to do happens in its name. */
const account = { at: (to: string, _: unknown, found: Findings) => found.isNamed(to) }

/** Calls in the name of the account that is called. */
function runs(r: Reading, calls: readonly Call[]): Promise<void> {
  r.found.accounts.add(r.call.to)
  return inner(
    r,
    calls.map((one) => ({ ...one, from: r.call.to })),
  )
}

const callIn = (execution: Args): Call => ({
  to: execution.address('target'),
  value: execution.int('value'),
  data: execution.hex('data'),
})
const runsColumns: Reads = (r) => {
  const [values, data] = [r.args.ints('values'), r.args.hexes('data')]
  return runs(
    r,
    r.args.addresses('targets').map((to, i) => ({ to, value: values[i] ?? 0n, data: data[i] ?? '0x' })),
  )
}
const aggregates: Reads = (r) =>
  inner(
    r,
    r.args
      .structs('calls')
      .map((one) => ({ to: one.address('target'), data: one.hex('callData'), from: MULTICALL3 })),
  )
const callsBack: Reads = (r) =>
  inner(
    r,
    r.args.hexes('data').map((data) => ({ data })),
  )

const EXECUTE_BATCH = '0x34fcd5be'
/** ERC-7821's mode of a batch that fails as a whole, or not. */
const BATCH_MODE = /^0x010[01]0{60}$/
const runsByMode: Reads = (r) => {
  if (!BATCH_MODE.test(r.args.hex('mode')))
    return r.found.leave(r.call.where, `the mode ${r.args.hex('mode')} is not read`)
  return inner(r, [{ data: EXECUTE_BATCH + r.args.hex('executionData').slice(2) }])
}

/** Foreign code in the name of an account. */
function delegates(r: Reading, to: string): void {
  const power = hands(r.call.to, r.call.to, to, 'all that the account may do', 'delegatecall')
  const more = { program: to, from: r.call.to }
  acts(r, 'call', `runs the code of ${to} in the name of the account`, [power], more)
}

/** Executes a Safe's own transaction, which its owners also sign as typed data. */
export async function safeTransaction(r: Reading): Promise<void> {
  const { args, call, found } = r
  const to = args.address('to')
  const isDelegated = args.int('operation') !== 0n
  if (isDelegated && !MULTI_SENDS.has(to.toLowerCase())) delegates(r, to)
  if (args.int('gasPrice') > 0n) {
    const [receiver, token] = [args.address('refundReceiver'), args.address('gasToken')]
    const [who, asset] = [receiver === ZERO ? null : receiver, token === ZERO ? 'native' : token]
    const words = `refunds ${args.int('gasPrice')} of ${asset} for each unit of gas to ${who ?? 'who sends it'}`
    const refund = pays(call.to, asset, null, who, { code: 'high_fee' })
    acts(r, 'transfer', words, [refund], { asset, from: call.to, to: who })
    // What gas it takes is not signed.
    if (who !== null && found.isNamed(who))
      found.risk('high_fee', 'The refund for gas has no bound.', 'warning')
  }
  await runs(r, [{ to, value: args.int('value'), data: args.hex('data'), isDelegated }])
}

const SIGNATURE = 65
/** [r 32][s 32][v 1] each; if v is 0, s is the offset of a contract's own signature, after all of them. */
function signaturesIn(bytes: Uint8Array): bigint {
  let end = bytes.length
  let count = 0
  for (let at = SIGNATURE; at <= end; at += SIGNATURE) {
    if (bytes[at - 1] === 0) {
      const begins = BigInt(hexOf(bytes.subarray(at - 33, at - 1)))
      if (begins < end) end = Number(begins)
    }
    count++
  }
  return BigInt(count)
}

/** A transaction has as many signatures as the Safe requires, or more. */
const executes: Reads = (r) => {
  const { args, call, signatures } = r
  const count = signaturesIn(hexToBytes(args.hex('signatures').slice(2)))
  const before = signatures?.get(call.to) ?? 0n
  if (count > before) signatures?.set(call.to, count)
  return safeTransaction(r)
}

/**
 * Fewer required owners are a danger, as many or more are not. The signatures that come along show the
 * number.
 */
function counted(r: Reading): void {
  const [count, before] = [r.args.int('threshold'), r.signatures?.get(r.call.to)]
  if (before !== undefined && count >= before) return
  const isLess = before !== undefined || count <= 1n
  const reason = `${count} signatures are enough from then on: ${isLess ? 'fewer than before, or one alone' : 'how many it was before, is not in the bytes'}.`
  r.found.risk('account_control', reason, isLess ? 'danger' : 'warning')
}

function packed(r: Reading): Call[] {
  const { args, call } = r
  const { calls, rest } = sentTogether(args.hex('transactions').slice(2))
  if (rest !== '') r.found.leave(call.where, 'a batch is cut off', hexToBytes(rest))
  return calls.map(({ to: target, ...one }) => {
    const to = canonical(target)!
    if (one.isDelegated) delegates({ ...r, call: { ...call, to: call.from ?? call.to } }, to)
    return { ...one, to }
  })
}

const ACCOUNT_CALLS: Readonly<Record<string, Reads>> = {
  callsBack,
  runsOne: (r) => runs(r, [callIn(r.args)]),
  runsBatch: (r) => runs(r, r.args.structs('calls').map(callIn)),
  runsColumns,
  runsByMode,
  executes,
}

/** What wallets wrap around an app's calls: redeemed delegations, and user operations. */
const wrapped: Reads = (r) => {
  const { call, found } = r
  const whole = { ...call, from: (call.from ?? '').toLowerCase(), to: call.to.toLowerCase() }
  const { calls, wrappers } = unwrap([whole], whole.to)
  if (wrappers.length === 0)
    return found.leave(call.where, 'what it wraps is not read', hexToBytes(call.data.slice(2)))
  for (const { kind, account, terms, fee } of wrappers) {
    if (fee > 0n) found.state(costs(canonical(account), 'native', fee, null, { what: 'network fee' }))
    // An operation's terms run code of others: a factory's, a paymaster's.
    for (const { words, isHarmless } of terms)
      if (!isHarmless || kind !== 'delegation') found.leave(call.where, words)
  }
  return inner(
    r,
    calls.map(({ from, to, value, data }) => ({ from: canonical(from)!, to: canonical(to)!, value, data })),
  )
}
const wrapping = { at: (to: string) => isWrapping(to.toLowerCase()) }

/** A power that changes hands, always dangerous. @param who  the argument that names its new holder */
const powers =
  (code: RiskCode, what: string, who?: string): Reads =>
  (r) => {
    const { args, call } = r
    const named = who === undefined ? null : args.address(who)
    const to = named === ZERO ? null : named
    const words = to === null ? `changes ${what} of ${call.to}` : `gives ${what} of ${call.to} to ${to}`
    const reason = `${what[0]!.toUpperCase()}${what.slice(1)} of ${call.to} ${to === null ? 'changes' : `goes to ${to}`}.`
    const kind = code === 'upgrade' ? 'upgrade' : 'authority'
    const power = hands(call.from, call.to, to, what, code, { reason })
    acts(r, kind, words, [power], { to, fields: args.texts() })
  }
/** A share in a Safe: the wallet may have one. */
const share = powers('owner_change', 'a share of ownership', 'owner')

export const ACCOUNT_ROWS: readonly Row[] = [
  ...rowsOf(functions.account, ACCOUNT_CALLS, account),
  ...rowsOf(functions.multicall3, { aggregates }, { at: (to) => to === MULTICALL3 }),
  ['redeemDelegations(bytes[] contexts, bytes32[] modes, bytes[] executions)', wrapped, wrapping],
  [`handleOps(${OPERATION_V6}[] ops, address beneficiary)`, wrapped, wrapping],
  [`handleOps(${OPERATION_V7}[] ops, address beneficiary)`, wrapped, wrapping],
  [
    'multiSend(bytes transactions)',
    (r) => {
      const { call } = r
      // A plain call makes its calls in the batch's own name.
      const from = call.isDelegated ? call.from : call.to
      const place = { ...r, call: { ...call, from } }
      return inner(place, packed(place))
    },
    { at: (to) => MULTI_SENDS.has(to.toLowerCase()) },
  ],
  [
    'addOwnerWithThreshold(address owner, uint256 threshold)',
    (r) => {
      share(r)
      counted(r)
    },
  ],
  ['swapOwner(address previous, address old, address owner)', share],
  [
    'changeThreshold(uint256 threshold)',
    (r) => {
      const words = `lets ${r.args.int('threshold')} owners of ${r.call.to} sign for all`
      acts(r, 'authority', words, [], { fields: r.args.texts() })
      counted(r)
    },
  ],
  // Functions that do nothing else.
  ...powerRows.map(({ signature, code, what, who }): Row => [signature, powers(code as RiskCode, what, who)]),
]
