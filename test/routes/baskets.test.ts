import t from 'tap'
import { BasketPlan, BasketTop } from '../../src/research/basket/shapes.ts'
import { ErrorBody } from '../../src/runtime/resources/error.ts'
import { Quote } from '../../src/runtime/resources/quote.ts'
import { Check } from '../fixtures/check.ts'
import { listen } from '../fixtures/gateway.ts'
import {
  EVM_WALLET,
  type Json,
  postBuild,
  query,
  SOLANA_WALLET,
  SUI_WALLET,
  TON_WALLET,
  USDC,
  type Values,
} from '../fixtures/swaps.ts'

const RAY = '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R'
const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'

async function get(url: string, path: string, values: Values): Promise<{ status: number; body: Json }> {
  const response = await fetch(`${url}/api/basket/${path}?${query(values)}`)
  return { status: response.status, body: (await response.json()) as Json }
}

t.test('each clip of a plan is quoted as it says, and builds', async (t) => {
  const { url } = await listen(t, { LIMITS: 'swap=off' })
  const plans: Values[] = [
    { chain: 'base', usd: '1000.01', from: EVM_WALLET },
    { chain: 'solana', usd: '777', only: `${RAY},${JUP}`, from: SOLANA_WALLET, slippageBps: 100 },
    { chain: 'sui', usd: '50', only: USDC.sui, from: SUI_WALLET },
    { chain: 'ton', usd: '50', only: USDC.ton, from: TON_WALLET },
  ]
  for (const asked of plans) {
    const { status, body } = await get(url, 'plan', asked)
    t.equal(status, 200, JSON.stringify(body).slice(0, 300))
    t.ok(Check(BasketPlan, body))
    const plan = body as unknown as BasketPlan
    t.ok(plan.clips.length > 0, String(asked.chain))
    let spent = 0n
    for (const { token, amountIn, quote } of plan.clips) {
      spent += BigInt(amountIn)
      t.equal(quote.url, `${quote.path}?${query(quote.query)}`)
      const response = await fetch(url + quote.url)
      const quoted = (await response.json()) as Json
      t.equal(response.status, 200, JSON.stringify(quoted).slice(0, 200))
      t.ok(Check(Quote, quoted))
      t.match(quoted, { amountIn, side: 'buy', from: asked.from, slippageBps: asked.slippageBps ?? 300 })
      const built = await postBuild(url, { ...quote.query, quote: quoted })
      t.equal(built.status, 200, `${token} ${(await built.text()).slice(0, 200)}`)
    }
    t.equal(String(spent), plan.amountIn)
  }
})

t.test('the deepest tokens of a chain, as the list has them', async (t) => {
  const { url } = await listen(t)
  const { status, body } = await get(url, 'top', { chain: 'solana', n: 3 })
  t.equal(status, 200)
  t.ok(Check(BasketTop, body))
  const { tokens } = body as unknown as BasketTop
  t.equal(tokens.length, 3)
  const list = (await (await fetch(`${url}/api/tokens?scope=solana`)).json()) as { tokens: Json[] }
  for (const { address, liq, vol24 } of tokens) {
    t.match(
      list.tokens.find((row) => row.address === address),
      { liq, vol24 },
    )
  }
  t.same(
    tokens.map(({ liq }) => liq),
    tokens.map(({ liq }) => liq).sort((a, b) => b - a),
  )
  t.same((await get(url, 'top', { chain: 'plasma', minLiq: '999999999999.5' })).body.tokens, [])
})

t.test('every parameter that is wrong is named', async (t) => {
  const { url } = await listen(t)
  const wrong: [path: string, good: Values, changes: readonly [name: string, value: string][]][] = [
    [
      'top',
      { chain: 'base' },
      [
        ['chain', 'nowhere'],
        ['chain', ''],
        ['n', '0'],
        ['n', '51'],
        ['n', '1.5'],
        ['n', ''],
        ['minLiq', '-1'],
        ['minLiq', 'much'],
        ['minLiq', ''],
      ],
    ],
    [
      'plan',
      { chain: 'base', usd: '100' },
      [
        ['chain', 'nowhere'],
        ['chain', ''],
        ['usd', ''],
        ['usd', '-5'],
        ['usd', '1e3'],
        ['usd', '1.0000001'],
        ['usd', '1000000000'],
        ['usd', '9'],
        ['limit', '0'],
        ['limit', '21'],
        ['limit', 'x'],
        ['minClipUsd', '0'],
        ['minClipUsd', 'x'],
        ['minClipUsd', ''],
        ['only', ''],
        ['only', 'native'],
        ['only', USDC.solana],
        ['only', `${USDC.base},,`],
        ['slippageBps', '0'],
        ['slippageBps', '5001'],
        ['from', ''],
        ['from', SOLANA_WALLET],
      ],
    ],
  ]
  for (const [path, good, changes] of wrong) {
    const refused = async (search: string, field: string): Promise<void> => {
      const response = await fetch(`${url}/api/basket/${path}?${search}`)
      const body = (await response.json()) as Json
      t.equal(response.status, 400, search)
      t.equal(body.field, field, search)
      t.ok(Check(ErrorBody, body), search)
    }
    for (const [name, value] of changes) {
      const values = new URLSearchParams(query(good))
      values.set(name, value)
      await refused(String(values), name)
      await refused(`${values}&${name}=1`, name)
    }
    for (const name of Object.keys(good)) {
      const { [name]: _, ...rest } = good
      await refused(query(rest), name)
    }
  }
})
