/** `@swapgate/client/verify` beside a gateway: what an honest one builds is confirmed, and nothing that a hostile one makes of it. */

import t from 'tap'
import {
  type Approval,
  type Confirmed,
  type CrossChainOrder,
  type Execution,
  explain,
  type SwapOrder,
  verify,
} from '../../../src/clients/verify/index.ts'
import { type Built, builtHonestly, decimals } from '../../fixtures/built.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { OTHER_ROUTES, OWN_ROUTES } from '../../fixtures/classes/routes.ts'
import { INSTANT } from '../../fixtures/clock.ts'
import { SEED } from '../../fixtures/fast-check.ts'
import { attacksOn } from '../../fixtures/mitm.ts'

/** A first sample of the 2,000 of test/long. */
const SAMPLE = 500

/** What routers of STON.fi's second version run: a constant product pool's. */
const STON_CODE = 'a7e2f92c4bccbdbaaa0c083aa1da9762b52023134234adeb3b7bc8e72dbd1182'

const now = () => INSTANT
const all = await builtHonestly()
const others = await builtHonestly(OTHER_ROUTES)
const named = (title: string): Built => all.find(({ route }) => route.title === title)!
const check = ({ order, answer }: Pick<Built, 'order' | 'answer'>, trust = {}, accept = WORDS) =>
  verify(order, answer, { trust: { decimals, ...trust }, accept, now })
/** What no bytes of the fixtures show. */
const WORDS = ['outcome', 'source_minimum', 'router', 'jetton_wallet']

t.test('what an honest gateway builds is confirmed in every family, as high as bytes reach', async (t) => {
  for (const built of [...all, ...(await builtHonestly(OWN_ROUTES)), ...others]) {
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

t.test('what it answers to sign is what was proved, in the forms that wallets take', async (t) => {
  const evm = named('kyberswap, USDC for ETH')
  const sold = await check(evm)
  const { to, data, approval } = evm.answer as { to: string; data: string; approval: Approval }
  const { from } = evm.order
  const chainId = '0x2105'
  const approve = `0x095ea7b3${to.slice(2).toLowerCase().padStart(64, '0')}${250_000_000n.toString(16).padStart(64, '0')}`
  const calls = [
    { to: approval.token, data: approve, value: '0x0' },
    { to, data, value: '0x0' },
  ]
  t.same(sold.isVerified && sold.send, {
    ...{ family: 'evm', chainId: 8453, approval },
    transactions: calls.map((call) => ({ from, ...call, chainId })),
    calls: { version: '2.0.0', chainId, from, atomicRequired: true, calls },
  })
  t.match(sold, {
    facts: {
      spends: { amount: '250000000', decimals: 6 },
      receives: { recipient: from, atLeast: evm.order.minOut, decimals: 18 },
    },
  })
  const solana = named('jupiter, SOL for USDC')
  const { swapTransaction } = solana.answer
  t.match(await check(solana), { send: { family: 'solana', transaction: swapTransaction } })
  const sui = named('xprov, SUI for USDC')
  t.match(await check(sui), { send: { family: 'sui', transaction: sui.answer.suiTransaction } })
  const ton = named('swapcoffee, TON for USDC')
  t.match(await check(ton), { send: { family: 'ton', request: ton.answer.tonConnect as object } })
  const crossing = await check(named('xprov, USDC to the same on another chain'))
  t.match(crossing, { send: { chainId: 8453, transactions: { length: 2 } } })
  const [, swap] = crossing.isVerified && crossing.send.family === 'evm' ? crossing.send.transactions : []
  t.same(Object.keys(swap!).sort(), ['chainId', 'data', 'from', 'to', 'value'], "gas is the wallet's")
})

t.test("what rests on the gateway's word is refused, unless its user takes that word", async (t) => {
  for (const built of all) {
    const accepted = await check(built)
    if (!accepted.isVerified) return t.fail(built.route.title)
    const { stated, needs } = accepted
    const strict = await check(built, {}, [])
    if (stated.length === 0) t.same(strict, accepted, built.route.title)
    else t.match(strict, { isVerified: false, rule: stated[0], stated, needs }, built.route.title)
    t.notOk(!strict.isVerified && 'send' in strict)
  }
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

const THIRD = {
  evm: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  solana: 'GkwFnmMDvn3HGMpJpWBg8tgJxr3NxNvg3AXxvXVPbRGJ',
}

t.test('nor of an exact output, or of a swap for another wallet', async (t) => {
  for (const { name, built, answer } of attacksOn(others, new Random(SEED, 1), SAMPLE)) {
    const verdict = await check({ order: built.order, answer })
    if (verdict.isVerified) t.fail(`${built.route.title}: ${name}`, { answer })
  }
  for (const { route, order, answer } of others) {
    const { receiver, amountIn, ...rest } = order as SwapOrder
    const changes: [string, object][] = [['a third', { receiver: THIRD[route.family as keyof typeof THIRD] }]]
    if (receiver !== undefined) changes.push(['the signer', { receiver: undefined }])
    if (amountIn !== undefined) {
      const [less, out] = [String(BigInt(amountIn) - 1n), String(BigInt(order.minOut) + 1n)]
      changes.push(['a smaller maximum', { amountIn: less }], ['more', { amountOut: undefined, minOut: out }])
    }
    for (const [what, change] of changes) {
      const asked = { ...rest, receiver, amountIn, ...change } as SwapOrder
      t.match(await check({ order: asked, answer }), { isVerified: false }, `${route.title}: ${what}`)
    }
  }
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
    t.match(await check({ order: less, answer }), { isVerified: true }, route.title)
    const lied = { ...answer, estimate: { ...estimate, toAmount: `${estimate.toAmount}0` } }
    t.match(
      await check({ order: { ...less, expectedOut: promised }, answer: lied }),
      { isVerified: false, rule: 'minimum' },
      `${route.title}: more than the user was shown`,
    )
    const unseen = { ...less, expectedOut: undefined } as unknown as Built['order']
    for (const given of [answer, lied])
      t.match(
        await check({ order: unseen, answer: given }),
        { isVerified: false, stated: ['demands'] },
        `${route.title}: who was shown nothing has the gateway's word`,
      )
    const { expectedOut: _, ...near } = order as CrossChainOrder
    t.match(await check({ order: near, answer }), { isVerified: true }, `${route.title}: near the minimum`)
    for (const toAmount of ['', '1e9', '-1']) {
      const odd = { ...answer, estimate: { ...estimate, toAmount } }
      t.match(
        await check({ order: unseen, answer: odd }),
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
    const stated = { stated: ['decimals'], needs: ['decimals'] }
    const byWord = { ...order, amountIn }
    t.match(await verify(byWord, answer, { now }), { isVerified: false, rule: 'decimals', ...stated })
    t.match(await verify(byWord, answer, { now, accept: ['decimals'] }), {
      ...{ isVerified: true, level: 'stated', facts: { spends: { decimals: null } } },
      ...stated,
    })
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

t.test('what its bytes show is not executed', async (t) => {
  const execute = () => Promise.reject(new Error('There is nothing to execute.'))
  for (const built of all.filter(({ answer }) => (answer.transactionRequest ?? null) !== null))
    t.match(await check(built, { execute }), { isVerified: true }, built.route.title)
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

t.test('the copies next to the transaction match it, or are refused', async (t) => {
  const stranger = '0xbad0bad0bad0bad0bad0bad0bad0bad0bad0bad0'
  const evm = named('kyberswap, USDC for ETH')
  const solana = named('jupiter, SOL for USDC')
  const sui = named('xprov, SUI for USDC')
  const ton = named('swapcoffee, TON for USDC')
  const crossing = named('xprov, USDC to the same on another chain')
  const native = named('xprov, ETH to Solana')
  const member = (built: Built, name: string, more: object) => ({
    [name]: { ...(built.answer[name] as object), ...more },
  })
  const ways: readonly (readonly [what: string, built: Built, change: object, rule: string])[] = [
    ...[
      { gas: '0xffffffff', gasPrice: '0xffffffffffff' },
      { gas: '0x5208' },
      { maxFeePerGas: '0xffffffffffff', maxPriorityFeePerGas: '0xffffffffffff' },
      { nonce: '0x0' },
      { type: '0x4', authorizationList: [{ address: stranger, chainId: '0x0', nonce: '0x0' }] },
      { accessList: [{ address: stranger, storageKeys: [] }] },
      { chainId: '0x1' },
      { input: '0x' },
    ].flatMap((more) => {
      const what = Object.keys(more).join(', ')
      // Price and limit of a crossing's gas are bounded by its proof, and left out.
      const isBounded = 'gas' in more || 'chainId' in more
      return [
        [`a build's ${what}`, evm, member(evm, 'transactionRequest', more), 'transaction_request'] as const,
        ...(isBounded
          ? []
          : [
              [
                `a crossing's ${what}`,
                crossing,
                member(crossing, 'transactionRequest', more),
                'transaction_request',
              ] as const,
            ]),
      ]
    }),
    [
      'gas beyond its bounds',
      crossing,
      member(crossing, 'transactionRequest', { gasPrice: '0xffffffffffffff' }),
      'gas',
    ],
    ['another chain', crossing, member(crossing, 'transactionRequest', { chainId: '0x1' }), 'chain'],
    ["a crossing's spender", crossing, member(crossing, 'approval', { spender: stranger }), 'approval'],
    [
      "a crossing's approval of all",
      crossing,
      member(crossing, 'approval', { amount: String(2n ** 256n - 1n) }),
      'approval',
    ],
    [
      "a crossing's approval of another token",
      crossing,
      member(crossing, 'approval', { token: stranger }),
      'approval',
    ],
    ['a reset that nobody needs', crossing, member(crossing, 'approval', { reset: true }), 'approval'],
    ['a reset that nobody needs, in a build', evm, member(evm, 'approval', { reset: true }), 'approval'],
    ['an approval with a permit', crossing, member(crossing, 'approval', { permit: {} }), 'approval'],
    ['no approval', crossing, { approval: null }, 'approval'],
    ['an approval for the native coin', native, { approval: crossing.answer.approval }, 'approval'],
    [
      'who is approved, by the estimate',
      crossing,
      member(crossing, 'estimate', { approvalAddress: stranger }),
      'approval',
    ],
    ['a reset by the estimate', crossing, member(crossing, 'estimate', { approvalReset: true }), 'approval'],
    ["a crossing's calls", crossing, { calls: [{ to: stranger, data: '0x', value: '0x1' }] }, 'calls'],
    ['a call of a build in a crossing', crossing, { data: '0x', value: '1' }, 'family'],
    [
      'a Solana transaction beside a call',
      evm,
      { solanaTransaction: solana.answer.solanaTransaction },
      'family',
    ],
    ['a Solana transaction beside a crossing', crossing, { solanaTransaction: 'AA==' }, 'family'],
    [
      'a call beside a Solana transaction',
      solana,
      { transactionRequest: evm.answer.transactionRequest },
      'family',
    ],
    ['calls beside a Sui transaction', sui, { calls: evm.answer.calls }, 'family'],
    ['a Sui transaction beside a message', ton, { suiTransaction: sui.answer.suiTransaction }, 'family'],
    ...[
      'messages',
      'typedData',
      'permit',
      'authorizationList',
      'userOperation',
      'eip712',
      'auth7702',
      'steps',
      'userOps',
    ].flatMap((name) =>
      [evm, crossing, solana, sui, ton].map(
        (built) => [`${name} of a build`, built, { [name]: [{ to: stranger }] }, 'family'] as const,
      ),
    ),
    ['a link for wallets', evm, { link: `ethereum:${stranger}@8453/transfer?uint256=1` }, 'family'],
    ['a digest to sign', evm, { digest: `0x${'5a'.repeat(32)}` }, 'family'],
    [
      'a permit in the estimate',
      crossing,
      member(crossing, 'estimate', { permit: { spender: stranger } }),
      'family',
    ],
    ['a message beside a call', evm, { tonConnect: ton.answer.tonConnect }, 'family'],
    ['an extra currency in the message', ton, member(ton, 'tonConnect', { items: [] }), 'ton_connect'],
    ['a higher minimum than it holds', evm, { minOut: '99000000000000000000' }, 'minimum'],
    ['a higher minimum on Solana', solana, { minOut: '9900000000' }, 'minimum'],
    [
      'a higher minimum of a crossing',
      crossing,
      member(crossing, 'estimate', { toAmountMin: '60000000' }),
      'minimum',
    ],
    ['a minimum that is no amount', evm, { minOut: '1e30' }, 'minimum'],
  ]
  for (const [what, built, change, rule] of ways) {
    const answer = { ...built.answer, ...change }
    t.match(await check({ order: built.order, answer }), { isVerified: false, rule }, what)
  }
  t.ok(ways.length >= 35, `${ways.length} ways`)
})

t.test('figures of the answer that are not proved are not handed on', async (t) => {
  for (const built of all) {
    const honest = await check(built)
    const estimate = { ...(built.answer.estimate as object), toAmountHuman: 1e9, fromAmountHuman: 1 }
    const lied = {
      ...{ costs: [], costsComplete: true, expectedOut: '1', risks: [], fairOut: '1', priority: {} },
      ...{
        score: 7,
        worst: '12.5',
        warnings: [{ text: 'What a newer gateway says in words, and at length.' }],
      },
      verification: { level: 'proved', stated: [], checks: ['all'], recipient: 'you', minOut: '9' },
    }
    const answer = { ...built.answer, ...lied, ...('fromChain' in built.order && { estimate }) }
    t.same(await check({ order: built.order, answer }), honest, built.route.title)
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
