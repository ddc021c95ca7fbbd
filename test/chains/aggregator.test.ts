/** What GET /api/chains says of swaps on a chain is what a quote there finds. */
import t, { type Test } from 'tap'
import { CHAINS } from '../../src/chains/chains.ts'
import type { ChainDefinition } from '../../src/chains/definition.ts'
import { PROVIDER_NAMES } from '../../src/config/providers.ts'
import { listen } from '../fixtures/gateway.ts'

const UNLIMITED = { LIMITS: 'swap=off' }
const ALL_OFF = Object.fromEntries(PROVIDER_NAMES.map((name) => [`${name.toUpperCase()}_URL`, 'off']))
const OWN_OFF = { UNISWAP_V2: 'off', UNISWAP_V3: 'off', SOLANA_POOLS: 'off' }

async function aggregators(url: string): Promise<Readonly<Record<string, string | null>>> {
  const { chains } = (await (await fetch(`${url}/api/chains`)).json()) as {
    chains: { key: string; aggregator: string | null }[]
  }
  return Object.fromEntries(chains.map(({ key, aggregator }) => [key, aggregator]))
}

/** @returns null if a quote is given, else the code of its error */
async function quoteFails(url: string, chain: ChainDefinition): Promise<string | null> {
  const token = chain.stablecoins[0]?.address ?? `0x${'12'.repeat(20)}`
  const query = new URLSearchParams({ chain: chain.key, side: 'buy', token, amount: '1' })
  const response = await fetch(`${url}/api/quote?${query}`)
  const { code } = (await response.json()) as { code?: string }
  return response.status === 200 ? null : (code ?? 'no code')
}

async function agree(t: Test, url: string): Promise<Readonly<Record<string, string | null>>> {
  const named = await aggregators(url)
  t.same(
    Object.keys(named),
    CHAINS.map(({ key }) => key),
  )
  for (const chain of CHAINS) {
    const isUnsupported = (await quoteFails(url, chain)) === 'unsupported_chain'
    t.equal(named[chain.key] === null, isUnsupported, chain.key)
  }
  return named
}

t.test('an aggregator is named where a quote can be given, and nowhere else', async (t) => {
  const { url } = await listen(t, UNLIMITED)
  const named = await agree(t, url)
  const byName = (name: string | null) => CHAINS.map(({ key }) => key).filter((key) => named[key] === name)
  t.same(byName(null), [], 'each chain has one')
  t.same(byName('uniswap-v3'), ['scroll'])
  t.same(byName('velora'), ['gnosis'])
  t.same(byName('jupiter'), ['solana'])
  t.same(byName('xprov'), ['sui'])
  t.same(byName('swapcoffee'), ['ton'])
  t.equal(byName('kyberswap').length, CHAINS.length - 5)
})

t.test('a provider that is switched off is named nowhere: the next one is, or none', async (t) => {
  const { url } = await listen(t, {
    ...UNLIMITED,
    KYBERSWAP_URL: 'off',
    XPROV_URL: 'off',
    SWAPCOFFEE_URL: 'off',
  })
  const named = await agree(t, url)
  t.match(named, {
    base: 'velora',
    linea: 'uniswap-v2',
    mantle: 'uniswap-v3',
    gnosis: 'velora',
    hyperevm: null,
  })
  t.match(named, { sui: null, ton: null })
})

t.test('no aggregator is named where none is switched on', async (t) => {
  const { url } = await listen(t, { ...UNLIMITED, ...ALL_OFF, ...OWN_OFF })
  t.same(new Set(Object.values(await agree(t, url))), new Set([null]))
})
