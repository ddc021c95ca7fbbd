import t, { type Test } from 'tap'
import { type SwapOrder, verify } from '../../src/clients/verify/index.ts'
import { BuildResult } from '../../src/runtime/resources/build.ts'
import { Quote } from '../../src/runtime/resources/quote.ts'
import { Check } from '../fixtures/check.ts'
import { INSTANT } from '../fixtures/clock.ts'
import { listen } from '../fixtures/gateway.ts'
import {
  EVM_WALLET,
  getQuote,
  type Json,
  postBuild,
  SOLANA_WALLET,
  SUI_WALLET,
  SWAPS,
  USDC,
} from '../fixtures/swaps.ts'

const RECEIVER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const lifted = (t: Test) => listen(t, { LIMITS: 'swap=off' })
/** As a wallet does. */
const judged = (order: object, built: unknown) => verify(order as SwapOrder, built, { now: () => INSTANT })
const jsonOf = async (response: Response): Promise<Json> => (await response.json()) as Json

t.test('an exact output: quoted by those that sell it, built for at most the maximum', async (t) => {
  const { url } = await lifted(t)
  for (const side of ['buy', 'sell'] as const) {
    const order = {
      chain: 'base',
      side,
      token: USDC.base,
      amountOut: '0.25',
      slippageBps: 200,
      from: EVM_WALLET,
    }
    const quote = await jsonOf(await getQuote(url, order))
    t.ok(Check(Quote, quote), JSON.stringify(quote).slice(0, 300))
    const out = side === 'buy' ? '250000' : '250000000000000000'
    t.match(quote, { side, expectedOut: out, minOut: out, expectedOutHuman: 0.25 })
    const [amountIn, maxIn] = [BigInt(String(quote.amountIn)), BigInt(String(quote.maxIn))]
    t.equal(maxIn, (amountIn * 10_200n + 9_999n) / 10_000n)
    const told = [quote.provider, ...quote.route.alternatives.map(({ provider }) => provider)]
    t.same(told.sort(), ['uniswap-v2', 'uniswap-v3', 'velora'], 'nobody else is asked')
    t.match(quote, { rankedBy: 'net', netIn: /^\d+$/, fairOut: /^\d+$/ })
    t.ok(BigInt(String(quote.netIn)) > amountIn)
    t.ok(Math.abs(Number(quote.priceImpactPct)) < 5, `${quote.priceImpactPct} %`)
    const built = await jsonOf(await postBuild(url, { ...order, quote }))
    t.ok(Check(BuildResult, built), JSON.stringify(built).slice(0, 300))
    t.match(built, { expectedOut: out, minOut: out, verification: { level: 'proved', minOut: out } })
    t.equal(built.value, side === 'buy' ? String(maxIn) : '0')
    if (side === 'sell') t.match(built.approval, { amount: String(maxIn) })

    // A wallet proves the same by itself, and takes no other terms.
    const asked = { ...order, amountIn: String(maxIn), minOut: out }
    const verdict = await judged(asked, built)
    t.match(verdict, {
      isVerified: true,
      stated: { length: 0 },
      facts: { spends: { amount: String(maxIn) }, receives: { atLeast: out, recipient: EVM_WALLET } },
    })
    const { amountOut: _, ...exactIn } = asked
    const others: [rule: string, order: typeof exactIn & { amountOut?: string; receiver?: string }][] = [
      ['amount|value|approval', { ...asked, amountIn: String(maxIn - 1n) }],
      ['minOut', { ...asked, minOut: String(BigInt(out) - 1n) }],
      [
        'minimum',
        {
          ...asked,
          amountOut: side === 'buy' ? '0.249999' : '0.24',
          minOut: side === 'buy' ? '249999' : '240000000000000000',
        },
      ],
      ['recipient', { ...asked, receiver: RECEIVER }],
      ['calldata|amount', exactIn],
    ]
    for (const [rule, other] of others) {
      const refused = await judged(other, built)
      t.match(refused, { isVerified: false }, rule)
      if (!refused.isVerified) t.match(`${refused.rule} ${refused.message}`, new RegExp(rule))
    }

    // Nothing of the quote can be changed, and it builds nothing else.
    for (const change of [{ maxIn: String(maxIn + 1n) }, { minOut: '1' }, { maxIn: undefined }]) {
      const refused = await postBuild(url, { ...order, quote: { ...quote, ...change } })
      t.match(
        [refused.status, await jsonOf(refused)],
        [400, { code: 'quote_mismatch' }],
        JSON.stringify(change),
      )
    }
    const { amountOut: amount, ...rest } = order
    for (const change of [{ amount }, { amountOut: '0.26' }]) {
      const refused = await postBuild(url, { ...rest, ...change, quote })
      t.match(
        [refused.status, await jsonOf(refused)],
        [400, { code: 'quote_mismatch' }],
        JSON.stringify(change),
      )
    }
  }
})

t.test('ranked: the least input first', async (t) => {
  const { url } = await lifted(t)
  const query = new URLSearchParams({ chain: 'base', side: 'buy', token: USDC.base, amountOut: '250' })
  const { quotes, fairOut } = await jsonOf(await fetch(`${url}/api/v2quote?${query}`))
  const [first, second] = quotes as unknown as Json[]
  t.match(
    [first, second],
    [
      { rank: 1, behindBps: 0, why: /^The least after gas; / },
      { rank: 2, why: / more than / },
    ],
  )
  t.ok(BigInt(String(second!.netIn)) > BigInt(String(first!.netIn)))
  t.equal(fairOut, first!.fairOut)
})

t.test('another wallet receives, and only those are asked that can pay it', async (t) => {
  const { url } = await lifted(t)
  for (const amounts of [{ amount: '0.5' }, { amountOut: '0.5' }]) {
    const order = {
      chain: 'base',
      side: 'sell',
      token: USDC.base,
      ...amounts,
      from: EVM_WALLET,
      receiver: RECEIVER,
    }
    const quote = await jsonOf(await getQuote(url, order))
    t.ok(Check(Quote, quote))
    const response = await postBuild(url, { ...order, quote })
    const built = await jsonOf(response)
    t.equal(response.status, 200, JSON.stringify(built).slice(0, 300))
    t.match(built, { from: EVM_WALLET, verification: { recipient: RECEIVER } })
    const { amountIn, maxIn = amountIn, minOut } = quote as Record<string, string>
    const asked = { ...order, amountIn: maxIn!, minOut: minOut! }
    t.match(await judged(asked, built), { isVerified: true, facts: { receives: { recipient: RECEIVER } } })
    const { receiver: _, ...own } = asked
    t.match(await judged(own, built), { isVerified: false, rule: 'recipient' }, 'pays a third')
    const mine = await jsonOf(await postBuild(url, { ...order, receiver: undefined, quote }))
    t.match(await judged(asked, mine), { isVerified: false, rule: 'recipient' }, 'pays the signer')
  }
  const base = { chain: 'base', side: 'buy', token: USDC.base, amount: '0.5', from: EVM_WALLET }
  const ranked = await jsonOf(
    await fetch(`${url}/api/v2quote?${new URLSearchParams({ ...base, receiver: RECEIVER })}`),
  )
  for (const quote of ranked.quotes as unknown as Json[]) {
    const built = await jsonOf(await postBuild(url, { ...base, receiver: RECEIVER, quote }))
    t.match(built, { verification: { recipient: RECEIVER } }, String(quote.provider))
    const guarded = await jsonOf(await postBuild(url, { ...base, receiver: RECEIVER, guards: true, quote }))
    t.match(guarded, { guards: { by: 'calls', enforced: [{ account: RECEIVER }] } }, String(quote.provider))
  }
})

t.test('what cannot be is refused plainly', async (t) => {
  const { url } = await lifted(t)
  const base = { chain: 'base', side: 'buy', token: USDC.base, from: EVM_WALLET }
  const solana = { chain: 'solana', side: 'buy', token: USDC.solana, from: SOLANA_WALLET }
  const cases: [title: string, query: Record<string, string>, field: string][] = [
    ['neither amount', base, 'amount'],
    ['both', { ...base, amount: '1', amountOut: '1' }, 'amountOut'],
    ['too precise', { ...base, amountOut: '0.0000001' }, 'amountOut'],
    ['nothing', { ...base, amountOut: '0' }, 'amountOut'],
    ['on Solana', { ...solana, amountOut: '1' }, 'amountOut'],
    ['for another wallet on Sui', { ...SWAPS.sui, receiver: SUI_WALLET }, 'receiver'],
    ['no address', { ...base, amount: '1', receiver: 'somebody' }, 'receiver'],
    ['the coin itself', { ...base, amount: '1', receiver: `0x${'0'.repeat(40)}` }, 'receiver'],
    ["a router's own number", { ...base, amount: '1', receiver: `0x${'2'.padStart(40, '0')}` }, 'receiver'],
  ]
  for (const [title, query, field] of cases) {
    const response = await getQuote(url, query)
    const { error } = await jsonOf(response).then((body) => {
      t.match(body, { field }, title)
      return body
    })
    t.equal(response.status, 400, `${title}: ${error}`)
  }
  const quote = await jsonOf(await getQuote(url, { ...base, amount: '1' }))
  const token = await jsonOf(await postBuild(url, { ...base, amount: '1', receiver: USDC.base, quote }))
  t.match(token, { code: 'invalid_parameter', field: 'receiver', error: /what is sent there is lost/ })
})

t.test('the receiver is held to the addresses that the operator refuses', async (t) => {
  const directory = t.testdir({ 'refused.txt': `${RECEIVER}\n` })
  const { url } = await listen(t, { SANCTIONS_FILE: `${directory}/refused.txt` })
  const order = {
    chain: 'base',
    side: 'buy',
    token: USDC.base,
    amount: '1',
    from: EVM_WALLET,
    receiver: RECEIVER,
  }
  t.match(await jsonOf(await getQuote(url, order)), { code: 'address_refused', field: 'receiver' })
  const { receiver: _, ...plain } = order
  const quote = await jsonOf(await getQuote(url, plain))
  t.match(await jsonOf(await postBuild(url, { ...order, quote })), {
    code: 'address_refused',
    field: 'receiver',
  })
})
