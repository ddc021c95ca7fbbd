/**
 * Orders of Mayan's on Sui: the sandbox's are proved, and whatever is changed of them is refused by its rule,
 * or pays out what was asked for.
 */
import t from 'tap'
import { associatedAddress } from '../../../src/chains/solana/associated.ts'
import { decodeBase58 } from '../../../src/chains/solana/base58.ts'
import { TOKEN_PROGRAM } from '../../../src/chains/solana/programs.ts'
import { requireAgreed } from '../../../src/proof/simulation/simulation.ts'
import type { SuiClaim } from '../../../src/proof/sui/claim.ts'
import { KNOWN_MAYAN, MCTP_STATE } from '../../../src/proof/sui/mctp.ts'
import type { SuiArgument, SuiCommand, SuiInput } from '../../../src/proof/sui/ptb.ts'
import { proveSui } from '../../../src/proof/sui/sui.ts'
import type { Agreed, Proof } from '../../../src/proof/terms/verification.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import * as ptb from '../../../src/sandbox/sui/compose.ts'
import { execute } from '../../../src/sandbox/sui/ledger.ts'
import { executed } from '../../fixtures/hostile/sui.ts'
import {
  changesOf,
  FALSIFIED,
  LOCKED,
  ORDER,
  open,
  ROWS,
  run,
  stranger,
  withArgument,
  withInput,
} from '../../fixtures/hostile/sui-mctp.ts'
import { NOW } from '../../fixtures/provider.ts'
import { crossed, FROM, market, STRANGER } from '../../fixtures/sui.ts'
import { suiThefts, written } from '../../fixtures/theft/sui.ts'
import { WALLETS } from '../../fixtures/xprov.ts'

/** What was found, or the rule that refused. */
function outcome(base64: string, claim: SuiClaim): Proof | string {
  try {
    return proveSui(base64, claim)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return error.fields.rule!
  }
}

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

t.test('each field that is falsified is refused by its rule', async (t) => {
  for (const { row, what, at, bytes, rule, harmless } of FALSIFIED) {
    const { title, order, minOut } = ROWS[row]!
    const { base64, claim } = crossed(order, minOut)
    const found = outcome(written(withInput(open(base64), ...at, bytes)), claim)
    if (harmless === undefined) t.equal(found, rule, `${title}: ${what}`)
    else t.type(found, 'object', `${title}: ${what}`)
  }
  for (const { family, thefts } of await run()) t.same(thefts, [], family)
})

t.test("the fee manager gets the order's values", async (t) => {
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

t.test("Wormhole's fee comes on top of the input, and is bounded", async (t) => {
  for (const row of [3, 4]) {
    const { title, order, minOut } = ROWS[row]!
    const { base64, claim } = crossed(order, minOut)
    const paid = outcome(withMessageFee(base64, 50_000_000n), claim) as Proof
    t.match(paid, { agreed: { atMostNativeFees: 50_000_000n, spends: { atMost: order.amountIn } } }, title)
    t.equal(outcome(withMessageFee(base64, 100_000_001n), claim), row === 3 ? 'fees' : 'amount', title)
  }
})

t.test('the part split off the gas for it goes nowhere else', async (t) => {
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

t.test(
  'an order takes the whole input: the rest of it could be lost, and nobody fills the order',
  async (t) => {
    const { order, minOut } = ROWS[3]!
    const { base64, claim } = crossed(order, minOut)
    const whole = open(base64)
    const splitting = (amount: bigint) => {
      const sold = withInput(whole, ORDER, 13, ptb.u64(0n))
      return outcome(
        written({ ...sold, inputs: sold.inputs.with(1, { kind: 'pure', bytes: ptb.u64(amount) }) }),
        claim,
      )
    }
    t.same(whole.inputs[1], { kind: 'pure', bytes: new Uint8Array(ptb.u64(order.amountIn)) })
    t.type(splitting(order.amountIn), 'object')
    t.type(splitting((order.amountIn * 99n) / 100n), 'object', "but for LI.FI's fee")
    t.equal(splitting((order.amountIn * 99n) / 100n - 1n), 'amount')
  },
)

t.test('what an auction for USDC itself may get is the least that arrives', async (t) => {
  const row = ROWS[4]!
  const { claim, base64 } = crossed(row.order, row.minOut)
  const out = { ...claim.out, isMinted: true } as Extract<SuiClaim['out'], { kind: 'cross-chain' }>
  const demanded = (least: bigint) =>
    outcome(written(withInput(open(base64), ORDER, 13, ptb.u64(least))), { ...claim, out })
  t.type(demanded(row.minOut), 'object')
  t.equal(demanded(row.minOut - 1n), 'amount')
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

t.test(
  'a swap before an auction leaves what the input is worth, by its own check or the order’s',
  async (t) => {
    const uncheckedOf = (base64: string): string => {
      const theft = suiThefts(base64, (data) => ({ data })).find(({ what }) => what.includes('unchecked'))
      return String(theft!.rob().data)
    }
    const bridged = crossed(ROWS[1]!.order, ROWS[1]!.minOut)
    t.equal(outcome(uncheckedOf(bridged.base64), bridged.claim), 'minimum')
    const { order, minOut } = ROWS[4]!
    const { base64, claim } = crossed(order, minOut)
    const { leastBurnt } = claim.out as Extract<SuiClaim['out'], { kind: 'cross-chain' }>
    const demanding = (least: bigint) =>
      outcome(written(withInput(open(uncheckedOf(base64)), ORDER, 13, ptb.u64(least))), claim)
    t.equal(demanding(leastBurnt! - 1n), 'amount')
    t.type(demanding(leastBurnt!), 'object')
    const worth = (leastBurnt: bigint | null) =>
      outcome(base64, { ...claim, out: { ...claim.out, leastBurnt } } as SuiClaim)
    t.equal(worth(10n ** 12n), 'amount', 'it is worth more than what is demanded')
    t.match(worth(null), { stated: ['source_minimum'] }, 'nobody says what it is worth')
  },
)
