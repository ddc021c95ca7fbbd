/** `swapgate/verify` beside a gateway: what an honest one builds is confirmed, and nothing that a hostile one makes of it. */
import t from 'tap'
import {
  type Confirmed,
  type Execution,
  explain,
  judgeTrade,
  type Trade,
  tradeFile,
  verify,
} from '../../../src/clients/verify/index.ts'
import { type Built, builtHonestly, decimals } from '../../fixtures/built.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { INSTANT } from '../../fixtures/clock.ts'
import { attacksOn } from '../../fixtures/mitm.ts'

const SEED = Number(process.env.LANE_SEED ?? 1)
/** A first sample of the 2,000 of test/long. */
const SAMPLE = 500

/** What routers of STON.fi's second version run: a constant product pool's. */
const STON_CODE = 'a7e2f92c4bccbdbaaa0c083aa1da9762b52023134234adeb3b7bc8e72dbd1182'

const now = () => INSTANT
const all = await builtHonestly()
const named = (title: string): Built => all.find(({ route }) => route.title === title)!
const check = ({ order, answer }: Pick<Built, 'order' | 'answer'>, trust = {}) =>
  verify(order, answer, { trust: { decimals, ...trust }, now })

t.test('what an honest gateway builds is confirmed in every family, as high as bytes reach', async (t) => {
  for (const built of all) {
    const verdict = await check(built)
    t.match(verdict, { isVerified: true }, built.route.title)
    if (!verdict.isVerified) continue
    const gateway = built.answer.verification as Confirmed
    const isBytesAlone = verdict.stated.length === 0
    t.equal(verdict.level, isBytesAlone ? 'proved' : 'stated', built.route.title)
    t.same(verdict.needs, needsOf(built), built.route.title)
    // What the gateway checked by the bytes, and it alone, is checked here, too.
    const own = gateway.checks.filter((name) => name !== 'simulation' && !verdict.stated.includes(name))
    t.same(new Set(verdict.checks), new Set(own), built.route.title)
  }
})

function needsOf({ route, order, answer }: Built): readonly string[] {
  if (route.family === 'ton') return ['ton']
  const isBridgedOnSolana = 'fromChain' in order && order.fromChain === 'solana'
  return 'suiTransaction' in answer && answer.suiTransaction !== null
    ? ['execute']
    : isBridgedOnSolana
      ? ['execute']
      : []
}

t.test('what it answers to sign is what was proved', async (t) => {
  const evm = named('kyberswap, USDC for ETH')
  const sold = await check(evm)
  const { to, data, approval } = evm.answer
  const { from } = evm.order
  const chainId = 8453
  t.match(sold, { material: { family: 'evm', chainId, from, to, data, value: 0n, approval } })
  t.match(sold, {
    facts: { spends: { amount: '250000000' }, receives: { recipient: from, atLeast: evm.order.minOut } },
  })
  const solana = named('jupiter, SOL for USDC')
  t.match(await check(solana), { material: { family: 'solana', transaction: solana.answer.swapTransaction } })
  const sui = named('xprov, SUI for USDC')
  t.match(await check(sui), { material: { family: 'sui', transaction: sui.answer.suiTransaction } })
  const ton = named('swapcoffee, TON for USDC')
  t.match(await check(ton), { material: { family: 'ton', message: ton.answer.tonMessage as object } })
  const crossing = named('xprov, USDC to the same on another chain')
  t.match(await check(crossing), {
    material: { family: 'evm', data: (crossing.answer.transactionRequest as Confirmed['facts']).data },
  })
})

t.test('nothing that a hostile gateway makes of it is confirmed', async (t) => {
  const byName = new Map<string, number>()
  for (const { name, built, answer } of attacksOn(all, new Random(SEED, 0), SAMPLE)) {
    byName.set(name, (byName.get(name) ?? 0) + 1)
    const verdict = await check({ order: built.order, answer })
    if (verdict.isVerified) t.fail(`${built.route.title}: ${name}`, { answer })
  }
  t.ok(byName.size >= 15, `${byName.size} kinds`)
})

t.test('a build that holds more than the user accepted is confirmed', async (t) => {
  for (const { route, order, answer } of all) {
    for (const percent of [80n, 99n]) {
      const minOut = String((BigInt(order.minOut) * percent) / 100n)
      t.match(await check({ order: { ...order, minOut }, answer }), { isVerified: true }, route.title)
    }
  }
})

t.test('a gateway that builds for a lower minimum than the user accepted is refused', async (t) => {
  for (const { route, order, answer } of all) {
    const minOut = String(BigInt(order.minOut) * 2n)
    const verdict = await check({ order: { ...order, minOut }, answer })
    // Where the minimum is not in the bytes, only executing it could tell.
    if (verdict.isVerified)
      t.ok(
        verdict.stated.some((what) => ['minimum', 'outcome'].includes(what)),
        route.title,
      )
    else t.match(verdict.rule, /^(minimum|quoted_amount)$/, route.title)
  }
})

t.test('an order to another chain that can only be refunded is refused', async (t) => {
  for (const { route, order, answer } of all.filter(
    ({ answer }) => 'refundFee' in (answer.verification as object),
  )) {
    const { estimate, verification } = answer as {
      readonly estimate: Readonly<Record<string, string>>
      readonly verification: Readonly<Record<string, string>>
    }
    const promised = String((BigInt(verification.demands!) * 99n) / 100n)
    const less = { ...order, minOut: String(BigInt(promised) / 2n) }
    const lied = { ...answer, estimate: { ...estimate, toAmount: promised } }
    t.match(await check({ order: less, answer }), { isVerified: true }, route.title)
    t.match(await check({ order: less, answer: lied }), { isVerified: false, rule: 'minimum' }, route.title)
    for (const toAmount of ['', '1e9', '-1']) {
      const odd = { ...answer, estimate: { ...estimate, toAmount } }
      t.match(
        await check({ order: less, answer: odd }),
        { isVerified: false },
        `${route.title}: '${toAmount}'`,
      )
    }
    const gross = { ...order, minOut: verification.demands! }
    const isNet = verification.demands !== verification.minimum
    if (isNet)
      t.match(
        await check({ order: gross, answer }),
        { isVerified: false, rule: 'minimum' },
        `${route.title}: net`,
      )
    t.match(
      await verify(order, answer, { trust: { decimals }, now: () => INSTANT + 3_600_000 }),
      { isVerified: false, rule: 'deadline' },
      `${route.title}: an hour later`,
    )
  }
})

t.test('an order that is not the one that was built is refused', async (t) => {
  const built = named('kyberswap, USDC for ETH')
  const other = '0x2222222222222222222222222222222222222222'
  for (const [rule, change] of [
    ['chain', { chain: 'arbitrum', token: 'native', against: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831' }],
    ['from', { from: other }],
    ['approval', { amount: '251' }],
    ['approval', { token: '0x940181a94A35A4569E4529A3CDfB74e38FD98631' }],
    ['value', { side: 'buy' }],
    ['invalid_parameter', { minOut: '0' }],
    ['invalid_parameter', { minOut: '1.5' }],
    ['invalid_parameter', { side: 'hold' }],
    ['invalid_parameter', { token: 'x' }],
    ['invalid_parameter', { amount: undefined }],
    ['unsupported_chain', { chain: 'Base' }],
    ['amount_precision', { amount: '0.0000001' }],
  ] as const) {
    const order = { ...built.order, ...change } as Built['order']
    t.match(
      await check({ order, answer: built.answer }),
      { isVerified: false, rule, message: /./ },
      JSON.stringify(change),
    )
  }
  for (const answer of [undefined, null, 7, 'x', [], () => {}]) {
    t.match(await verify(built.order, answer, { now }), { isVerified: false, rule: 'malformed' })
  }
})

t.test(
  'decimals that nobody whom the wallet trusts knows are stated, and need its word or its base units',
  async (t) => {
    const built = named('kyberswap, a token of no chain file for ETH')
    const { order, answer } = built
    t.match(await verify(order, answer, { now }), { isVerified: false, rule: 'invalid_parameter' })
    const amountIn = `300${'0'.repeat(18)}`
    const stated = { isVerified: true, level: 'stated', stated: ['decimals'], needs: ['decimals'] }
    t.match(await verify({ ...order, amountIn }, answer, { now }), stated, 'by the word of who quoted')
    const { amount: _, ...units } = { ...order, amountIn }
    t.match(
      await verify(units, answer, { now }),
      { level: 'proved', stated: { length: 0 } },
      'the wallet counts in base units itself',
    )
    t.match(
      await check({ order: { ...order, amountIn: '300000000' }, answer }),
      { rule: 'invalid_parameter' },
      'known decimals',
    )
    const wrong = { decimals: async () => 1.5 }
    t.match(await check({ order, answer }, wrong), { rule: 'invalid_parameter' })
  },
)

t.test('executing it at the node of the wallet shows an outcome that the bytes do not', async (t) => {
  const built = named('xprov, SUI for USDC')
  const { order } = built
  const usdc = '0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC'
  const outcome = (native: bigint, gained: bigint, gas: bigint | null = 3_000_000n): Execution => ({
    changes: [
      { token: null, amount: native },
      { token: usdc, amount: gained },
    ],
    gas,
  })
  const sold = 1_500_000_000n
  const least = BigInt(order.minOut)
  const by = (execution: Execution | null) => check(built, { execute: async () => execution })
  t.match(await by(outcome(-sold - 3_000_000n, least)), {
    level: 'simulated',
    stated: { length: 0 },
    needs: { length: 0 },
  })
  t.match(await by(outcome(-sold - 3_000_000n, least - 1n)), { isVerified: false, rule: 'simulation' })
  t.match(await by(outcome(-sold * 2n, least)), { isVerified: false, rule: 'simulation' })
  t.match(await by(null), { level: 'stated', stated: ['outcome'] }, 'the node cannot execute it')
  const seen: unknown[] = []
  const execute = async (...asked: unknown[]) => {
    seen.push(asked)
    return null
  }
  await check(built, { execute })
  t.same(seen, [['sui', built.answer.suiTransaction]])
  const failing = { execute: () => Promise.reject(new Error('ECONNREFUSED')) }
  t.match(await check(built, failing), { isVerified: false, rule: 'malformed', message: /ECONNREFUSED/ })
})

t.test("the contracts of TON are asked of the wallet's own nodes", async (t) => {
  const built = named('swapcoffee, TON for USDC')
  const ton = {
    walletOf: async () => null,
    codeOf: async () => STON_CODE,
    assetsOf: async () => null,
    vaultWalletOf: async () => null,
  }
  t.match(await check(built, { ton }), { level: 'proved', stated: { length: 0 }, needs: { length: 0 } })
  const other = { ...ton, codeOf: async () => '0'.repeat(64) }
  t.match(await check(built, { ton: other }), { isVerified: false, rule: 'router' })
})

const tradeOf = ({ order, answer }: Built): Trade => ({
  order,
  built: { at: INSTANT, source: 'http://localhost:8080/api/build', body: answer },
  signed: { at: INSTANT + 1, source: 'a wallet', body: '0xabc' },
})

t.test(
  "a trade's file is judged again to the same verdict, and any bit of it that is flipped is found",
  async (t) => {
    for (const title of [
      'kyberswap, USDC for ETH',
      'jupiter, SOL for USDC',
      'xprov, SUI for USDC',
      'xprov, ETH to Solana',
    ]) {
      const text = await tradeFile(tradeOf(named(title)))
      const { verdict, ...judgement } = await judgeTrade(text)
      const stated = verdict?.isVerified === true ? verdict.stated : []
      t.same(judgement, { isIntact: true, isRepeated: true, onlyChainTells: [...stated, 'inclusion'] }, title)
      t.equal(verdict?.isVerified, true, title)
    }
    const text = await tradeFile(tradeOf(named('kyberswap, USDC for ETH')))
    const random = new Random(SEED, 3)
    for (let i = 0; i < 300; i++) {
      const bytes = Buffer.from(text)
      bytes[random.below(bytes.length)]! ^= 1 << random.below(8)
      t.match(await judgeTrade(bytes.toString()), { isIntact: false, verdict: null })
    }
  },
)

t.test('whoever writes a file anew cannot make its verdict hold', async (t) => {
  const built = named('kyberswap, USDC for ETH')
  for (const { answer } of attacksOn([built], new Random(SEED, 4), 20)) {
    const text = await tradeFile(tradeOf({ ...built, answer }))
    t.match(
      await judgeTrade(text),
      { isIntact: true, isRepeated: true, verdict: { isVerified: false } },
      'it says so',
    )
  }
  for (const text of ['', '{}', 'null', '[]', '{"format":"swapgate-trade/1"}', ' '.repeat(2_000_000)]) {
    t.match(await judgeTrade(text), {
      isIntact: false,
      isRepeated: false,
      verdict: null,
      onlyChainTells: { length: 0 },
    })
  }
})

t.test('what any transaction does, with what the wallet brings', async (t) => {
  const owner = '0x52908400098527886E0F7030069857D2E4169EE7'
  const to = '0xde709f2102306220921060314715629080e2fb77'
  const request = { chain: 'base', owner, call: { to, value: '5' } }
  t.match(await explain(request), { verdict: 'unknown', actions: [{ kind: 'transfer', amount: '5' }] })
  const isRefused = (address: string) => address.toLowerCase() === to
  t.match(await explain(request, { isRefused }), {
    verdict: 'danger',
    risks: [{ code: 'refused_address' }, {}],
  })
  const simulation = { by: "the wallet's node", at: 7, changes: [{ token: 'native', amount: '-5' }] }
  t.match(await explain(request, { execute: async () => simulation }), { simulation })
  const call = { to, data: '0x12345678' }
  t.match(await explain({ chain: 'base', call }, { descriptors: {} }), { verdict: 'unknown' })
})
