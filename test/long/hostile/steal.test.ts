/**
 * Every route provider, taken over: whatever it builds to rob the wallet is
 * refused, with the rule that it breaks, and honest material is served again
 * when it is over.
 */
import t, { type Test } from 'tap'
import { Market } from '../../../src/sandbox/market/market.ts'
import { DOGS } from '../../../src/sandbox/ton/addresses.ts'
import { listen, type TestGateway } from '../../fixtures/gateway.ts'
import { misspelled } from '../../fixtures/spelling.ts'
import {
  CROSS_CHAIN,
  fund,
  getCrossChain,
  getQuote,
  postBuild,
  SOLANA_WALLET,
  SUI_WALLET,
  SWAPS,
  turn,
  USDC,
  type Values,
} from '../../fixtures/swaps.ts'
import { stealInAllWays } from '../../fixtures/theft/all.ts'

/** Asks for material; each time it is built anew. */
type Ask = () => Promise<Response>

interface Refused {
  readonly theft: string
  readonly rule: unknown
}

async function lastTheft({ sandbox }: TestGateway, provider: string): Promise<string | null> {
  const dials = (await (await fetch(`${sandbox!.control}/faults`)).json()) as Record<
    string,
    { theft?: string }
  >
  return dials[provider]?.theft ?? null
}

/** Turns the dial, takes what is built until the thefts begin again, and turns it back. */
async function robbed(
  t: Test,
  gateway: TestGateway,
  provider: string,
  ask: Ask,
): Promise<readonly Refused[]> {
  const honest = await ask()
  t.equal(honest.status, 200, `honest before: ${(await honest.text()).slice(0, 300)}`)
  await turn(gateway, provider, 'steal')
  const refused: Refused[] = []
  for (let first: string | null = null; ; ) {
    const response = await ask()
    const theft = await lastTheft(gateway, provider)
    const text = await response.text()
    const body = JSON.parse(text) as Readonly<Record<string, unknown>>
    if (theft === null) throw new Error(`${provider} did not rob: ${JSON.stringify(body).slice(0, 300)}`)
    first ??= theft
    if (theft === first && refused.length > 0) break
    if (isSpelling(theft) && response.status === 200) t.same(misspelled(text), [], theft)
    else {
      t.equal(response.status, 502, `${theft}: ${text.slice(0, 600)}`)
      t.match(body.code, REFUSALS, theft)
      if (body.code !== 'upstream_unusable') t.type(body.rule, 'string', theft)
    }
    refused.push({ theft, rule: body.rule ?? body.code ?? 'respelled' })
  }
  await turn(gateway, provider, null)
  const after = await ask()
  t.equal(after.status, 200, `honest after: ${(await after.text()).slice(0, 300)}`)
  return refused
}

/** A swap within Sui is refused with its quote where it is the description that is false. */
const REFUSALS = /^(material_(refused|unproved)|upstream_unusable)$/

/** Costs the wallet nothing, and so may be handed out, in the gateway's spelling. */
const isSpelling = (theft: string): boolean =>
  /^(writes|says|calls the tokens|names (itself|a spender|fees))/.test(theft)

async function jsonOf(response: Response): Promise<Values> {
  const body = (await response.json()) as Values
  if (response.status !== 200) throw new Error(JSON.stringify(body))
  return body
}

/** A quote, and builds of it. */
async function building(gateway: TestGateway, order: Values): Promise<Ask> {
  const quote = await jsonOf(await getQuote(gateway.url, order))
  return () => postBuild(gateway.url, { ...order, quote })
}

/** A new quote each time, because it holds the material already; other amounts, so that none is answered from another. */
function quotingAndBuilding(gateway: TestGateway, order: Values): Ask {
  let asked = 0
  return async () => {
    const one = { ...order, amount: `${order.amount}00${++asked}` }
    const quote = await getQuote(gateway.url, one)
    return quote.status === 200 ? postBuild(gateway.url, { ...one, quote: await quote.json() }) : quote
  }
}

const UNLIMITED = { LIMITS: 'swap=off' }
const AERO = '0x940181a94A35A4569E4529A3CDfB74e38FD98631'
const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'
const SUI_USDT = new Market().tokens('sui').find(({ symbol }) => symbol === 'USDT')!.address
const TON_USDC = new Market().tokens('ton').find(({ symbol }) => symbol === 'USDC')!.address

const rows: readonly {
  readonly provider: string
  readonly title: string
  readonly order: Values
  readonly atLeast: number
  readonly environment: Readonly<Record<string, string>>
}[] = [
  {
    provider: 'kyberswap',
    title: 'ETH for USDC',
    order: SWAPS.base,
    atLeast: 13,
    environment: { VELORA_URL: 'off', UNISWAP_V2: 'off', UNISWAP_V3: 'off' },
  },
  {
    provider: 'kyberswap',
    title: 'USDC for ETH',
    order: { ...SWAPS.base, side: 'sell', amount: '250' },
    atLeast: 13,
    environment: { VELORA_URL: 'off', UNISWAP_V2: 'off', UNISWAP_V3: 'off' },
  },
  {
    provider: 'velora',
    title: 'ETH for USDC',
    order: SWAPS.base,
    atLeast: 24,
    environment: { KYBERSWAP_URL: 'off', UNISWAP_V2: 'off', UNISWAP_V3: 'off' },
  },
  {
    provider: 'velora',
    title: 'USDC for ETH',
    order: { ...SWAPS.base, side: 'sell', amount: '250' },
    atLeast: 24,
    environment: { KYBERSWAP_URL: 'off', UNISWAP_V2: 'off', UNISWAP_V3: 'off' },
  },
  {
    provider: 'jupiter',
    title: 'SOL for USDC',
    order: SWAPS.solana,
    atLeast: 18,
    environment: { DFLOW_URL: 'off', SOLANA_POOLS: 'off' },
  },
  {
    provider: 'dflow',
    title: 'SOL for USDC',
    order: SWAPS.solana,
    atLeast: 15,
    environment: { JUPITER_URL: 'off', SOLANA_POOLS: 'off' },
  },
  {
    provider: 'xprov',
    title: 'SUI for USDC',
    order: { ...SWAPS.sui, amount: '1.5' },
    atLeast: 13,
    environment: {},
  },
  {
    provider: 'xprov',
    title: 'USDC for SUI',
    order: { ...SWAPS.sui, side: 'sell', amount: '25.5' },
    atLeast: 13,
    environment: {},
  },
  {
    provider: 'swapcoffee',
    title: 'TON for USDC',
    order: SWAPS.ton,
    atLeast: 18,
    environment: { STONFI_URL: 'off' },
  },
  {
    provider: 'swapcoffee',
    title: 'USDC for TON',
    order: { ...SWAPS.ton, side: 'sell', amount: '25' },
    atLeast: 25,
    environment: { STONFI_URL: 'off' },
  },
  {
    provider: 'swapcoffee',
    title: 'TON for DOGS, at DeDust',
    order: { ...SWAPS.ton, token: DOGS },
    atLeast: 18,
    // Two have to tell the decimals of a token that no list knows.
    environment: {},
  },
  {
    provider: 'swapcoffee',
    title: 'DOGS for TON, at DeDust',
    order: { ...SWAPS.ton, token: DOGS, side: 'sell', amount: '50000' },
    atLeast: 25,
    environment: {},
  },
  {
    provider: 'kyberswap',
    title: 'USDC for AERO',
    order: { ...SWAPS.base, token: AERO, against: USDC.base, amount: '250' },
    atLeast: 13,
    environment: { VELORA_URL: 'off', UNISWAP_V2: 'off', UNISWAP_V3: 'off' },
  },
  {
    provider: 'velora',
    title: 'AERO for USDC',
    order: { ...SWAPS.base, side: 'sell', token: AERO, against: USDC.base, amount: '300' },
    atLeast: 24,
    environment: { KYBERSWAP_URL: 'off', UNISWAP_V2: 'off', UNISWAP_V3: 'off' },
  },
  {
    provider: 'jupiter',
    title: 'USDC for JUP',
    order: { ...SWAPS.solana, token: JUP, against: USDC.solana, amount: '25' },
    atLeast: 18,
    environment: { DFLOW_URL: 'off', SOLANA_POOLS: 'off' },
  },
  {
    provider: 'xprov',
    title: 'USDC for USDT on Sui',
    order: { ...SWAPS.sui, token: SUI_USDT, against: USDC.sui, amount: '25.5' },
    atLeast: 13,
    environment: {},
  },
  {
    provider: 'swapcoffee',
    title: 'one dollar for another',
    order: { ...SWAPS.ton, token: TON_USDC, against: USDC.ton, amount: '25' },
    atLeast: 25,
    environment: {},
  },
]

/** Takes the provider over, and back. @returns what it tried */
async function takenOver(t: Test, { provider, order, environment }: (typeof rows)[number]) {
  const gateway = await listen(t, { ...UNLIMITED, ...environment })
  await fund(gateway.sandbox!.solanaRpc)
  const isWhole = provider === 'xprov'
  const ask = isWhole ? quotingAndBuilding(gateway, order) : await building(gateway, order)
  return robbed(t, gateway, provider, ask)
}

t.test("the sandbox's own few thefts are refused, and honest material is served again", async (t) => {
  for (const [i, row] of rows.entries()) {
    if (rows.findIndex(({ provider }) => provider === row.provider) !== i) continue
    const refused = await takenOver(t, row)
    t.ok(refused.length >= (row.provider === 'xprov' ? 1 : 3), `${row.provider}: ${refused.length} thefts`)
  }
  const gateway = await listen(t, UNLIMITED)
  await fund(gateway.sandbox!.solanaRpc)
  for (const { title, crossChain } of crossChainSwaps) {
    const refused = await robbed(t, gateway, 'xprov', () => getCrossChain(gateway.url, crossChain))
    t.ok(refused.length >= 1, title)
  }
})

for (const row of rows) {
  const { provider, title, atLeast } = row
  t.test(`${provider}, taken over: ${title}`, async (t) => {
    stealInAllWays(t)
    const refused = await takenOver(t, row)
    t.ok(refused.length >= atLeast, `${refused.length} thefts`)
    for (const { theft, rule } of refused) t.comment(`${theft}: ${rule}`)
  })
}

const ARBITRUM_USDC = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'

const crossChainSwaps: readonly {
  readonly title: string
  readonly crossChain: Values
  readonly atLeast: number
}[] = [
  {
    title: 'USDC from Sui to an EVM chain',
    crossChain: {
      fromChain: 'sui',
      toChain: 'base',
      fromToken: USDC.sui,
      toToken: USDC.base,
      amount: '50',
      from: SUI_WALLET,
      to: CROSS_CHAIN.from,
    },
    atLeast: 11,
  },
  {
    title: 'SUI from Sui to an EVM chain, as USDC',
    crossChain: {
      fromChain: 'sui',
      toChain: 'arbitrum',
      toToken: ARBITRUM_USDC,
      amount: '20',
      from: SUI_WALLET,
      to: CROSS_CHAIN.from,
    },
    atLeast: 25,
  },
  {
    title: 'USDC from Sui to the coin of an EVM chain',
    crossChain: {
      fromChain: 'sui',
      toChain: 'base',
      fromToken: USDC.sui,
      amount: '50',
      from: SUI_WALLET,
      to: CROSS_CHAIN.from,
    },
    atLeast: 30,
  },
  {
    title: 'SUI from Sui to SOL',
    crossChain: { fromChain: 'sui', toChain: 'solana', amount: '20', from: SUI_WALLET, to: SOLANA_WALLET },
    atLeast: 30,
  },
  {
    title: 'ETH to Sui',
    crossChain: { ...CROSS_CHAIN, toChain: 'sui', to: SUI_WALLET },
    atLeast: 19,
  },
  { title: 'ETH to Solana', crossChain: CROSS_CHAIN, atLeast: 19 },
  {
    title: 'USDC to the same on another chain',
    crossChain: {
      ...CROSS_CHAIN,
      fromToken: USDC.base,
      toChain: 'arbitrum',
      toToken: ARBITRUM_USDC,
      amount: '50',
      to: CROSS_CHAIN.from,
    },
    atLeast: 15,
  },
  {
    title: 'USDC to the coin of another chain',
    crossChain: { ...CROSS_CHAIN, fromToken: USDC.base, toChain: 'bsc', amount: '50', to: CROSS_CHAIN.from },
    atLeast: 14,
  },
  {
    title: 'USDC to ETH on one chain',
    crossChain: {
      ...CROSS_CHAIN,
      fromToken: USDC.base,
      toChain: 'base',
      toToken: '0x0000000000000000000000000000000000000000',
      amount: '50',
      to: CROSS_CHAIN.from,
    },
    atLeast: 12,
  },
  {
    title: 'SOL to an EVM chain',
    crossChain: {
      fromChain: 'solana',
      toChain: 'base',
      amount: '0.5',
      from: SOLANA_WALLET,
      to: CROSS_CHAIN.from,
    },
    atLeast: 12,
  },
]

t.test('the cross-chain provider, taken over', async (t) => {
  stealInAllWays(t)
  const gateway = await listen(t, UNLIMITED)
  await fund(gateway.sandbox!.solanaRpc)
  for (const { title, crossChain, atLeast } of crossChainSwaps) {
    await t.test(title, async (t) => {
      const refused = await robbed(t, gateway, 'xprov', () => getCrossChain(gateway.url, crossChain))
      t.ok(refused.length >= atLeast, `${refused.length} thefts`)
      for (const { theft, rule } of refused) t.comment(`${theft}: ${rule}`)
    })
  }
})

t.test('only providers that build can be compromised', async (t) => {
  const gateway = await listen(t)
  const put = (provider: string) =>
    fetch(`${gateway.sandbox!.control}/faults/${provider}`, { method: 'PUT', body: '{"fault":"steal"}' })
  const refused = await put('goplus')
  t.equal(refused.status, 400)
  t.match(await refused.json(), { error: /jupiter, dflow, kyberswap, velora, router, xprov, swapcoffee/ })
  t.same(await (await put('velora')).json(), { fault: 'steal', theft: null })
})
