/** Calls and commands of Sui's transactions that the sandbox does not build, each as a provider might. */
import t from 'tap'
import { proveSui } from '../../../src/proof/sui/sui.ts'
import type { GatewayError } from '../../../src/runtime/errors.ts'
import {
  address,
  type BcsPart,
  call,
  composeSui,
  GAS,
  idOf,
  input,
  list,
  nested,
  pure,
  result,
  shared,
  split,
  text,
  transfer,
  u8,
  u64,
} from '../../../src/sandbox/sui/compose.ts'
import {
  AT,
  BUY,
  CETUS_V2,
  claimOf,
  crossed,
  FROM,
  minOutOf,
  orderTo,
  partsOf,
  ROUTER,
  SELL,
  STRANGER,
  SUI,
  type Trade,
  USDC,
} from '../../fixtures/sui.ts'

const TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

interface Found {
  readonly checks: readonly string[]
  readonly stated?: readonly string[]
}

/** What was found, or the rule that refused. */
function outcome(
  commands: readonly BcsPart[],
  inputs: readonly BcsPart[],
  trade: Trade = BUY,
): Found | string {
  try {
    return proveSui(composeSui({ sender: FROM, inputs, commands }), claimOf(trade)) as Found
  } catch (error) {
    return (error as GatewayError).fields.rule!
  }
}

/** The inputs of a swap that is put together here, by the order of their names. */
const GIVEN = [
  pure(u64(BUY.amountIn)),
  shared(idOf('pool')),
  pure(u64(minOutOf(BUY))),
  pure(address(FROM)),
  pure(u64(0n)),
  pure(u64(1n)),
]
const [AMOUNT, POOL, MINIMUM, WALLET, ZERO, ONE] = GIVEN.map((_, at) => input(at)) as [
  BcsPart,
  BcsPart,
  BcsPart,
  BcsPart,
  BcsPart,
  BcsPart,
]
/** Splits the input off, and swaps it: the bought coin is result 1. */
const swapping = (types: readonly string[]): readonly BcsPart[] => [
  split(GAS, [AMOUNT]),
  call(`${CETUS_V2}::cetus::swap_a2b`, types, [POOL, nested(0, 0)]),
]
const SWAPPED = swapping([SUI.address, USDC.address])
const vector = (items: readonly BcsPart[]): BcsPart => Buffer.concat([u8(5, 0), list(items)])

t.test(
  'a router of the second version gets its limits as arguments, and is read like the first',
  async (t) => {
    for (const trade of [BUY, SELL]) {
      const { inputs, commands } = partsOf(trade)
      const [sold, bought] = [trade.tokenIn.address, trade.tokenOut.address]
      const opening = (types: readonly string[]): readonly BcsPart[] => {
        const args = [AT.id, AT.most, AT.expected, AT.limit, null, AT.rate, AT.feeTo]
        const open = call(
          `${ROUTER}::router::new_swap_context_v2`,
          types,
          args.map((at) => (at === null ? nested(0, 0) : input(at))),
        )
        return commands.with(1, open)
      }
      const found = outcome(opening([sold, bought]), inputs, trade) as Found
      t.ok(found.checks.includes('sent_token') && found.checks.includes('minimum'))
      t.equal(found.stated, undefined)
      t.equal(outcome(opening([bought, sold]), inputs, trade), 'sent_token')
      t.equal(outcome(opening([sold, sold]), inputs, trade), 'received_token')
      t.equal(outcome(opening([sold]), inputs, trade), 'parse')
    }
  },
)

t.test('which of two types is sold is not proved if their order is unknown', async (t) => {
  for (const types of [
    [SUI.address, USDC.address],
    [USDC.address, SUI.address],
  ]) {
    const found = outcome([...swapping(types), transfer([result(1)], WALLET)], GIVEN) as Found
    t.notOk(found.checks.includes('sent_token'))
  }
  t.equal(outcome([...swapping([USDC.address]), transfer([result(1)], WALLET)], GIVEN), 'sent_token')
})

t.test('a settlement has nine arguments and two types, and no commission', async (t) => {
  const args = [POOL, POOL, AMOUNT, result(1), MINIMUM, MINIMUM, ONE, ZERO, ZERO]
  const settled = (given: readonly BcsPart[], types = [SUI.address, USDC.address]) => {
    const settle = call(
      '0x17c0b1f7a6ad73f51268f16b8c06c049eecc2f28a270cdd29c06e3d2dea23302::settle::settle',
      types,
      given,
    )
    return outcome([...SWAPPED, settle, transfer([result(1)], WALLET)], GIVEN)
  }
  t.ok((settled(args) as Found).checks.includes('minimum'))
  t.equal(settled(args.slice(0, -1)), 'parse')
  t.equal(settled([...args, ZERO]), 'parse')
  t.equal(settled(args, [USDC.address]), 'parse')
  t.equal(settled(args, [SUI.address, USDC.address, USDC.address]), 'parse')
  t.equal(settled(args, [USDC.address, SUI.address]), 'received_token')
  t.equal(settled(args.with(7, ONE)), 'fee')
  t.equal(settled(args.with(8, ONE)), 'fee')
})

t.test('a vector is one value, of what is in it', async (t) => {
  const taking = (coins: BcsPart) => [
    ...SWAPPED,
    vector([result(1)]),
    call(`${CETUS_V2}::cetus::swap_b2a`, [USDC.address, USDC.address], [POOL, coins]),
    transfer([result(3)], WALLET),
  ]
  t.match(outcome(taking(result(2)), GIVEN), { stated: ['minimum'] })
  t.match(outcome(taking(nested(2, 0)), GIVEN), { stated: ['minimum'] })
  t.equal(outcome(taking(nested(2, 1)), GIVEN), 'parse', 'a second one')
  const sent = [split(GAS, [AMOUNT]), vector([nested(0, 0)])]
  const other = call(`${CETUS_V2}::cetus::swap_b2a`, [USDC.address], [POOL, result(1)])
  t.equal(outcome([...sent, other], GIVEN), 'sent_token', 'what is sent stays that')
  t.equal(outcome([vector([GAS])], GIVEN), 'coins', 'and a coin of the wallet is not lent')
})

t.test('types are nested sixteen deep at most, in vectors and in structs', async (t) => {
  const BOOL = u8(1)
  const inVector = (type: BcsPart): BcsPart => Buffer.concat([u8(6), type])
  const inStruct = (type: BcsPart): BcsPart =>
    Buffer.concat([u8(7), address('0x2'), text('coin'), text('Coin'), list([type])])
  const nesting = (wraps: readonly ((type: BcsPart) => BcsPart)[]): BcsPart =>
    wraps.reduce((type, wrap) => wrap(type), BOOL)
  const ofType = (type: BcsPart) => outcome([Buffer.concat([u8(5, 1), type, list([])])], [])
  for (const wraps of [[inVector], [inStruct], [inVector, inStruct]]) {
    const deep = (count: number) =>
      nesting(Array.from({ length: count }, (_, at) => wraps[at % wraps.length]!))
    t.match(ofType(deep(15)), { checks: ['encoding'] })
    t.equal(ofType(deep(16)), 'parse')
    t.equal(ofType(deep(40)), 'parse')
  }
})

t.test('code known only by name gets no address but the wallet, or none', async (t) => {
  const telling = (account: string) => {
    const inputs = [...GIVEN, pure(address(account))]
    const swap = call(
      `${CETUS_V2}::cetus::swap_a2b`,
      [SUI.address, USDC.address],
      [POOL, nested(0, 0), input(GIVEN.length)],
    )
    return outcome([split(GAS, [AMOUNT]), swap, transfer([result(1)], WALLET)], inputs)
  }
  t.match(telling(FROM), { stated: ['minimum'] })
  t.match(telling('0x0'), { stated: ['minimum'] })
  t.equal(telling(STRANGER), 'recipient')
})

t.test('the amount burnt for another chain is known if a check bounds it', async (t) => {
  const recipient = `0x${TO.slice(2).toLowerCase().padStart(64, '0')}`
  const { out } = crossed(orderTo(null, ['base', 'USDC', TO], BUY.amountIn), 1n).claim
  const inputs = [...GIVEN, pure(Buffer.from([6, 0, 0, 0])), pure(address(recipient))]
  const burn = call(
    '0x2aa6c5d56376c371f88a6cc42e852824994993cb9bab8d3e6450cbe3cb32b94e::deposit_for_burn::deposit_for_burn',
    [USDC.address],
    [result(1), input(GIVEN.length), input(GIVEN.length + 1), POOL, POOL, POOL, POOL],
  )
  const check = call(`${CETUS_V2}::utils::check_coin_threshold`, [USDC.address], [result(1), MINIMUM])
  const burning = (commands: readonly BcsPart[]) =>
    proveSui(composeSui({ sender: FROM, inputs, commands }), { ...claimOf(BUY), out }) as unknown as Found
  t.same(burning([...SWAPPED, burn]).stated, ['minimum'])
  t.equal(burning([...SWAPPED, check, burn]).stated, undefined)
})
