/**
 * Orders of Mayan's on Sui: the sandbox's are proved, and whatever is changed of them is refused by its rule,
 * or pays out what was asked for.
 */
import t from 'tap'
import { associatedAddress } from '../../src/chains/solana/associated.ts'
import { decodeBase58 } from '../../src/chains/solana/base58.ts'
import { TOKEN_PROGRAM } from '../../src/chains/solana/programs.ts'
import type { CrossChainOrder } from '../../src/proof/order.ts'
import { requireAgreed } from '../../src/proof/simulation/simulation.ts'
import { proveSui, type SuiClaim } from '../../src/proof/sui.ts'
import { KNOWN_MAYAN, MCTP_STATE } from '../../src/proof/sui-mctp.ts'
import {
  parseSuiTransaction,
  type SuiArgument,
  type SuiCall,
  type SuiCommand,
  type SuiInput,
  type SuiTransaction,
} from '../../src/proof/sui-ptb.ts'
import type { Agreed, Proof } from '../../src/proof/verification.ts'
import { GatewayError } from '../../src/runtime/errors.ts'
import * as ptb from '../../src/sandbox/sui/compose.ts'
import { execute } from '../../src/sandbox/sui/ledger.ts'
import { written } from '../../src/sandbox/theft/sui.ts'
import { executed } from '../fixtures/hostile/sui.ts'
import { NOW } from '../fixtures/provider.ts'
import { crossed, FROM, market, orderTo, STRANGER, SUI, USDC } from '../fixtures/sui.ts'
import { WALLETS } from '../fixtures/xprov.ts'

interface Row {
  readonly title: string
  readonly order: CrossChainOrder
  readonly minOut: bigint
  readonly kind: string
}

const SUI_IN = 10n * 10n ** 9n
const USDC_IN = 25_000_000n
const ROWS: readonly Row[] = [
  {
    title: 'USDC to USDC on Base',
    order: orderTo('USDC', ['base', 'USDC', WALLETS.evm], USDC_IN),
    minOut: 24_900_000n,
    kind: 'bridge_locked_fee',
  },
  {
    title: 'SUI to USDC on Base',
    order: orderTo(null, ['base', 'USDC', WALLETS.evm], SUI_IN),
    minOut: 9_000_000n,
    kind: 'bridge_with_fee',
  },
  {
    title: 'USDC to USDC on Solana',
    order: orderTo('USDC', ['solana', 'USDC', WALLETS.solana], USDC_IN),
    minOut: 24_900_000n,
    kind: 'bridge_with_fee',
  },
  {
    title: 'USDC to ETH on Base',
    order: orderTo('USDC', ['base', null, WALLETS.evm], USDC_IN),
    minOut: 8_000_000_000_000_000n,
    kind: 'init_order',
  },
  {
    title: 'SUI to SOL',
    order: orderTo(null, ['solana', null, WALLETS.solana], SUI_IN),
    minOut: 60_000_000n,
    kind: 'init_order',
  },
]

/** What was found, or the rule that refused. */
function outcome(base64: string, claim: SuiClaim): Proof | string {
  try {
    return proveSui(base64, claim)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return error.fields.rule!
  }
}

const open = (base64: string): SuiTransaction =>
  parseSuiTransaction(Buffer.from(base64, 'base64')) as SuiTransaction

t.test("the sandbox's orders are proved, and pay what was asked for", async (t) => {
  for (const { title, order, minOut, kind } of ROWS) {
    const { base64, claim } = crossed(order, minOut)
    const proof = outcome(base64, claim) as Proof
    t.match(proof, { bridge: `Mayan ${kind}`, agreed: { receives: null, atMostNativeFees: 0n } }, title)
    for (const rule of ['bridge_order', 'recipient', 'received_token', 'minimum', 'sent_token']) {
      t.ok(proof.checks.includes(rule), `${title}: ${rule}`)
    }
    t.same(proof.stated ?? [], [], title)
    const { status, error, crossings } = execute(market, base64, NOW)
    t.equal(status, 'SUCCESS', `${title}: ${error}`)
    t.equal(crossings.length, 1)
  }
})

t.test('Mayan keeps a hundredth of an order at most, and the minimum is net of it', async (t) => {
  const { order, minOut } = ROWS[3]!
  const { base64, claim } = crossed(order, minOut)
  t.equal((outcome(base64, claim) as Proof).minimum, String((minOut * 99n) / 100n))
})

/** The only one of a transaction's calls with this name. */
const callAt = ({ commands }: SuiTransaction, name: string): number =>
  commands.findIndex((one) => one.kind === 'call' && one.name === name)

/** Another value in the place of an argument, for this call alone. */
function withArgument(whole: SuiTransaction, name: string, at: number, input: SuiInput): SuiTransaction {
  const index = callAt(whole, name)
  const call = whole.commands[index] as SuiCall
  const argument: SuiArgument = { kind: 'input', index: whole.inputs.length }
  const changed: SuiCommand = { ...call, args: call.args.with(at, argument) }
  return { ...whole, inputs: [...whole.inputs, input], commands: whole.commands.with(index, changed) }
}

/** Another value in the input that the argument names, for all calls that name it. */
function withInput(whole: SuiTransaction, name: string, at: number, bytes: Uint8Array): SuiTransaction {
  const call = whole.commands[callAt(whole, name)] as SuiCall
  const argument = call.args[at] as Extract<SuiArgument, { kind: 'input' }>
  return { ...whole, inputs: whole.inputs.with(argument.index, { kind: 'pure', bytes }) }
}

const [ORDER, LOCKED, WITH_FEE] = [
  'init_order::prepare_initialize_order',
  'bridge_locked_fee::prepare_bridge_locked_fee',
  'bridge_with_fee::prepare_bridge_with_fee',
] as const
const stranger = ptb.address(STRANGER)

/** Falsified fields, by row and argument, and the rule that each breaks. */
const FIELDS: readonly (readonly [row: number, name: string, at: number, bytes: Uint8Array, rule: string])[] =
  [
    [0, LOCKED, 1, ptb.u64(1n), 'none'],
    [0, LOCKED, 2, stranger, 'recipient'],
    [0, LOCKED, 3, ptb.u32(0), 'destination_chain'],
    [0, LOCKED, 4, ptb.u64(1n), 'fees'],
    [0, LOCKED, 5, ptb.u64(200_000n), 'minimum'],
    [1, WITH_FEE, 0, ptb.u8(2), 'destination_call'],
    [1, WITH_FEE, 2, ptb.u64(8_000_000n), 'none'],
    [1, WITH_FEE, 3, stranger, 'recipient'],
    [1, WITH_FEE, 4, ptb.u32(5), 'destination_chain'],
    [1, WITH_FEE, 5, ptb.u64(1n), 'fees'],
    [1, WITH_FEE, 6, ptb.u64(2_000_000n), 'minimum'],
    [1, WITH_FEE, 7, Buffer.from([1, 7]), 'destination_call'],
    [3, ORDER, 0, ptb.u8(2), 'destination_call'],
    [3, ORDER, 1, stranger, 'refund'],
    [3, ORDER, 3, stranger, 'recipient'],
    [3, ORDER, 4, ptb.u16(1), 'destination_chain'],
    [3, ORDER, 5, stranger, 'received_token'],
    [3, ORDER, 6, ptb.u64(1n), 'minimum'],
    [3, ORDER, 7, ptb.u64(1n), 'fees'],
    [3, ORDER, 8, ptb.u64(2_500_001n), 'fees'],
    [3, ORDER, 9, ptb.u64(BigInt(NOW / 1_000) + 86_401n), 'deadline'],
    [3, ORDER, 10, stranger, 'none'],
    [3, ORDER, 11, ptb.u8(1), 'fees'],
    [3, ORDER, 12, ptb.u32(0), 'destination_chain'],
    [4, ORDER, 3, stranger, 'recipient'],
    [4, ORDER, 5, stranger, 'received_token'],
    [4, ORDER, 13, ptb.u64(1n), 'amount'],
  ]

t.test('each field that is falsified is refused by its rule', async (t) => {
  for (const [row, name, at, bytes, rule] of FIELDS) {
    const { title, order, minOut } = ROWS[row]!
    const { base64, claim } = crossed(order, minOut)
    const found = outcome(written(withInput(open(base64), name, at, bytes)), claim)
    t.equal(typeof found === 'string' ? found : 'none', rule, `${title}: ${name} ${at}`)
  }
})

t.test('what the fee manager is told is what the order says', async (t) => {
  const { order, minOut } = ROWS[3]!
  const { base64, claim } = crossed(order, minOut)
  const falsified: readonly (readonly [number, Uint8Array])[] = [
    [6, ptb.u64(1n)],
    [3, stranger],
    [11, ptb.u8(1)],
  ]
  for (const [at, bytes] of falsified) {
    for (const [name, place] of [
      [ORDER, at],
      ['calculate_mctp_fee::prepare_calc_mctp_fee', at + 1],
    ] as const) {
      const changed = withArgument(open(base64), name, place, { kind: 'pure', bytes })
      t.equal(outcome(written(changed), claim), 'bridge_order', `${name} ${place}`)
    }
  }
})

/** Results are counted on by the commands before them. */
const shifted = (argument: SuiArgument, from: number, by: number): SuiArgument =>
  argument.kind === 'result' && argument.command >= from
    ? { ...argument, command: argument.command + by }
    : argument

const shiftedCommand = (one: SuiCommand, from: number, by: number): SuiCommand => {
  const move = (argument: SuiArgument) => shifted(argument, from, by)
  switch (one.kind) {
    case 'call':
      return { ...one, args: one.args.map(move) }
    case 'split':
      return { ...one, coin: move(one.coin), amounts: one.amounts.map(move) }
    case 'transfer':
      return { ...one, objects: one.objects.map(move), to: move(one.to) }
    default:
      return one
  }
}

/** Every argument becomes a stranger's object, a number, an address, or each earlier result; every command is left out or doubled. */
function* changesOf(whole: SuiTransaction): Generator<readonly [what: string, changed: SuiTransaction]> {
  const { inputs, commands } = whole
  const others: readonly SuiInput[] = [
    { kind: 'shared', id: STRANGER },
    { kind: 'owned', id: ptb.coinOf(FROM, USDC.address) },
    { kind: 'pure', bytes: stranger },
    { kind: 'pure', bytes: ptb.u64(7n) },
  ]
  for (const [index, command] of commands.entries()) {
    const without = commands.toSpliced(index, 1).map((one) => shiftedCommand(one, index + 1, -1))
    yield [`without ${index}`, { ...whole, commands: without }]
    const twice = commands.map((one) => shiftedCommand(one, index + 1, 1)).toSpliced(index, 0, command)
    yield [`${index} twice`, { ...whole, commands: twice }]
    if (command.kind !== 'call') continue
    const put = (changed: Partial<SuiCall>, more: readonly SuiInput[] = []): SuiTransaction => ({
      ...whole,
      inputs: [...inputs, ...more],
      commands: commands.with(index, { ...command, ...changed }),
    })
    for (const [at] of command.types.entries()) {
      yield [`${command.name}: type ${at}`, put({ types: command.types.with(at, SUI.address) })]
    }
    yield [`${command.name} of a stranger`, put({ package: STRANGER })]
    for (const at of command.args.keys()) {
      for (const [which, input] of others.entries()) {
        const args = command.args.with(at, { kind: 'input', index: inputs.length })
        yield [`${command.name} ${at}: other ${which}`, put({ args }, [input])]
      }
      yield [`${command.name} ${at}: gas`, put({ args: command.args.with(at, { kind: 'gas' }) })]
      for (let result = 0; result < index; result++) {
        for (const place of [0, 1]) {
          const args = command.args.with(at, { kind: 'result', command: result, index: place })
          yield [`${command.name} ${at}: result ${result}.${place}`, put({ args })]
        }
      }
    }
  }
}

t.test('whatever is changed of a call is refused, fails on the chain, or pays the same', async (t) => {
  for (const { title, order, minOut } of ROWS) {
    const { base64, claim } = crossed(order, minOut)
    const [honest] = execute(market, base64, NOW).crossings
    const counts = { tried: 0, refused: 0, failed: 0, same: 0 }
    for (const [what, changed] of changesOf(open(base64))) {
      counts.tried++
      const bytes = written(changed)
      const found = outcome(bytes, claim)
      if (typeof found === 'string') {
        counts.refused++
        continue
      }
      const simulation = executed(bytes)
      if (simulation === null) {
        counts.failed++
        continue
      }
      counts.same++
      t.doesNotThrow(() => requireAgreed(simulation, found.agreed as Agreed), `${title}: ${what}`)
      const [crossing, ...more] = execute(market, bytes, NOW).crossings
      t.same(more, [], `${title}: ${what}`)
      // Who redeems it may take less.
      t.ok(crossing!.fee <= honest!.fee, `${title}: ${what}`)
      t.same({ ...crossing, fee: null }, { ...honest, fee: null }, `${title}: ${what}`)
    }
    t.comment(title, counts)
    t.ok(counts.refused * 10 > counts.tried * 8, `${counts.refused} of ${counts.tried}`)
  }
})

t.test('a package is one of the table, or what the state names', async (t) => {
  const { order, minOut } = ROWS[3]!
  const { base64, claim } = crossed(order, minOut)
  const whole = open(base64)
  const [old] = KNOWN_MAYAN.mctp
  const upgraded = {
    ...whole,
    commands: whole.commands.map((one) =>
      one.kind === 'call' && one.package === old ? { ...one, package: STRANGER } : one,
    ),
  }
  t.equal(outcome(written(upgraded), claim), 'package')
  const packages = { ...KNOWN_MAYAN, mctp: new Set([...KNOWN_MAYAN.mctp, STRANGER]) }
  const told = { ...claim, out: { ...claim.out, packages } } as SuiClaim
  t.type(outcome(written(upgraded), told), 'object', 'whose authority keeps the name of the first version')
  const state = withArgument(whole, 'init_order::initialize_order', 0, { kind: 'shared', id: STRANGER })
  t.equal(outcome(written(state), claim), 'bridge_order', `another state than ${MCTP_STATE}`)
})

/** Adds a coin that is split off the gas, or off a coin of the wallet's, for Wormhole's message. */
function withMessageFee(base64: string, fee: bigint): string {
  const whole = open(base64)
  const at = whole.commands.findIndex((one, index) => index > 0 && one.kind === 'split')
  const { amounts } = whole.commands[at] as Extract<SuiCommand, { kind: 'split' }>
  const [amount] = amounts as [Extract<SuiArgument, { kind: 'input' }>]
  return written({ ...whole, inputs: whole.inputs.with(amount.index, { kind: 'pure', bytes: ptb.u64(fee) }) })
}

t.test("Wormhole's price comes beside the input, and is bounded", async (t) => {
  for (const row of [3, 4]) {
    const { title, order, minOut } = ROWS[row]!
    const { base64, claim } = crossed(order, minOut)
    const paid = outcome(withMessageFee(base64, 50_000_000n), claim) as Proof
    t.match(paid, { agreed: { atMostNativeFees: 50_000_000n, spends: { atMost: order.amountIn } } }, title)
    t.equal(outcome(withMessageFee(base64, 100_000_001n), claim), row === 3 ? 'fees' : 'amount', title)
  }
})

t.test('what is split off the gas for it goes nowhere else', async (t) => {
  const { order, minOut } = ROWS[3]!
  const { base64, claim } = crossed(order, minOut)
  const whole = open(base64)
  const amount: SuiInput = { kind: 'pure', bytes: ptb.u64(10n ** 9n) }
  const split: SuiCommand = {
    kind: 'split',
    coin: { kind: 'gas' },
    amounts: [{ kind: 'input', index: whole.inputs.length }],
  }
  const part: SuiArgument = { kind: 'result', command: whole.commands.length, index: 0 }
  const ending = (...commands: readonly SuiCommand[]) =>
    outcome(
      written({
        ...whole,
        inputs: [...whole.inputs, amount, { kind: 'pure', bytes: ptb.address(FROM) }],
        commands: [...whole.commands, split, ...commands],
      }),
      claim,
    )
  t.equal(ending(), 'coins')
  const back: SuiCommand = {
    kind: 'transfer',
    objects: [part],
    to: { kind: 'input', index: whole.inputs.length + 1 },
  }
  t.type(ending(back), 'object', 'but back to the wallet')
})

t.test('on Solana Circle alone mints to an account of tokens, not to a wallet', async (t) => {
  const { order, minOut } = ROWS[2]!
  const { claim } = crossed(order, minOut)
  const [owner, mint, program] = [WALLETS.solana, order.tokenOut.address, TOKEN_PROGRAM].map(
    (key) => decodeBase58(key, 32)!,
  )
  const account = Buffer.from(associatedAddress(owner!, mint!, program!))
  const plain = crossed(ROWS[0]!.order, ROWS[0]!.minOut)
  const toSolana = (to: Uint8Array) => {
    const whole = withInput(open(plain.base64), LOCKED, 2, to)
    return outcome(written(withInput(whole, LOCKED, 3, ptb.u32(5))), claim)
  }
  t.type(toSolana(account), 'object')
  t.equal(toSolana(owner!), 'recipient')
})
