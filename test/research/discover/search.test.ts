import t from 'tap'
import {
  MAX_FOUND,
  type SearchQuery,
  SearchResult,
  TokenSearch,
} from '../../../src/research/discover/search.ts'
import { TIER_NAMES, tierOf } from '../../../src/research/discover/tiers.ts'
import { Check } from '../../fixtures/check.ts'
import { FakeList, HONEYPOT, listedRow } from '../../fixtures/listed.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const address = (i: number): string => `0x${i.toString(16).padStart(40, '1')}`

const base = { chain: 'base' }
const ROWS = [
  listedRow({ ...base, address: address(1), symbol: 'OWN', name: 'Own coin', book: 'operator', liq: 10 }),
  listedRow({ ...base, address: NATIVE, symbol: 'ETH', name: 'Base', book: 'majors', liq: 9e6 }),
  listedRow({ ...base, address: USDC, symbol: 'USDC', name: 'USD Coin', book: 'majors', liq: 5e6 }),
  listedRow({ ...base, address: address(2), symbol: 'USDC', name: 'USD Coin', book: 'boosted', liq: 9e9 }),
  listedRow({ ...base, address: address(3), symbol: 'UЅDС', name: 'Another', book: 'new', liq: 8e9 }),
  listedRow({ ...base, address: address(4), symbol: 'USDCX', name: 'X of USDC', book: 'new', liq: 2e6 }),
  listedRow({ ...base, address: address(5), symbol: 'AUSDC', name: 'Lent', book: 'trending', liq: 60_000 }),
  listedRow({ ...base, address: address(6), symbol: 'LP', name: 'The usdc pool', book: 'new', liq: null }),
  listedRow({
    ...base,
    address: address(7),
    symbol: 'TRAP',
    name: 'usdc trap',
    book: 'new',
    liq: 1e6,
    isListed: false,
    findings: [HONEYPOT],
  }),
  listedRow({ chain: 'ton', address: 'EQtest', symbol: 'DOGS', name: 'Dogs', book: 'trending', liq: 49_999 }),
]

function start(rows = ROWS) {
  const list = new FakeList()
  list.edit(NOW, rows)
  const search = new TokenSearch(list, 1_000)
  const symbols = async (input: SearchQuery) => {
    const found = await search.find(input)
    t.ok(Check(SearchResult, found))
    return found.tokens.map(({ symbol, address: one }) => (one === address(2) ? 'copy' : symbol))
  }
  return { list, search, symbols }
}

t.test('the whole symbol comes first, parts after it, and what only reads like a major last', async (t) => {
  const { symbols, search } = start()
  t.same(await symbols({ q: 'usdc' }), ['USDC', 'USDCX', 'LP', 'AUSDC', 'copy', 'UЅDС'])
  t.same(await symbols({ q: '  UsDc ' }), await symbols({ q: 'usdc' }))
  t.same(await symbols({ q: 'usd' }), ['USDC', 'USDCX', 'LP', 'AUSDC', 'copy'])
  t.same(await symbols({ q: 'usd coin' }), ['USDC', 'copy'])
  t.same(await symbols({ q: 'coin' }), ['USDC', 'OWN', 'copy'], 'the beginning of a word; the deepest first')
  t.same(await symbols({ q: 'zzz' }), [])
  const { tokens } = await search.find({ q: 'usdc' })
  t.same(tokens.at(-1)!.readsLike, { chain: 'base', address: USDC, symbol: 'USDC' })
  t.equal(tokens[0]!.readsLike, null)
})

t.test('an address is found whole, in any spelling, or by a part', async (t) => {
  const { symbols } = start()
  t.same(await symbols({ q: USDC }), ['USDC'])
  t.same(await symbols({ q: USDC.toLowerCase() }), ['USDC'])
  t.same(await symbols({ q: 'native' }), ['ETH'])
  t.same(await symbols({ q: '833589fcd' }), ['USDC'])
  t.same(await symbols({ q: '833' }), [], 'three digits stand in most addresses')
})

t.test('a rejected token is found by its address, or on request', async (t) => {
  const { symbols, search } = start()
  t.same(await symbols({ q: 'trap' }), [])
  t.same(await symbols({ q: address(7) }), ['TRAP'])
  t.same(await symbols({ category: 'gated' }), ['TRAP'])
  t.same(await symbols({ category: 'gated', q: 'trap' }), ['TRAP'])
  const { tokens } = await search.find({ category: 'gated' })
  t.match(tokens[0], { gated: true, gate: [HONEYPOT] })
})

t.test('category, scope and tier narrow it down, together too', async (t) => {
  const { symbols } = start()
  t.same(await symbols({ category: 'majors' }), ['ETH', 'USDC'])
  t.same(await symbols({ category: 'native' }), ['ETH'])
  t.same(await symbols({ category: 'stablecoin' }), ['USDC'])
  t.same(await symbols({ category: 'wrapped' }), [])
  t.same(await symbols({ scope: 'ton' }), ['DOGS'])
  t.same(await symbols({ scope: 'operator' }), ['OWN'])
  t.same(await symbols({ scope: 'ton', category: 'majors' }), [])
  t.same(await symbols({ tier: 'deep' }), ['ETH', 'USDC', 'USDCX', 'copy', 'UЅDС'])
  t.same(await symbols({ tier: 'mid' }), ['AUSDC'])
  t.same(await symbols({ tier: 'thin' }), ['DOGS', 'OWN'])
  t.same(await symbols({ tier: 'unknown' }), ['LP'])
  t.same(await symbols({ tier: 'deep', q: 'usdcx', scope: 'base', category: 'new' }), ['USDCX'])
})

t.test('a token chosen by hand is never called a copy', async (t) => {
  const { search } = start([
    listedRow({ ...base, address: address(8), symbol: 'USDC', name: 'USD Coin', book: 'operator' }),
  ])
  t.match((await search.find({})).tokens, [{ readsLike: null }])
})

t.test("it is bounded, reports the total, and follows the list's builds", async (t) => {
  const many = Array.from({ length: MAX_FOUND + 5 }, (_, i) =>
    listedRow({ ...base, address: address(100 + i), symbol: `T${i}`, liq: i }),
  )
  const { list, search } = start(many)
  const found = await search.find({ q: 't' })
  t.match(found, { total: MAX_FOUND + 5, updatedAt: NOW })
  t.equal(found.tokens.length, MAX_FOUND)
  t.equal(found.tokens[0]!.symbol, `T${MAX_FOUND + 4}`)
  list.edit(NOW + 10_000, ROWS)
  t.match(await search.find({ q: 't104' }), { total: 0, updatedAt: NOW + 10_000 })
  t.equal(list.asked, 2, 'each search reads the list')
})

t.test('without a list there is nothing to find', async (t) => {
  const search = new TokenSearch(new FakeList(), 1_000)
  t.same(await search.find({ q: 'usdc' }), { tokens: [], total: 0, updatedAt: null })
})

t.test('a tier begins where it says', async (t) => {
  const cases: [liq: number | null, tier: string][] = [
    [1_000_000, 'deep'],
    [999_999.99, 'mid'],
    [50_000, 'mid'],
    [49_999.99, 'thin'],
    [0, 'thin'],
    [null, 'unknown'],
  ]
  for (const [liq, tier] of cases) t.equal(tierOf(liq), tier, String(liq))
  t.same(TIER_NAMES, ['deep', 'mid', 'thin', 'unknown'])
})
