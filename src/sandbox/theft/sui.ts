/** A compromised provider on Sui: its transaction is parsed, changed and written again. */
import {
  parseSuiTransaction,
  type SuiArgument,
  type SuiCall,
  type SuiCommand,
  type SuiInput,
  type SuiTransaction,
} from '../../proof/sui-ptb.ts'
import * as ptb from '../sui/compose.ts'
import { type Fields, type Theft, theftsOf } from './thief.ts'

const STRANGER = `0x${'66'.repeat(32)}`
const STRANGE_COIN = `0x${'67'.repeat(32)}::coin::COIN`
/** SUI's decimals. */
const COIN = 10n ** 9n
/** Cetus's second version, whose venues check no minimum. */
const CETUS_V2 = '0x8ae871505a80d8bf6bf9c05906cda6edfeea460c85bebe2e26a4313f5e67874a'
const ADDRESS_BYTES = 32
const U64_BYTES = 8

/** @param write  the answer with this transaction, base64 */
export function suiThefts(base64: string, write: (changed: string) => Fields): readonly Theft[] {
  const whole = parseSuiTransaction(Buffer.from(base64, 'base64'))
  if (whole === null || whole === 'system') return []
  return theftsOf(whole, (changed) => write(written(changed)), [
    ['sends it to a stranger', pure(ADDRESS_BYTES, ptb.address(STRANGER))],
    ['splits ten times as much off', onSplits((amount) => 10n * amount)],
    // A burn has no minimum of its own.
    ...(lowered(whole) === whole ? [] : [['promises next to nothing', lowered] as const]),
    ...(unchecked(whole) === whole ? [] : [["swaps in a stranger's pool, unchecked", unchecked] as const]),
    ['gives the gas coin to a stranger', given({ kind: 'gas' })],
    ['calls code that nobody knows', onCalls((one) => ({ ...one, package: STRANGER }))],
    ['buys another coin', onCalls((one) => ({ ...one, types: one.types.map(() => STRANGE_COIN) }))],
    ...orderThefts(whole),
    ['shares what was split', shared],
    ['publishes code', added({ kind: 'publish' })],
    ['has somebody else pay, and sign', (one) => ({ ...one, gasOwner: STRANGER })],
    ['is sent by somebody else', (one) => ({ ...one, sender: STRANGER })],
    ['burns SUI as gas', (one) => ({ ...one, gasBudget: 50n * COIN })],
    ['pays ten thousand times for gas', (one) => ({ ...one, gasPrice: 10_000n * one.gasPrice })],
  ])
}

type SuiChange = (whole: SuiTransaction) => SuiTransaction

const added =
  (...commands: readonly SuiCommand[]): SuiChange =>
  (whole) => ({ ...whole, commands: [...whole.commands, ...commands] })

/** Changes every pure input of a given length. */
const pure =
  (length: number, bytes: Uint8Array): SuiChange =>
  (whole) => ({
    ...whole,
    inputs: whole.inputs.map((one) =>
      one.kind === 'pure' && one.bytes.length === length ? { ...one, bytes } : one,
    ),
  })

/** Redirects to a stranger, whose address becomes an additional input. */
const given =
  (object: SuiArgument): SuiChange =>
  (whole) => {
    const to = { kind: 'input', index: whole.inputs.length } as const
    const inputs: readonly SuiInput[] = [...whole.inputs, { kind: 'pure', bytes: ptb.address(STRANGER) }]
    return added({ kind: 'transfer', objects: [object], to })({ ...whole, inputs })
  }

const onSplits =
  (change: (amount: bigint) => bigint): SuiChange =>
  (whole) => {
    const at = splitOff(whole)
    return numbered(whole, (amount, index) => (at.has(index) ? change(amount) : amount))
  }

/** Numbers that are no amounts to split off: the minimum is among them. @returns the same where there are none */
const lowered: SuiChange = (whole) => {
  const at = splitOff(whole)
  const isLower = (one: SuiInput, index: number) =>
    one.kind === 'pure' && one.bytes.length === U64_BYTES && !at.has(index)
  return whole.inputs.some(isLower)
    ? numbered(whole, (amount, index) => (at.has(index) ? amount : 1n))
    : whole
}

/**
 * The swap goes through a pool that gives today what was quoted, and no command checks what it gives when the
 * wallet signs. @returns the same where nothing is swapped
 */
const unchecked: SuiChange = (whole) => {
  const isCall = (one: SuiCommand, name: string): one is SuiCall => one.kind === 'call' && one.name === name
  const [split, open, , , ...rest] = whole.commands
  if (open === undefined || !isCall(open, 'router::new_swap_context')) return whole
  const pool = { kind: 'input', index: whole.inputs.length } as const
  const swap: SuiCall = {
    kind: 'call',
    package: CETUS_V2,
    name: 'cetus::swap_a2b',
    types: open.types,
    args: [pool, pool, pool, open.args[3]!],
  }
  // Two commands are gone, and what was confirmed is what was bought.
  const moved = (one: SuiArgument): SuiArgument => {
    if (one.kind !== 'result' || one.command < CONFIRMED) return one
    return one.command === CONFIRMED
      ? { kind: 'result', command: 1, index: 0 }
      : { ...one, command: one.command - 2 }
  }
  const after = rest.map((one): SuiCommand => {
    if (one.kind === 'transfer') return { ...one, objects: one.objects.map(moved) }
    return one.kind === 'call' ? { ...one, args: one.args.map(moved) } : one
  })
  const prepared = rest.find((one): one is SuiCall => one.kind === 'call' && DEMANDED[one.name] !== undefined)
  const demand = prepared?.args[DEMANDED[prepared.name]!]
  const undemanding = demand === undefined ? whole : field(demand, ptb.u64(0n))(whole)
  return {
    ...whole,
    inputs: [...undemanding.inputs, { kind: 'shared', id: STRANGER }],
    commands: [split!, swap, ...after],
  }
}

/** The command that returns what Cetus's router bought. */
const CONFIRMED = 3

/** Fields of Mayan's orders, by the call that is told them, the argument and what a thief would write there. */
const ORDERED: Readonly<Record<string, readonly (readonly [what: string, at: number, bytes: Uint8Array])[]>> =
  {
    'init_order::prepare_initialize_order': [
      ['calls a contract there', 0, ptb.u8(2)],
      ['names another trader', 1, ptb.address(STRANGER)],
      ['pays a stranger there', 3, ptb.address(STRANGER)],
      ['buys on another chain', 4, ptb.u16(4)],
      ['buys another token there', 5, ptb.address(STRANGER)],
      ['promises next to nothing there', 6, ptb.u64(1n)],
      ['drops gas there', 7, ptb.u64(COIN)],
      ['lets who redeems take it', 8, ptb.u64(COIN)],
      ['never ends', 9, ptb.u64(2n ** 40n)],
      ['pays a referrer', 11, ptb.u8(100)],
      ['mints on another chain', 12, ptb.u32(4)],
    ],
    'bridge_with_fee::prepare_bridge_with_fee': [
      ['calls a contract there', 0, ptb.u8(2)],
      ['pays a stranger there', 3, ptb.address(STRANGER)],
      ['mints on another chain', 4, ptb.u32(4)],
      ['drops gas there', 5, ptb.u64(COIN)],
      ['lets who redeems take it', 6, ptb.u64(COIN)],
      ['has words for a contract', 7, Uint8Array.of(1, 7)],
    ],
    'bridge_locked_fee::prepare_bridge_locked_fee': [
      ['pays a stranger there', 2, ptb.address(STRANGER)],
      ['mints on another chain', 3, ptb.u32(4)],
      ['drops gas there', 4, ptb.u64(COIN)],
      ['keeps it as a fee', 5, ptb.u64(COIN)],
    ],
  }
/** The argument that says what the order's coin must hold. */
const DEMANDED: Readonly<Record<string, number>> = {
  'init_order::prepare_initialize_order': 13,
  'bridge_with_fee::prepare_bridge_with_fee': 2,
  'bridge_locked_fee::prepare_bridge_locked_fee': 1,
}
const BURN = 'deposit_for_burn::deposit_for_burn_with_caller_with_package_auth'

/** Of an order of Mayan's, where the transaction has one. */
function orderThefts(whole: SuiTransaction): readonly (readonly [what: string, change: SuiChange])[] {
  const calls = whole.commands.filter((one) => one.kind === 'call')
  const prepared = calls.find(({ name }) => Object.hasOwn(ORDERED, name))
  if (prepared === undefined) return []
  const on = (match: (call: SuiCall) => boolean, change: (call: SuiCall) => SuiCall) =>
    onCalls((call) => (match(call) ? change(call) : call))
  const isBurn = ({ name }: SuiCall) => name === BURN
  const own: SuiInput = { kind: 'owned', id: ptb.coinOf(whole.sender, STRANGE_COIN) }
  const put =
    (match: (call: SuiCall) => boolean, at: number, input: SuiInput): SuiChange =>
    (one) => {
      const argument: SuiArgument = { kind: 'input', index: one.inputs.length }
      const changed = on(match, (call) => ({ ...call, args: call.args.with(at, argument) }))(one)
      return { ...changed, inputs: [...one.inputs, input] }
    }
  const coinAt = prepared.args.findIndex(({ kind }) => kind === 'result')
  return [
    ...ORDERED[prepared.name]!.map(([what, at, bytes]) => [what, field(prepared.args[at]!, bytes)] as const),
    // The fee manager's word is another than the order's.
    ...(prepared.name.startsWith('init_order')
      ? [
          [
            'tells the fee manager less',
            put(({ name }) => name.includes('prepare_calc'), 7, { kind: 'pure', bytes: ptb.u64(1n) }),
          ] as const,
        ]
      : []),
    ["sends a part, and the rest into a stranger's pool", (one) => scattered(one, prepared)],
    ['sends a coin of its choice', put((call) => call === prepared, coinAt, own)],
    [
      'burns by the authority of others',
      on(isBurn, (call) => ({ ...call, types: call.types.with(1, `${STRANGER}::init_order::CircleAuth`) })),
    ],
    [
      'burns what another call gave',
      on(isBurn, (call) => ({ ...call, args: call.args.with(0, { kind: 'result', command: 0, index: 0 }) })),
    ],
    ['has a state of its own', put(isBurn, 1, { kind: 'shared', id: STRANGER })],
    ['burns as another coin', on(isBurn, (call) => ({ ...call, types: call.types.with(0, STRANGE_COIN) }))],
  ]
}

/**
 * The first split leaves next to nothing for what comes after it, which demands no more; the rest goes through a
 * pool that gives nothing for it.
 */
function scattered(whole: SuiTransaction, { name, args }: SuiCall): SuiTransaction {
  const [first, ...rest] = whole.commands
  if (first?.kind !== 'split' || first.amounts[0]?.kind !== 'input') return whole
  const sold = whole.inputs[first.amounts[0].index]
  if (sold?.kind !== 'pure') return whole
  const amount = Buffer.from(sold.bytes).readBigUInt64LE()
  const demand = args[DEMANDED[name]!]!
  const [least, left, pool] = [0, 1, 2].map(
    (at): SuiArgument => ({ kind: 'input', index: whole.inputs.length + at }),
  )
  const swap: SuiCall = {
    kind: 'call',
    package: CETUS_V2,
    name: 'cetus::swap_a2b',
    types: [coinType(rest), STRANGE_COIN],
    args: [pool!, pool!, pool!, { kind: 'result', command: 0, index: 1 }],
  }
  const changed = field(demand, ptb.u64(0n))(whole)
  return {
    ...changed,
    inputs: [
      ...changed.inputs,
      { kind: 'pure', bytes: ptb.u64(1n) },
      { kind: 'pure', bytes: ptb.u64(amount - 1n) },
      { kind: 'shared', id: STRANGER },
    ],
    commands: [{ ...first, amounts: [least!, left!] }, ...rest, swap],
  }
}

/** What is split off first: the first call's first type. */
const coinType = (commands: readonly SuiCommand[]): string =>
  commands.find((one) => one.kind === 'call')?.types[0] ?? STRANGE_COIN

/** Another value in the input that the argument names, for every call that names it. */
const field =
  (argument: SuiArgument, bytes: Uint8Array): SuiChange =>
  (whole) => ({
    ...whole,
    inputs: whole.inputs.map((one, index) =>
      argument.kind === 'input' && argument.index === index ? { kind: 'pure', bytes } : one,
    ),
  })

/** The inputs that hold the amounts to split off. */
function splitOff({ commands }: SuiTransaction): ReadonlySet<number> {
  const amounts = commands.flatMap((one) => (one.kind === 'split' ? one.amounts : []))
  return new Set(amounts.flatMap((one) => (one.kind === 'input' ? [one.index] : [])))
}

function numbered(whole: SuiTransaction, change: (value: bigint, index: number) => bigint): SuiTransaction {
  const inputs = whole.inputs.map((one, index): SuiInput => {
    if (one.kind !== 'pure' || one.bytes.length !== U64_BYTES) return one
    return { ...one, bytes: ptb.u64(change(Buffer.from(one.bytes).readBigUInt64LE(), index)) }
  })
  return { ...whole, inputs }
}

const onCalls =
  (change: (call: SuiCall) => SuiCall): SuiChange =>
  (whole) => ({ ...whole, commands: whole.commands.map((one) => (one.kind === 'call' ? change(one) : one)) })

/** Shares the result of the first split with everybody. */
const shared: SuiChange = (whole) => {
  const command = whole.commands.findIndex(({ kind }) => kind === 'split')
  const coin = { kind: 'result', command, index: 0 } as const
  const call = {
    package: `0x${'2'.padStart(64, '0')}`,
    name: 'transfer::public_share_object',
    types: [STRANGE_COIN],
  }
  return added({ kind: 'call', ...call, args: [coin] })(whole)
}

/** @returns base64 */
export const written = ({ inputs, commands, ...rest }: SuiTransaction): string =>
  ptb.composeSui({ ...rest, inputs: inputs.map(inputPart), commands: commands.map(commandPart) })

function inputPart(one: SuiInput): ptb.BcsPart {
  switch (one.kind) {
    case 'pure':
      return ptb.pure(one.bytes)
    case 'shared':
      return ptb.shared(one.id)
    case 'owned':
      return ptb.owned(one.id)
    default:
      throw new TypeError(`The sandbox's Sui has no input that is ${one.kind}.`)
  }
}

function commandPart(one: SuiCommand): ptb.BcsPart {
  switch (one.kind) {
    case 'call':
      return ptb.call(`${one.package}::${one.name}`, one.types, one.args.map(argument))
    case 'transfer':
      return ptb.transfer(one.objects.map(argument), argument(one.to))
    case 'split':
      return ptb.split(argument(one.coin), one.amounts.map(argument))
    case 'merge':
      return ptb.merge(argument(one.into), one.coins.map(argument))
    case 'publish':
      return ptb.u8(4, 0, 0)
    default:
      throw new TypeError(`The sandbox's Sui has no command that is ${one.kind}.`)
  }
}

function argument(one: SuiArgument): ptb.BcsPart {
  if (one.kind === 'gas') return ptb.GAS
  return one.kind === 'input' ? ptb.input(one.index) : ptb.nested(one.command, one.index)
}
