/** Swaps from wallets whose coins are address balances (SIP-58): what is withdrawn is bounded, and whose it is. */

import t from 'tap'
import { requireAgreed, summed } from '../../../src/proof/simulation/simulation.ts'
import type { SuiClaim } from '../../../src/proof/sui/claim.ts'
import { proveSui } from '../../../src/proof/sui/sui.ts'
import type { Agreed } from '../../../src/proof/terms/verification.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import * as ptb from '../../../src/sandbox/sui/compose.ts'
import { execute } from '../../../src/sandbox/sui/ledger.ts'
import fc from '../../fixtures/fast-check.ts'
import { NOW } from '../../fixtures/provider.ts'
import {
  BETWEEN,
  BUY,
  builtFor,
  CETUS_V2,
  claimOf,
  crossed,
  FROM,
  market,
  minOutOf,
  OTHER,
  orderTo,
  SELL,
  STRANGER,
  SUI,
  type Trade,
  USDC,
} from '../../fixtures/sui.ts'

/** Holds balances, in the sandbox. */
const WALLET = `${FROM.slice(0, -2)}58`
const TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const { input, result, nested, pure, u64, address } = ptb

function ruleOf(base64: string, claim: SuiClaim): unknown {
  try {
    proveSui(base64, claim)
    return null
  } catch (error) {
    if (error instanceof GatewayError) return error.fields.rule
    throw error
  }
}

/** Proves it and executes what passes, as the gateway does. @returns how it ended */
function judged(base64: string, claim: SuiClaim): 'refused' | 'fails' | 'agreed' {
  let agreed: Agreed
  try {
    agreed = proveSui(base64, claim).agreed as Agreed
  } catch (error) {
    if (error instanceof GatewayError) return 'refused'
    throw error
  }
  const { status, changes, gas } = execute(market, base64, NOW)
  if (status !== 'SUCCESS') return 'fails'
  const own = changes.flatMap(({ owner, coinType, amount }) =>
    owner === claim.from ? [{ token: coinType === SUI.address ? null : coinType, amount }] : [],
  )
  requireAgreed({ changes: summed(own), gas }, agreed)
  return 'agreed'
}

t.test('what a wallet of balances sells is proved and executed, within Sui and across chains', async (t) => {
  for (const trade of [BUY, SELL, BETWEEN])
    t.equal(judged(builtFor(trade, WALLET), claimOf(trade, WALLET)), 'agreed', trade.tokenIn.symbol)
  for (const [tokenIn, amountIn] of [
    [null, BUY.amountIn],
    ['USDC', SELL.amountIn],
  ] as const) {
    const order = { ...orderTo(tokenIn, ['base', 'USDC', TO], amountIn), from: WALLET }
    const { base64, claim } = crossed(order, 1n)
    t.equal(judged(base64, claim), 'agreed', `${tokenIn} to Base`)
  }
})

t.test('nor does any single byte that is changed take more', async (t) => {
  const counts = { refused: 0, fails: 0, agreed: 0 }
  for (const trade of [BUY, SELL]) {
    const whole = Buffer.from(builtFor(trade, WALLET), 'base64')
    const byte = fc.record({ at: fc.nat(whole.length - 1), flip: fc.integer({ min: 1, max: 255 }) })
    fc.assert(
      fc.property(byte, ({ at, flip }) => {
        const bytes = Buffer.from(whole)
        bytes[at]! ^= flip
        let outcome: keyof typeof counts
        try {
          outcome = judged(bytes.toString('base64'), claimOf(trade, WALLET))
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error
          outcome = 'refused'
        }
        counts[outcome]++
      }),
      { numRuns: 300, seed: 58 },
    )
  }
  t.comment(counts)
  t.ok(counts.refused > counts.agreed && counts.agreed > 0)
})

const FRAMEWORK = `0x${'2'.padStart(64, '0')}`
const redeem = (type: string, at: number, module = 'coin') =>
  ptb.call(`${FRAMEWORK}::${module}::redeem_funds`, [type], [input(at)])
const give = (type: string, coin: ptb.BcsPart, to: number) =>
  ptb.call(`${FRAMEWORK}::coin::send_funds`, [type], [coin, input(to)])

/** Inputs of every form below: the withdrawal, an amount, two addresses, a pool, a coin and the minimum. */
const inputsOf = ({ tokenIn, amountIn }: Trade, withdrawn = amountIn): readonly ptb.BcsPart[] => [
  ptb.withdrawal(withdrawn, tokenIn.address),
  pure(u64(amountIn)),
  pure(address(FROM)),
  pure(address(STRANGER)),
  ptb.shared(ptb.idOf('pool')),
  ptb.owned(ptb.coinOf(FROM, tokenIn.address)),
  pure(u64(minOutOf(SELL))),
]
const [AMOUNT, SELF, THIEF, POOL, COIN, MINIMUM] = [1, 2, 3, 4, 5, 6]
const [SOLD, BOUGHT] = [SELL.tokenIn.address, SELL.tokenOut.address]

/** The coin is swapped, checked and given to the wallet by the commands from the `at`th on. */
const swapped = (coin: ptb.BcsPart, at: number): readonly ptb.BcsPart[] => [
  ptb.call(`${CETUS_V2}::cetus::swap_a2b`, [SOLD, BOUGHT], [input(POOL), coin]),
  ptb.call(`${CETUS_V2}::utils::check_coin_threshold`, [BOUGHT], [result(at), input(MINIMUM)]),
  give(BOUGHT, result(at), SELF),
]
const half = SELL.amountIn / 2n

/** In the forms of MystenLabs/ts-sdks CoinWithBalance.ts. */
const HONEST: Readonly<Record<string, readonly [withdrawn: bigint, commands: readonly ptb.BcsPart[]]>> = {
  'redeemed and passed whole': [SELL.amountIn, [redeem(SOLD, 0), ...swapped(result(0), 1)]],
  'redeemed, split, and the rest given back': [
    SELL.amountIn,
    [
      redeem(SOLD, 0),
      ptb.split(result(0), [input(AMOUNT)]),
      give(SOLD, result(0), SELF),
      ...swapped(nested(1, 0), 3),
    ],
  ],
  'merged into a coin, which gives the rest to the balance': [
    half,
    [
      redeem(SOLD, 0),
      ptb.merge(input(COIN), [result(0)]),
      ptb.split(input(COIN), [input(AMOUNT)]),
      give(SOLD, input(COIN), SELF),
      ...swapped(nested(2, 0), 4),
    ],
  ],
  'a balance that becomes a coin': [
    SELL.amountIn,
    [
      redeem(SOLD, 0, 'balance'),
      ptb.call(`${FRAMEWORK}::coin::from_balance`, [SOLD], [result(0)]),
      ...swapped(result(1), 2),
    ],
  ],
  'a withdrawal that is not redeemed': [
    SELL.amountIn,
    [ptb.split(input(COIN), [input(AMOUNT)]), ...swapped(nested(0, 0), 1)],
  ],
}

t.test('the forms that builders use pass', async (t) => {
  for (const [what, [withdrawn, commands]] of Object.entries(HONEST)) {
    const base64 = ptb.composeSui({ sender: FROM, inputs: inputsOf(SELL, withdrawn), commands })
    t.equal(ruleOf(base64, claimOf(SELL)), null, what)
    const { checks, stated } = proveSui(base64, claimOf(SELL))
    t.ok(checks.includes('minimum'), what)
    t.equal(stated, undefined, what)
  }
})

const at = (place: number, part: ptb.BcsPart) => inputsOf(SELL).with(place, part)

const THEFTS: readonly [
  what: string,
  rule: string,
  inputs: readonly ptb.BcsPart[],
  commands: readonly ptb.BcsPart[],
][] = [
  [
    'withdraws more than is sold',
    'amount',
    inputsOf(SELL, SELL.amountIn + 1n),
    [redeem(SOLD, 0), ...swapped(result(0), 1)],
  ],
  ['withdraws twice', 'amount', [...inputsOf(SELL), ptb.withdrawal(1n, SOLD)], [redeem(SOLD, 0)]],
  ['withdraws another coin', 'input', at(0, ptb.withdrawal(1n, OTHER.address)), []],
  ['withdraws SUI', 'input', at(0, ptb.withdrawal(1n, SUI.address)), []],
  ['withdraws from the sponsor', 'input', at(0, ptb.withdrawal(1n, SOLD, 1)), []],
  ['withdraws by an allowance', 'parse', at(0, ptb.withdrawal(1n, SOLD, 2)), []],
  ['redeems another type', 'sent_token', inputsOf(SELL), [redeem(OTHER.address, 0)]],
  ['redeems what is no withdrawal', 'parse', inputsOf(SELL), [redeem(SOLD, COIN)]],
  ['gives it to a stranger', 'recipient', inputsOf(SELL), [redeem(SOLD, 0), give(SOLD, result(0), THIEF)]],
  ['gives a coin to a stranger’s balance', 'recipient', inputsOf(SELL), [give(SOLD, input(COIN), THIEF)]],
  [
    'sells it whole and a coin’s part as well',
    'amount',
    inputsOf(SELL),
    [redeem(SOLD, 0), ptb.split(input(COIN), [input(AMOUNT)]), ...swapped(result(0), 2)],
  ],
  [
    'sells all that was merged into it',
    'coins',
    inputsOf(SELL),
    [redeem(SOLD, 0), ptb.merge(result(0), [input(COIN)]), ...swapped(result(0), 2)],
  ],
  [
    'splits more off than it holds',
    'amount',
    inputsOf(SELL, half),
    [redeem(SOLD, 0), ptb.split(result(0), [input(AMOUNT)]), ...swapped(nested(1, 0), 2)],
  ],
  [
    'sells what is split off and the rest, beside a coin’s part',
    'amount',
    at(AMOUNT, pure(u64(half))),
    [
      redeem(SOLD, 0),
      ptb.split(result(0), [input(AMOUNT)]),
      ptb.split(input(COIN), [input(AMOUNT)]),
      ...swapped(result(0), 3),
    ],
  ],
  ['hands the withdrawal on', 'coins', inputsOf(SELL), swapped(input(0), 0)],
  ['takes a coin whole', 'coins', inputsOf(SELL), swapped(input(COIN), 0)],
]

t.test('each theft is refused by its rule', async (t) => {
  for (const [what, rule, inputs, commands] of THEFTS)
    t.equal(ruleOf(ptb.composeSui({ sender: FROM, inputs, commands }), claimOf(SELL)), rule, what)
})

t.test('what was merged into a redeemed coin does not cross a bridge with it', async (t) => {
  const order = orderTo('USDC', ['base', 'USDC', TO], SELL.amountIn)
  const { claim } = crossed(order, 1n)
  if (claim.out.kind !== 'cross-chain') return t.fail('an order within Sui')
  const [mayan] = claim.out.packages.mctp
  const inputs = [...inputsOf(SELL), pure(Buffer.from([6, 0, 0, 0])), pure(u64(0n))]
  const crossing = (merged: readonly ptb.BcsPart[]) => {
    const order = ptb.call(
      `${mayan}::bridge_locked_fee::prepare_bridge_locked_fee`,
      [USDC.address],
      [result(0), input(AMOUNT), input(SELF), input(7), input(8), input(8)],
    )
    const commands = [redeem(SOLD, 0), ...merged, order]
    return ruleOf(ptb.composeSui({ sender: FROM, inputs, commands }), claim)
  }
  t.equal(crossing([]), 'bridge_order', 'the order is not whole')
  t.equal(crossing([ptb.merge(result(0), [input(COIN)])]), 'coins')
})
