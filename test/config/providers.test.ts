import { readFileSync } from 'node:fs'
import t from 'tap'
import { readConfig } from '../../src/config/config.ts'
import {
  headersFor,
  KEYED_PROVIDERS,
  PROVIDER_NAMES,
  PROVIDERS,
  type ProviderRow,
  quotaFor,
} from '../../src/config/providers.ts'

t.test(
  'every provider has a base URL in the configuration, and a key where its row names a header',
  async (t) => {
    const { providerUrls, providerKeys } = readConfig({})
    t.same(Object.keys(providerUrls), PROVIDER_NAMES)
    t.same(Object.keys(providerKeys), KEYED_PROVIDERS)
    for (const name of PROVIDER_NAMES) t.equal(providerUrls[name], PROVIDERS[name].url, name)
    const told = readConfig({ XPROV_URL: 'off', XPROV_API_KEY: 'k' })
    t.equal(told.providerUrls.xprov, null)
    t.equal(told.providerKeys.xprov, 'k')
  },
)

t.test('every row can be used as it stands', async (t) => {
  for (const name of PROVIDER_NAMES) {
    const row: ProviderRow = PROVIDERS[name]
    const { protocol, search, hash } = new URL(row.url)
    t.same([protocol, search, hash, row.url.endsWith('/')], ['https:', '', '', false], name)
    t.equal(new URL(row.documents).protocol, 'https:', name)
    t.match(row.purpose, /^[^|\n]{5,60}$/, name)
    t.match(name, /^[a-z][a-z0-9]*$/, 'it names variables')
  }
})

t.test('a key goes into the header of its row, and an empty one nowhere', async (t) => {
  t.same(headersFor('xprov', 'k'), { 'x-lifi-api-key': 'k' })
  t.same(headersFor('swapcoffee', 'k'), { 'x-api-key': 'k' })
  t.same(headersFor('rugcheck', 'k'), { authorization: 'k' })
  t.same(headersFor('kyberswap', null), { 'x-client-id': 'swapgate' })
  for (const name of KEYED_PROVIDERS) {
    const { headers = {} }: ProviderRow = PROVIDERS[name]
    t.same([headersFor(name, null), headersFor(name, '')], [headers, headers], name)
  }
})

t.test('a key raises the quota where that is published, and quotes may be counted apart', async (t) => {
  t.same(quotaFor('jupiter', null, 'call'), { calls: 30, windowMs: 60_000 })
  t.same(quotaFor('jupiter', 'k', 'call'), { calls: 60, windowMs: 60_000 })
  t.same(quotaFor('jupiter', 'k', 'quote'), { calls: 60, windowMs: 60_000 })
  t.same(quotaFor('goplus', 'k', 'call'), { calls: 30, windowMs: 60_000 })
  t.same(quotaFor('xprov', null, 'quote'), { calls: 75, windowMs: 7_200_000 })
  t.same(quotaFor('xprov', 'k', 'quote'), { calls: 12_000, windowMs: 7_200_000 })
  t.same(quotaFor('xprov', 'k', 'call'), { calls: 100, windowMs: 60_000 })
  t.same(quotaFor('velora', null, 'call'), { calls: 1, windowMs: 1_000, burst: 3, daily: 3_000 })
  t.equal(quotaFor('stonfi', null, 'call'), null)
})

t.test('reading the table of providers loads no adapter', async (t) => {
  const source = readFileSync(new URL('../../src/config/providers.ts', import.meta.url), 'utf8')
  t.same(source.match(/^import (?!type ).*\.ts'/gm), null)
})
