import { setTimeout as sleep } from 'node:timers/promises'
import { Keypair, VersionedTransaction } from '@solana/web3.js'
import t, { type Test } from 'tap'
import type { GatewayOptions } from '../../src/gateway.ts'
import { WalletBalances } from '../../src/research/portfolio/balances.ts'
import recorded from '../../src/routes/examples/portfolio.json' with { type: 'json' }
import { ErrorBody } from '../../src/runtime/resources/error.ts'
import { Portfolio } from '../../src/runtime/resources/portfolio.ts'
import { Check } from '../fixtures/check.ts'
import { clockOf, runningClock } from '../fixtures/clock.ts'
import { call, listen } from '../fixtures/gateway.ts'
import { idleClock } from '../fixtures/idle-clock.ts'
import {
  EVM_WALLET,
  fund,
  getQuote,
  type Headers,
  postBuild,
  query,
  turn,
  USDC,
  type Values,
} from '../fixtures/swaps.ts'

const NOBODY = 'http://127.0.0.1:1'
const LAMPORTS = 2_000_000_000

interface Reply {
  readonly status: number
  readonly headers: globalThis.Headers
  readonly text: string
  readonly body: Portfolio
}

async function ask(url: string, values: Values, headers: Headers = {}): Promise<Reply> {
  const response = await fetch(`${url}/api/portfolio?${query(values)}`, { headers })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as Portfolio }
}

/** A decimal of at most six fraction digits as an integer of millionths. */
function micros(value: number): bigint {
  const [whole = '', fraction = ''] = String(value).split('.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}

/** Redoes a reply's arithmetic from its text, base units and prices included. */
function redo(t: Test, { body }: Reply): void {
  let [total, count, unpriced] = [0n, 0, 0]
  for (const { chain, holdings, hidden, ...entry } of body.chains) {
    let usd = micros(hidden.usd)
    for (const { amount, decimals, price, valueUsd, cappedBy } of holdings) {
      if (valueUsd === null || price === null || decimals === null) continue
      const [whole = '', fraction = ''] = price.toFixed(18).split('.')
      const exact = (BigInt(amount) * BigInt(whole + fraction)) / 10n ** BigInt(decimals + 12)
      const off = exact - micros(valueUsd)
      // toFixed writes more digits than the price was given with.
      const isExact = off * off <= 1n + (exact / 10n ** 12n) ** 2n
      t.ok(cappedBy === undefined ? isExact : off > 0n, `${chain} ${amount} * ${price} is ${valueUsd}`)
      usd += micros(valueUsd)
    }
    t.equal(micros(entry.usd), usd, chain)
    t.equal(entry.tokenCount, holdings.length + hidden.count, chain)
    const without = holdings.filter(({ valueUsd }) => valueUsd === null).length
    t.equal(entry.unpriced, without + hidden.unpriced, chain)
    total += usd
    count += entry.tokenCount
    unpriced += entry.unpriced
  }
  t.equal(micros(body.totalUsd), total)
  t.equal(body.tokenCount, count)
  t.equal(body.unpriced, unpriced)
}

const entryOf = ({ chains }: Portfolio, key: string) => chains.find(({ chain }) => chain === key)!
const holdingOf = (portfolio: Portfolio, key: string, symbol: string) =>
  entryOf(portfolio, key).holdings.find((holding) => holding.symbol === symbol)

/** Each is another request. */
const walletOf = (nth: number): string => `0x${'a'.repeat(36)}${nth.toString(16).padStart(4, '0')}`

/** A gateway without an outside world: each portfolio is a miss that fails at once. */
const lonely = (t: Test, environment: Record<string, string>, options: GatewayOptions = {}) => {
  const off = ['JUPITER', 'DEXSCREENER', 'GECKOTERMINAL', 'GOPLUS', 'RUGCHECK', 'DEFILLAMA']
  const urls = Object.fromEntries(off.map((name) => [`${name}_URL`, 'off']))
  return listen(
    t,
    { MODE: 'live', SOLANA_RPC_URLS: NOBODY, RPC_URLS_BASE: NOBODY, ...urls, ...environment },
    options,
  )
}

t.test('shows what the wallets hold on every chain, and what it is worth', async (t) => {
  // As long as it takes: eighteen chains in one process with their nodes.
  const gateway = await listen(t, {}, { deadlines: { portfolioMs: 60_000 } })
  const sol = Keypair.generate().publicKey.toBase58()
  await fund(gateway.sandbox!.solanaRpc, sol, LAMPORTS)
  const reply = await ask(gateway.url, { address: EVM_WALLET.toLowerCase(), sol })
  t.equal(reply.status, 200)
  t.ok(Check(Portfolio, reply.body))
  t.equal(reply.headers.get('cache-control'), 'no-store')
  t.match(reply.body, { address: EVM_WALLET, sol })
  t.match(reply.body.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  t.ok(reply.body.chains.length > 10, 'EVM chains of the token list, and Solana')
  for (const { chain, status, block, slot } of reply.body.chains) {
    t.equal(status, 'complete', chain)
    t.ok(chain === 'solana' ? slot! > 0 : block! > 0, chain)
  }
  t.match(holdingOf(reply.body, 'solana', 'SOL'), {
    isNative: true,
    amount: String(LAMPORTS),
    amountHuman: 2,
  })
  t.match(holdingOf(reply.body, 'base', 'USDC'), { address: USDC.base, listed: true, amount: '1000000000' })
  t.ok(holdingOf(reply.body, 'base', 'USDC')!.valueUsd! > 900)
  redo(t, reply)

  t.match(holdingOf(reply.body, 'base', 'SPAM'), { price: null, valueUsd: null }, 'a price in no pool')
  t.match(holdingOf(reply.body, 'base', 'HONEY'), { listed: false, valueUsd: null, notes: ['gated'] })
  t.notMatch(reply.text, /\p{Cc}|\p{Bidi_Control}|\\u/u, 'names do not turn the text around them')
})

t.test('raw balances: the same wallets without prices, on the same budget', async (t) => {
  const gateway = await listen(t, { LIMITS: 'portfolio=2/off' })
  const sol = Keypair.generate().publicKey.toBase58()
  await fund(gateway.sandbox!.solanaRpc, sol, LAMPORTS)
  const read = async (values: Values) => {
    const response = await fetch(`${gateway.url}/api/balances?${query(values)}`)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  const values = { address: EVM_WALLET.toLowerCase(), sol, chains: 'base' }
  const { status, headers, body } = await read(values)
  t.equal(status, 200)
  t.ok(Check(WalletBalances, body))
  t.match(headers.get('ratelimit'), /^"portfolio-client";r=1;/, 'it spends')
  t.match(body, { address: EVM_WALLET, sol })
  const [solana, base] = (body as WalletBalances).chains
  t.match(solana, { chain: 'solana', status: 'complete', slot: Number, native: { amount: String(LAMPORTS) } })
  t.match(base, {
    chain: 'base',
    status: 'complete',
    block: Number,
    native: { amount: '10000000000000000000' },
  })
  const usdc = base!.tokens.find(({ address }) => address === USDC.base)
  t.match(usdc, { symbol: 'USDC', decimals: 6, amount: '1000000000', listed: true })
  t.equal((await read({ ...values, chains: 'bsc' })).status, 200)
  t.equal((await read({ ...values, chains: 'scroll' })).status, 429)

  const invalid: [values: Values, field: string | undefined][] = [
    [{}, 'address'],
    [{ address: '0x12' }, 'address'],
    [{ address: '' }, 'address'],
    [{ sol: 'x' }, 'sol'],
    [{ sol: '0'.repeat(40) }, 'sol'],
    [{ sol, chains: 'base' }, 'chains'],
    [{ address: EVM_WALLET, chains: 'solana' }, 'chains'],
    [{ address: EVM_WALLET, chains: '' }, 'chains'],
  ]
  for (const [wrong, field] of invalid) {
    const refusal = { status: 400, body: { code: 'invalid_parameter', field } }
    t.match(await read(wrong), refusal, query(wrong).toString())
  }
})

t.test('takes either address, and the chains that are asked for', async (t) => {
  const { url } = await listen(t)
  const zero = `0x${'0'.repeat(40)}`
  const cases: [values: Values, chains: readonly string[], address: string | null, sol: string | null][] = [
    [{ address: zero, chains: 'base' }, ['base'], zero, null],
    [{ address: zero, chains: 'base,bsc,base' }, ['bsc', 'base'], zero, null],
    [{ sol: '1'.repeat(32) }, ['solana'], null, '1'.repeat(32)],
    [{ address: zero, sol: '1'.repeat(32), chains: 'gnosis' }, ['solana', 'gnosis'], zero, '1'.repeat(32)],
    [{ address: zero, chains: 'base', dust: '0' }, ['base'], zero, null],
    ...['.5', '-0', '9'.repeat(15), '0.00000000000000000001', '1e-2', '1E300', '5e-324'].map(
      (dust): (typeof cases)[number] => [{ address: zero, chains: 'base', dust }, ['base'], zero, null],
    ),
    [{ address: zero, chains: 'base', unknown: 'x' }, ['base'], zero, null],
  ]
  for (const [values, chains, address, sol] of cases) {
    const { status, body } = await ask(url, values)
    t.equal(status, 200, query(values))
    t.same([body.chains.map(({ chain }) => chain), body.address, body.sol], [chains, address, sol])
  }
})

t.test('the example is what the service answers to it', async (t) => {
  const gateway = await listen(t)
  const { request, reply } = recorded.examples.both
  await fund(gateway.sandbox!.solanaRpc, request.sol, LAMPORTS)
  const { body } = await ask(gateway.url, request)
  t.same(Object.keys(body), Object.keys(reply))
  for (const [i, entry] of reply.chains.entries()) {
    t.same(Object.keys(body.chains[i]!), Object.keys(entry))
    for (const { address, ...holding } of entry.holdings) {
      const shown = body.chains[i]!.holdings.find((one) => one.address === address)!
      t.same(Object.keys(shown), ['address', ...Object.keys(holding)])
    }
  }
})

t.test('refuses what it cannot look up, and spends nothing on it', async (t) => {
  const { url } = await lonely(t, {})
  const address = EVM_WALLET
  const cases: [values: Values, field: string | undefined][] = [
    [{}, 'address'],
    [{ dust: 1 }, 'address'],
    [{ address: '' }, 'address'],
    [{ address: address.slice(2) }, 'address'],
    [{ address: `${address}0` }, 'address'],
    [{ address: `0X${address.slice(2)}` }, 'address'],
    [{ address: `0x${'g'.repeat(40)}` }, 'address'],
    [{ sol: '1'.repeat(31) }, 'sol'],
    [{ sol: '1'.repeat(45) }, 'sol'],
    [{ sol: '1'.repeat(33) }, 'sol'],
    [{ sol: 'O'.repeat(43) }, 'sol'],
    [{ address, sol: address }, 'sol'],
    ...['', 'base,', 'Base', 'solana', 'atlantis', '8453', 'x'.repeat(513)].map(
      (chains): [Values, string] => [{ address, chains }, 'chains'],
    ),
    [{ sol: '1'.repeat(32), chains: 'base' }, 'chains'],
    ...['-0.01', '-1e-2', '', 'x', '1e400', '1e', '9'.repeat(16), 'NaN', 'Infinity', '0x1', '1,5'].map(
      (dust): [Values, string] => [{ address, dust }, 'dust'],
    ),
  ]
  for (const [values, field] of cases) {
    const { status, body, headers, text } = await ask(url, values)
    t.equal(status, 400, query(values))
    t.match(body, { code: 'invalid_parameter', scope: 'validation', field }, query(values))
    t.match((body as unknown as { error: string }).error, /\.$/)
    t.ok(Check(ErrorBody, body))
    t.equal(headers.get('ratelimit'), null)
    t.notMatch(text, /xxx/, 'what was sent is not repeated, but for a key that is none')
  }
  t.same((await ask(url, {})).body, recorded.errors[400])
  t.match((await ask(url, { address, dust: '-1e-7' })).body, {
    error: '`dust` must be a number of at least 0, such as 0.01.',
  })
  for (const length of [31, 45]) {
    t.match((await ask(url, { sol: '1'.repeat(length) })).body, {
      error: '`sol` must be a Solana address, which has 32 to 44 characters.',
    })
  }
  for (const sol of ['1'.repeat(33), 'O'.repeat(43), 'z'.repeat(44)]) {
    t.match((await ask(url, { sol })).body, {
      error: '`sol` must be a Solana address: its characters are not base58 of 32 bytes.',
    })
  }
  const twice = await fetch(`${url}/api/portfolio?address=${address}&address=${address}`)
  t.equal(twice.status, 400)
})

t.test('only misses spend the budget: twelve of them', async (t) => {
  let now = 1_000
  const { url } = await listen(t, {}, { clock: clockOf({ now: () => now }) })
  const miss = (nth: number): Values => ({ address: walletOf(nth), chains: 'gnosis' })
  const left = ({ headers }: Reply): string => /client";r=(\d+)/.exec(headers.get('ratelimit')!)![1]!
  for (let nth = 1; nth <= 12; nth++) {
    const same = { ...miss(nth), address: walletOf(nth).replaceAll('a', 'A') }
    const replies = await Promise.all([ask(url, miss(nth)), ask(url, same), ask(url, miss(nth))])
    t.same(
      replies.map(({ status }) => status),
      [200, 200, 200],
    )
    t.same(new Set(replies.map(({ text }) => text)).size, 1, 'who joins has the same answer')
    t.same(replies.map(left), Array(3).fill(String(12 - nth)), 'and costs nothing')
    t.equal(left(await ask(url, miss(nth))), String(12 - nth))
  }
  const refused = await ask(url, miss(13))
  t.equal(refused.status, 429)
  t.match(refused.body, { code: 'budget_exhausted', budget: 'portfolio-client', retryAfterMs: 59_000 })
  t.equal(refused.headers.get('retry-after'), '59')
  t.equal((await ask(url, { sol: 'x' })).status, 400, 'what is wrong is told before')

  const kept = await ask(url, miss(12))
  t.equal(kept.status, 200, 'what is at hand is free, also now')
  t.match(kept.headers.get('ratelimit'), /"portfolio-client";r=0;t=59, "portfolio-global";r=288;t=59/)
  now += 30_000
  t.equal((await ask(url, miss(12))).text, kept.text)
  now += 1
  t.equal((await ask(url, miss(12))).status, 429, 'half a minute later it is a miss')
  now += 29_000
  t.equal((await ask(url, miss(12))).status, 200, 'and a new window has room for it')
})

t.test('all clients together have three hundred', async (t) => {
  const { url } = await lonely(t, {}, { clock: clockOf({ now: () => 1_000 }) })
  const from = (client: number): Headers => ({ 'x-forwarded-for': `192.0.2.${client}` })
  const statuses: number[] = []
  for (let client = 0; client < 25; client++) {
    const replies = Array.from({ length: 12 }, (_, nth) =>
      ask(url, { address: walletOf(12 * client + nth), chains: 'base' }, from(client)),
    )
    for (const { status } of await Promise.all(replies)) statuses.push(status)
  }
  t.same(statuses, Array(300).fill(502), 'a miss costs, whatever comes of it')
  const refused = await ask(url, { address: walletOf(301), chains: 'base' }, from(99))
  t.match(refused.body, { code: 'budget_exhausted', budget: 'portfolio-global' })
  t.equal(refused.status, 429)
})

t.test('one dead chain changes only its own entry', async (t) => {
  const { url } = await listen(t, { RPC_URLS_BASE: NOBODY })
  const reply = await ask(url, { address: EVM_WALLET, chains: 'base,gnosis', sol: '1'.repeat(32) })
  t.equal(reply.status, 200)
  t.same(reply.body.chains.map(({ chain, status }) => [chain, status]).sort(), [
    ['base', 'failed'],
    ['gnosis', 'complete'],
    ['solana', 'complete'],
  ])
  t.match(entryOf(reply.body, 'base'), {
    block: null,
    usd: 0,
    tokenCount: 0,
    unpriced: 0,
    holdings: { length: 0 },
    problems: [{ part: 'holdings', code: /^upstream_/, error: /\.$/ }],
  })
  t.ok(reply.body.totalUsd > 0)
  t.notMatch(reply.text, /127\.0\.0\.1/)
  redo(t, reply)
})

t.test('502 when all of them are dead, for as long as they are', async (t) => {
  const gateway = await listen(t)
  const values = { address: EVM_WALLET, chains: 'base,gnosis' }
  for (const fault of ['500', '429', 'garbage']) {
    await turn(gateway, 'evm', fault)
    const { status, body } = await ask(gateway.url, values)
    t.equal(status, 502, fault)
    t.ok(Check(ErrorBody, body))
    t.same(body, recorded.errors[502], fault)
    const both = await ask(gateway.url, { ...values, sol: '1'.repeat(32), dust: fault.length })
    t.equal(both.status, 200, `${fault}: Solana is alive`)
    t.same(
      both.body.chains.map(({ status }) => status),
      ['complete', 'failed', 'failed'],
    )
  }
})

t.test('a node that hangs costs its chain, and is not waited for without end', async (t) => {
  const clock = idleClock()
  const gateway = await listen(t, {}, { clock })
  await fetch(`${gateway.url}/api/tokens`)
  await turn(gateway, 'evm', 'hang')
  const { status, body } = await clock.meanwhile(
    ask(gateway.url, { address: EVM_WALLET, sol: '1'.repeat(32) }),
  )
  t.equal(status, 200)
  t.ok(body.chains.every(({ chain, status }) => status === (chain === 'solana' ? 'complete' : 'failed')))
  t.match(entryOf(body, 'ethereum').problems, [{ part: 'holdings', code: /^upstream_/ }])
})

t.test(
  'where the list has no prices, others are asked, and without them holdings stand unpriced',
  async (t) => {
    const values = { address: EVM_WALLET, chains: 'gnosis' }
    const sources = ['dexscreener', 'geckoterminal', 'defillama']
    for (const failing of [sources.slice(0, 2), sources]) {
      const gateway = await listen(t)
      for (const provider of failing) await turn(gateway, provider, '500')
      const reply = await ask(gateway.url, values)
      t.equal(reply.status, 200)
      const entry = entryOf(reply.body, 'gnosis')
      t.ok(entry.tokenCount >= 3)
      if (failing.includes('defillama')) {
        t.match(entry, { status: 'partial', usd: 0, unpriced: entry.tokenCount })
        t.match(entry.problems, [{ part: 'prices', provider: 'defillama', code: 'upstream_failed' }])
      } else {
        t.match(entry, { status: 'complete', problems: { length: 0 } })
        t.ok(holdingOf(reply.body, 'gnosis', 'USDC')!.valueUsd! > 900)
      }
      redo(t, reply)
    }
  },
)

t.test('after a swap, what was bought is in the portfolio with its value', async (t) => {
  const gateway = await listen(t, {}, { clock: runningClock() })
  const { url } = gateway
  const wallet = Keypair.generate()
  const from = wallet.publicKey.toBase58()
  await fund(gateway.sandbox!.solanaRpc, from, LAMPORTS)
  const before = await ask(url, { sol: from })
  t.equal(holdingOf(before.body, 'solana', 'USDC'), undefined)
  const order = { chain: 'solana', side: 'buy', token: USDC.solana, amount: '0.5', slippageBps: 100, from }
  const quote = (await (await getQuote(url, order)).json()) as { minOut: string }
  const built = (await (await postBuild(url, { ...order, quote })).json()) as { solanaTransaction: string }
  const transaction = VersionedTransaction.deserialize(Buffer.from(built.solanaTransaction, 'base64'))
  transaction.sign([wallet])
  const signed = Buffer.from(transaction.serialize()).toString('base64')
  const sent = (await (await call(url, 'sendTransaction', [signed, { encoding: 'base64' }])).json()) as {
    result: string
  }
  for (let tries = 0; tries < 50; tries++) {
    const answer = await (await call(url, 'getSignatureStatuses', [[sent.result]])).json()
    const [status] = (answer as { result: { value: ({ confirmationStatus: string } | null)[] } }).result.value
    if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') break
    await sleep(100)
  }
  // Another request, because the first one's answer is kept.
  const after = await ask(url, { sol: from, address: EVM_WALLET, chains: 'gnosis' })
  const bought = holdingOf(after.body, 'solana', 'USDC')!
  t.ok(BigInt(bought.amount) >= BigInt(quote.minOut))
  t.match(bought, { address: USDC.solana, listed: true, decimals: 6 })
  t.ok(Math.abs(bought.valueUsd! - bought.amountHuman!) < bought.amountHuman! / 50, 'a dollar apiece')
  redo(t, after)
})
