import t, { type Test } from 'tap'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { WireTransaction } from '../../src/chains/solana/wire.ts'
import { BuildResult } from '../../src/runtime/resources/build.ts'
import { CrossChainQuote } from '../../src/runtime/resources/cross-chain.ts'
import { ErrorBody } from '../../src/runtime/resources/error.ts'
import { Quote } from '../../src/runtime/resources/quote.ts'
import { Check } from '../fixtures/check.ts'
import { clockOf } from '../fixtures/clock.ts'
import { listen } from '../fixtures/gateway.ts'
import {
  EVM_WALLET,
  fund,
  getCrossChain,
  getQuote,
  type Headers,
  type Json,
  postBuild,
  SOLANA_WALLET,
  SUI_WALLET,
  TON_WALLET,
  turn,
  USDC,
} from '../fixtures/swaps.ts'

const FAMILIES = [
  {
    chain: 'base',
    token: USDC.base,
    from: EVM_WALLET,
    winners: ['kyberswap', 'velora', 'uniswap-v2', 'uniswap-v3'],
  },
  { chain: 'solana', token: USDC.solana, from: SOLANA_WALLET, winners: ['jupiter'] },
  { chain: 'sui', token: USDC.sui, from: SUI_WALLET, winners: ['xprov'] },
  { chain: 'ton', token: USDC.ton, from: TON_WALLET, winners: ['swapcoffee'] },
] as const

const lifted = (t: Test) => listen(t, { LIMITS: 'swap=off' })

t.test('material of Solana has the blockhash, the height and the outcome of our own node', async (t) => {
  const gateway = await lifted(t)
  const { url, sandbox } = gateway
  const node = sandbox!.solanaRpc
  await fund(node)
  const ask = async (method: string, params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const { result } = (await (await fetch(node, { method: 'POST', headers, body })).json()) as Json
    return result as Json
  }
  const order = { chain: 'solana', side: 'buy', token: USDC.solana, amount: '0.5', from: SOLANA_WALLET }
  const crossing = {
    fromChain: 'solana',
    toChain: 'base',
    amount: '0.5',
    from: SOLANA_WALLET,
    to: EVM_WALLET,
  }
  const quote = (await (await getQuote(url, order)).json()) as Json
  const expectOwn = async (response: Response) => {
    const result = (await response.json()) as Json
    t.equal(response.status, 200, JSON.stringify(result).slice(0, 300))
    const { lastValidBlockHeight } = (await ask('getLatestBlockhash', [])).value as Json
    const height = Number(result.lastValidBlockHeight)
    t.ok(height <= Number(lastValidBlockHeight) + 40 && height > Number(lastValidBlockHeight) - 150)
    const wire = new WireTransaction()
    t.equal(wire.parse(Buffer.from(String(result.solanaTransaction), 'base64')), null)
    const hash = encodeBase58(wire.blockhash())
    t.match(await ask('isBlockhashValid', [hash, { commitment: 'confirmed' }]), { value: true })
    t.match(result.verification, { simulation: { by: 'simulateTransaction' } })
    return result.verification as Json
  }
  t.equal((await expectOwn(await postBuild(url, { ...order, quote }))).level, 'proved')
  t.equal((await expectOwn(await getCrossChain(url, crossing))).level, 'simulated')

  // Without the node nobody knows until when a transaction can land.
  const provider = { ...order, quote }
  await turn(gateway, 'solana', 'reset')
  const failed = await postBuild(url, provider)
  t.equal(failed.status, 502)
  t.match(((await failed.json()) as Json).code, /^upstream_/)
})

t.test('quotes and builds a swap in each family, both ways, and says what was proved', async (t) => {
  const { url } = await lifted(t)
  for (const { chain, token, from, winners } of FAMILIES) {
    for (const side of ['buy', 'sell'] as const) {
      const order = { chain, side, token, amount: '1.5', slippageBps: 100, from }
      const response = await getQuote(url, order)
      t.equal(response.headers.get('ratelimit'), null)
      const quote = (await response.json()) as Json
      t.equal(response.status, 200, `${chain} ${side} ${JSON.stringify(quote).slice(0, 200)}`)
      t.ok(Check(Quote, quote), chain)
      t.notOk('error' in quote)
      t.ok((winners as readonly string[]).includes(String(quote.provider)), `${chain}: ${quote.provider}`)
      t.match(quote, { chain, side, slippageBps: 100, amountInHuman: 1.5 })
      const [expected, least] = [BigInt(String(quote.expectedOut)), BigInt(String(quote.minOut))]
      t.ok(least < expected && least >= (expected * 98n) / 100n, chain)

      const built = await postBuild(url, { ...order, quote })
      const result = (await built.json()) as Json
      t.equal(built.status, 200, `${chain} ${side} ${JSON.stringify(result).slice(0, 300)}`)
      t.ok(Check(BuildResult, result), chain)
      t.match(result, { provider: quote.provider, chain, verification: { checks: Array } })
      const material = {
        base: 'data',
        solana: 'solanaTransaction',
        sui: 'suiTransaction',
        ton: 'tonMessage',
      }[chain]
      t.ok(result[material], `${chain}: ${material}`)
      if (chain !== 'base') continue
      t.equal(result.value, side === 'buy' ? '1500000000000000000' : '0')
      if (side === 'buy') t.equal(result.approval, null)
      else t.match(result.approval, { token, amount: '1500000', spender: result.to })
      const { to, data, value } = result.transactionRequest as Json
      const calls = result.calls as Json[]
      t.same([calls.at(-1), calls.length], [{ to, data, value }, side === 'buy' ? 1 : 2])
    }
  }
})

t.test('the losers of a quote are listed, and it needs no wallet', async (t) => {
  const gateway = await lifted(t)
  const { url } = gateway
  const quote = (await (
    await getQuote(url, { chain: 'base', side: 'buy', token: USDC.base, amount: '1' })
  ).json()) as Json
  t.equal(quote.from, null)
  t.equal(quote.slippageBps, 300)
  const told = [quote.provider, ...quote.route.alternatives.map(({ provider }) => provider)]
  t.same([...told].sort(), ['kyberswap', 'uniswap-v2', 'uniswap-v3', 'velora'])
})

t.test('a faulty request is refused by name before anybody is asked', async (t) => {
  const { url } = await listen(t, { LIMITS: 'swap=1/1' })
  const order = { chain: 'base', side: 'buy', token: USDC.base, amount: '1' }
  const cases: [change: Record<string, unknown>, code: string, field?: string][] = [
    [{ chain: 'nowhere' }, 'unsupported_chain', 'chain'],
    [{ chain: '8453' }, 'unsupported_chain', 'chain'],
    [{ side: 'hold' }, 'invalid_parameter', 'side'],
    [{ token: 'native' }, 'invalid_parameter', 'token'],
    [{ token: USDC.solana }, 'invalid_parameter', 'token'],
    [{ token: USDC.base.replace('A', 'a') }, 'invalid_parameter', 'token'],
    [{ amount: '-1' }, 'invalid_parameter', 'amount'],
    [{ amount: '1e3' }, 'invalid_parameter', 'amount'],
    [{ amount: '1.' }, 'invalid_parameter', 'amount'],
    [{ slippageBps: 0 }, 'invalid_parameter', 'slippageBps'],
    [{ slippageBps: 5001 }, 'invalid_parameter', 'slippageBps'],
    [{ slippageBps: '7.9' }, 'invalid_parameter', 'slippageBps'],
    [{ from: SOLANA_WALLET }, 'invalid_parameter', 'from'],
    [{ from: `${EVM_WALLET.slice(0, -1)}a` }, 'invalid_parameter', 'from'],
  ]
  for (const [change, code, field] of cases) {
    const response = await getQuote(url, { ...order, ...change })
    t.equal(response.status, 400, JSON.stringify(change))
    const body = (await response.json()) as Json
    t.match(body, { code, error: /\.$/ })
    t.equal(body.field, field, JSON.stringify(change))
    t.ok(Check(ErrorBody, body))
  }
  const body = { ...order, from: EVM_WALLET, quote: {} }
  const builds: [change: Record<string, unknown>, field: string][] = [
    [{ from: undefined }, 'from'],
    [{ from: TON_WALLET }, 'from'],
    [{ quote: undefined }, 'quote'],
    [{ quote: 'x' }, 'quote'],
    [{}, 'quote.provider'],
    [{ extra: 1 }, 'extra'],
  ]
  for (const [change, field] of builds) {
    const response = await postBuild(url, { ...body, ...change })
    t.match({ status: response.status, ...((await response.json()) as Json) }, { status: 400, field }, field)
  }
  t.equal((await getQuote(url, order)).status, 200, 'nothing was spent so far')
})

t.test('what only the chain or a provider knows is 400 with its own code', async (t) => {
  const { url } = await lifted(t)
  const nobody = `0x${'11'.repeat(20)}`
  const cases: [order: Record<string, unknown>, code: string][] = [
    [{ chain: 'base', side: 'buy', token: nobody, amount: '1' }, 'unknown_token'],
    [{ chain: 'solana', side: 'buy', token: SOLANA_WALLET, amount: '1' }, 'unknown_token'],
    [{ chain: 'base', side: 'sell', token: USDC.base, amount: '1.0000001' }, 'amount_precision'],
    [{ chain: 'base', side: 'buy', token: USDC.base, amount: '0' }, 'amount_too_small'],
    [
      { chain: 'solana', side: 'buy', token: USDC.solana, amount: '99999999999999999999' },
      'amount_too_large',
    ],
  ]
  for (const [order, code] of cases) {
    const response = await getQuote(url, order)
    t.equal(response.status, 400, code)
    t.match(await response.json(), { code })
  }
})

t.test('a quote that was edited, or is for something else, is not built from', async (t) => {
  const { url } = await lifted(t)
  const order = {
    chain: 'base',
    side: 'buy',
    token: USDC.base,
    amount: '1',
    slippageBps: 50,
    from: EVM_WALLET,
  }
  const quote = (await (await getQuote(url, order)).json()) as Json
  const route = quote.route
  const edits: [body: Record<string, unknown>, why: string][] = [
    [{ quote: { ...quote, minOut: '1' } }, 'minOut'],
    [{ quote: { ...quote, expectedOut: `${quote.expectedOut}0` } }, 'expectedOut'],
    [{ quote: { ...quote, provider: 'velora' === quote.provider ? 'kyberswap' : 'velora' } }, 'provider'],
    [{ quote: { ...quote, provider: 'nobody' } }, 'unknown provider'],
    [{ quote: { ...quote, route: { ...route, raw: `${route.raw} ` } } }, 'raw'],
    [{ quote: { ...quote, route: { ...route, asOf: Number(route.asOf) + 60_000 } } }, 'asOf'],
    [{ quote: { ...quote, route: { ...route, seal: 'x' } } }, 'seal'],
    [{ quote, amount: '2' }, 'amount'],
    [{ quote, side: 'sell' }, 'side'],
    [{ quote, slippageBps: 51 }, 'slippage'],
    [{ quote, chain: 'ethereum', token: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' }, 'chain'],
  ]
  for (const [edit, why] of edits) {
    const response = await postBuild(url, { ...order, quote, ...edit })
    t.match(
      { status: response.status, ...((await response.json()) as Json) },
      { status: 400, code: 'quote_mismatch' },
      why,
    )
  }
  t.equal((await postBuild(url, { ...order, amount: '1.0', quote: { ...quote, extra: 1 } })).status, 200)
  const elsewhere = await lifted(t)
  t.equal(
    (await postBuild(elsewhere.url, { ...order, quote })).status,
    400,
    'another process has another secret',
  )
})

t.test('instances that share QUOTE_SECRET accept each other’s quotes', async (t) => {
  const secret = { LIMITS: 'swap=off', QUOTE_SECRET: 'shared-by-both-and-32-characters' }
  const [one, two] = [await listen(t, secret), await listen(t, secret)]
  const order = { chain: 'solana', side: 'buy', token: USDC.solana, amount: '1', from: SOLANA_WALLET }
  const quote = await (await getQuote(one.url, order)).json()
  const response = await postBuild(two.url, { ...order, quote })
  // The other sandbox's Jupiter did not hand this quote out, so building fails there: the seal held.
  t.not(((await response.json()) as Json).code, 'quote_mismatch')
})

t.test(
  'quotes, builds and cross-chain swaps share sixty a minute per client, and 1,200 in all',
  async (t) => {
    let now = 1_000
    const { url } = await listen(t, {}, { clock: clockOf({ now: () => now }) })
    const order = { chain: 'base', side: 'buy', token: USDC.base, amount: '1', from: EVM_WALLET }
    const crossChain = { fromChain: 'base', toChain: 'arbitrum', from: EVM_WALLET }
    const as = (client: string) => ({ 'x-forwarded-for': client })
    const first = as('198.51.100.1')
    const quote = (await (await getQuote(url, order, first)).json()) as Json

    // What is answered is spent as much as what is refused after it was found to be well formed.
    const requests: readonly ((headers: Headers) => [status: number, response: Promise<Response>])[] = [
      (headers) => [200, getQuote(url, order, headers)],
      (headers) => [200, postBuild(url, { ...order, quote }, headers)],
      (headers) => [200, getCrossChain(url, { ...crossChain, amount: '0.1' }, headers)],
      (headers) => [400, postBuild(url, { ...order, amount: '2', quote }, headers)],
      (headers) => [400, getCrossChain(url, { ...crossChain, amount: '0' }, headers)],
    ]
    /** To its end, so that its connection serves the next. */
    const read = async (pending: Promise<Response>): Promise<Response> => {
      const response = await pending
      await response.arrayBuffer()
      return response
    }
    /** The nth of a client is for another endpoint than the one before. */
    const spends = async (headers: Headers, nth: number, globalLeft: RegExp): Promise<void> => {
      const isCheap = nth > 5
      const [status, response] = requests[isCheap ? [0, 3, 4][nth % 3]! : nth % 5]!(headers)
      const { status: got, headers: hints } = await read(response)
      if (got !== status) t.equal(got, status, `the ${nth + 1}th`)
      const hint = hints.get('ratelimit') ?? ''
      if (!hint.startsWith(`"swap-client";r=${59 - nth};t=59, `)) t.fail(`the ${nth + 1}th: ${hint}`)
      if (!globalLeft.test(hint)) t.fail(`the ${nth + 1}th: ${hint}`)
    }
    const isRefused = async (headers: Headers, budget: string): Promise<void> => {
      for (const request of requests) {
        const [, response] = request(headers)
        t.equal((await response).status, 429, budget)
        t.equal((await response).headers.get('retry-after'), '59')
        t.match(await (await response).json(), { code: 'budget_exhausted', budget, retryAfterMs: 59_000 })
      }
    }

    for (let nth = 1; nth < 60; nth++) await spends(first, nth, new RegExp(`;r=${1_199 - nth};t=59$`))
    await isRefused(first, 'swap-client')
    const status = await fetch(`${url}/api/xstatus?txHash=0x${'ab'.repeat(32)}`, { headers: first })
    t.equal(status.status, 200, 'a status is not counted')
    t.notOk(status.headers.has('ratelimit'))

    // Nineteen more clients, side by side: what was refused took nothing from them.
    const others = Array.from({ length: 19 }, (_, i) => as(`198.51.100.${i + 2}`))
    await Promise.all(
      others.map(async (client) => {
        for (let nth = 0; nth < 60; nth++) await spends(client, nth, /"swap-global";r=\d+;t=59$/)
      }),
    )
    await isRefused(as('198.51.100.99'), 'swap-global')
    await isRefused(others[0]!, 'swap-client')

    now += 59_000
    const renewed = await getQuote(url, order, first)
    t.equal(renewed.status, 200)
    t.equal(renewed.headers.get('ratelimit'), '"swap-client";r=59;t=60, "swap-global";r=1199;t=60')
  },
)

t.test('crosses chains: a quote with proved material, and its status', async (t) => {
  const { url, sandbox } = await lifted(t)
  // From Solana it is executed before it is handed out, so the wallet has to hold what it sells.
  await fund(sandbox!.solanaRpc, SOLANA_WALLET, 60_000_000_000)
  const routes: [fields: Record<string, unknown>, kind: string, material: string][] = [
    [
      { fromChain: 'base', toChain: 'solana', from: EVM_WALLET, to: SOLANA_WALLET },
      'evm',
      'transactionRequest',
    ],
    [
      { fromChain: '8453', toChain: '42161', from: EVM_WALLET, fromToken: USDC.base },
      'evm',
      'transactionRequest',
    ],
    [
      { fromChain: 'solana', toChain: 'base', from: SOLANA_WALLET, to: EVM_WALLET },
      'solana',
      'solanaTransaction',
    ],
    [
      {
        fromChain: '9270000000000000',
        toChain: 'base',
        from: SUI_WALLET,
        to: EVM_WALLET,
        toToken: USDC.base,
      },
      'sui',
      'suiTransaction',
    ],
  ]
  for (const [fields, kind, material] of routes) {
    const response = await getCrossChain(url, { amount: '50', ...fields })
    const text = await response.text()
    t.equal(response.status, 200, text.slice(0, 300))
    const crossChain = JSON.parse(text)
    t.ok(Check(CrossChainQuote, crossChain), kind)
    t.match(crossChain, { provider: 'xprov', kind, from: fields.from, verification: { checks: Array } })
    t.ok(crossChain[material], material)
    if (kind === 'sui') t.match(text, '"fromChain":9270000000000000,')
  }
  const refused: [fields: Record<string, unknown>, code: string][] = [
    [{ fromChain: 'base', toChain: 'solana', from: EVM_WALLET }, 'recipient_required'],
    [{ fromChain: 'base', toChain: 'ton', from: EVM_WALLET, to: TON_WALLET }, 'unsupported_chain'],
    [{ fromChain: 'base', toChain: 'solana', from: EVM_WALLET, to: EVM_WALLET }, 'invalid_parameter'],
    [{ fromChain: 'base', toChain: 'arbitrum', from: SOLANA_WALLET }, 'invalid_parameter'],
  ]
  for (const [fields, code] of refused) {
    const response = await getCrossChain(url, { amount: '50', ...fields })
    t.match({ status: response.status, ...((await response.json()) as Json) }, { status: 400, code }, code)
  }
  const unknown = await fetch(`${url}/api/xstatus?txHash=0x${'ab'.repeat(32)}`)
  t.match(await unknown.json(), { status: 'NOT_FOUND' })
  t.equal((await fetch(`${url}/api/xstatus?txHash=nonsense`)).status, 400)
})
