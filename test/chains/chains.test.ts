/** The rows of the chains: each whole, none at odds with itself, and the names that providers have published. */
import { readdirSync } from 'node:fs'
import t from 'tap'
import { canonicalAddress } from '../../src/chains/address.ts'
import { CHAINS } from '../../src/chains/chains.ts'
import type { ListedAs } from '../../src/chains/definition.ts'
import rows from '../../src/chains/definitions/evm.json' with { type: 'json' }
import { findChain, findListed, namesAt } from '../../src/chains/find.ts'
import { findMajor, MAJORS } from '../../src/chains/majors.ts'

const PROVIDERS: readonly (keyof ListedAs)[] = [
  'dexscreener',
  'geckoterminal',
  'defillama',
  'goplus',
  'kyberswap',
  'velora',
]

t.test('the folder has the rows of EVM chains, and those of the others', async (t) => {
  const files = readdirSync(new URL('../../src/chains/definitions', import.meta.url))
  t.same(files.sort(), ['evm.json', 'others.json'])
})

/** What `evmChain` reads: a misspelt name would be read by nobody. */
const MEMBERS: readonly string[] = [
  ...['key', 'name', 'chainId', 'native', 'rpc', 'explorer', 'wrappedNative', 'nativeAliases', 'v2Routers'],
  ...['v3', 'stablecoins', 'xprovContract', 'hasL1Fee', 'listedAs'],
]

t.test('a row of an EVM chain has only members that are read', async (t) => {
  for (const row of rows) {
    t.same(
      Object.keys(row).filter((name) => !MEMBERS.includes(name)),
      [],
      row.key,
    )
    const names: readonly string[] = PROVIDERS
    t.same(
      Object.keys(row.listedAs ?? {}).filter((name) => !names.includes(name)),
      [],
      row.key,
    )
  }
})

t.test('no two chains share a key or an id', async (t) => {
  for (const field of ['key', 'name', 'chainId', 'xprovChainId', 'explorer'] as const) {
    const values = CHAINS.map((chain) => chain[field]).filter((value) => value !== null)
    t.equal(new Set(values).size, values.length, field)
  }
  for (const provider of PROVIDERS) {
    const names = [...namesAt(provider).values()]
    t.equal(new Set(names).size, names.length, provider)
  }
})

t.test('ids of an EVM chain are the same wherever a provider goes by them', async (t) => {
  for (const { key, family, chainId, xprovChainId, listedAs } of CHAINS) {
    if (family !== 'evm') continue
    if (xprovChainId !== null) t.equal(xprovChainId, chainId, key)
    for (const id of [listedAs.goplus, listedAs.velora]) {
      if (id !== undefined) t.equal(id, String(chainId), key)
    }
  }
})

t.test("the coins of a chain's definition are spelled canonically, and found", async (t) => {
  for (const { key, stablecoins } of CHAINS) {
    for (const coin of stablecoins) {
      t.equal(coin.address, canonicalAddress(key, coin.address), key)
      t.match(findMajor(key, coin.address), { ...coin, kind: 'stablecoin' }, key)
    }
    const addresses = MAJORS.get(key)!.map(({ address }) => address)
    t.equal(new Set(addresses).size, addresses.length, key)
  }
})

t.test('a provider knows a chain by the name that it has published', async (t) => {
  const published: [provider: keyof ListedAs, key: string, name: string | undefined][] = [
    ['dexscreener', 'base', 'base'],
    ['dexscreener', 'gnosis', 'gnosischain'],
    ['geckoterminal', 'ethereum', 'eth'],
    ['geckoterminal', 'polygon', 'polygon_pos'],
    ['geckoterminal', 'avalanche', 'avax'],
    ['geckoterminal', 'gnosis', 'xdai'],
    ['geckoterminal', 'sui', 'sui-network'],
    ['defillama', 'avalanche', 'avax'],
    ['defillama', 'hyperevm', 'hyperliquid'],
    ['defillama', 'gnosis', 'xdai'],
    ['goplus', 'base', '8453'],
    ['goplus', 'solana', 'solana'],
    ['goplus', 'ton', undefined],
    ['kyberswap', 'hyperevm', 'hyperevm'],
    ['kyberswap', 'scroll', undefined],
    ['kyberswap', 'gnosis', undefined],
    ['velora', 'gnosis', '100'],
    ['velora', 'plasma', '9745'],
    ['velora', 'scroll', undefined],
    ['velora', 'linea', undefined],
  ]
  for (const [provider, key, name] of published) {
    t.equal(namesAt(provider).get(key), name, `${provider} ${key}`)
    if (name !== undefined) t.equal(findListed(provider, name), findChain(key), `${provider} ${name}`)
  }
  t.equal(findListed('dexscreener', 'nowhere'), null)
})
