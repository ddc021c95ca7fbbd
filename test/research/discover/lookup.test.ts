import t from 'tap'
import { OPEN_ACCESS } from '../../../src/chains/access.ts'
import type { MarketProvider, MarketRow } from '../../../src/providers/market/market.ts'
import type { KnownToken } from '../../../src/providers/tokens/token-source.ts'
import { LookupResult, TokenLookup } from '../../../src/research/discover/lookup.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { loggerTo } from '../../../src/runtime/log.ts'
import type { RpcReply } from '../../../src/upstream/nodes/json-rpc.ts'
import { Check } from '../../fixtures/check.ts'
import { handClock } from '../../fixtures/clock.ts'
import { FakeList, HONEYPOT, listedRow } from '../../fixtures/listed.ts'
import { noRisks } from '../../fixtures/uninformed.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const TOKEN = '0x1111111111111111111111111111111111111111'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const MINT = 'jtojtomepa8beP8AuQc6eXt5FriJwfFMwQx2v2f9mCL'
const JETTON = 'EQAvlWFDxGF2lXm67y4yzC17wYKD9A0guwPkMs1gOsM__NOT'
const HASH = 'ab'.repeat(32)
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const limited = new GatewayError('upstream_rate_limited', 'Wait.', { provider: 'dex', retryAfterMs: 7_000 })

const found = (chain: string, address: string, liq: number | null, symbol = 'FOO'): MarketRow => ({
  chain,
  address,
  symbol,
  name: 'Foo',
  price: 2,
  priceTs: NOW,
  mcap: null,
  liq,
  vol24: null,
  holders: null,
})

/** An account as the node tells it; null for none. */
type Account = { readonly owner: string; readonly executable: boolean } | null | Error

function start() {
  const list = new FakeList()
  const clock = handClock()
  const world = {
    rows: [] as readonly MarketRow[] | Error,
    known: [] as readonly KnownToken[],
    /** By chain and address. */
    decimals: new Map<string, number | Error>(),
    account: null as Account,
  }
  const calls: string[] = []
  const provider: MarketProvider = {
    label: 'dex',
    chains: new Set(['base']),
    byAddress: {
      async ask(text) {
        calls.push(`search ${text}`)
        if (world.rows instanceof Error) throw world.rows
        return world.rows
      },
    },
  }
  const lookup = new TokenLookup({
    list,
    access: OPEN_ACCESS,
    risksOf: noRisks,
    universe: {
      find: (chain, address) =>
        world.known.find((token) => token.chain === chain && token.address === address) ?? null,
    },
    providers: [{ label: 'other', chains: new Set(['base']) }, provider],
    decimals: {
      async addTo({ key }, { address, isNative }) {
        calls.push(`decimals ${key}`)
        const known = world.decimals.get(`${key} ${address}`)
        if (known === undefined) throw new GatewayError('unknown_token', 'None.')
        if (known instanceof Error) throw known
        return { address, isNative, decimals: known }
      },
    },
    solana: {
      async read(method) {
        calls.push(method)
        const { account } = world
        if (account instanceof Error) throw account
        return { result: Buffer.from(JSON.stringify({ value: account })) } as RpcReply
      },
    },
    deadlineMs: 1_000,
    clock,
    log: loggerTo({ write: () => t.fail('a fault') }, 'error'),
  })
  const find = async (text: string) => {
    const answer = await lookup.find(text, null)
    t.ok(Check(LookupResult, answer), text)
    return answer
  }
  return { list, clock, world, find, asked: () => calls.splice(0) }
}

t.test('what the list knows is answered from it, the surest first', async (t) => {
  const { list, find, asked } = start()
  const on = (chain: string, more: object = {}) => listedRow({ chain, address: TOKEN, decimals: 18, ...more })
  list.edit(NOW, [
    on('base', { liq: 5 }),
    on('bsc', { isListed: false, findings: [HONEYPOT], liq: 9e9 }),
    on('polygon', { liq: 60_000 }),
    on('linea', { book: 'operator' }),
  ])
  const { candidates, sources, looksLike } = await find(TOKEN)
  t.same(
    candidates.map(({ chain, why, listed, gated }) => [chain, why, listed, gated]),
    [
      ['linea', 'operator', true, false],
      ['polygon', 'listed', true, false],
      ['base', 'listed', true, false],
      ['bsc', 'gated', false, true],
    ],
  )
  t.same(candidates[3]!.gate, [HONEYPOT])
  t.same(looksLike, [{ family: 'evm', form: 'address', text: TOKEN }])
  t.same([sources, asked()], [[], []], 'nobody is asked')
})

t.test("known tokens fill in where no source answers, with the chain's decimals", async (t) => {
  const { list, world, find, asked } = start()
  const known = (chain: string): KnownToken => ({
    chain,
    address: TOKEN,
    symbol: 'KNOWN',
    name: 'Known',
    decimals: 18,
    isVouched: true,
  })
  world.known = [known('base'), known('bsc')]
  world.decimals.set(`base ${TOKEN}`, 6)
  t.match((await find(TOKEN)).candidates, [
    { chain: 'bsc', why: 'known', symbol: 'KNOWN', decimals: null },
    { chain: 'base', why: 'known', source: 'known', symbol: 'KNOWN', decimals: 6, listed: false },
  ])
  t.same(asked(), [`search ${TOKEN}`, 'decimals bsc', 'decimals base'])
  list.edit(NOW, [listedRow({ chain: 'base', address: TOKEN, decimals: 6, symbol: 'LISTED' })])
  t.match((await find(TOKEN)).candidates, [
    { chain: 'base', why: 'listed', symbol: 'LISTED' },
    { chain: 'bsc', why: 'known', symbol: 'KNOWN' },
  ])
})

t.test('a known mint has its name, unless the chain knows that it is none', async (t) => {
  const { world, find } = start()
  world.known = [
    { chain: 'solana', address: MINT, symbol: 'KNOWN', name: 'Known', decimals: 5, isVouched: true },
  ]
  world.decimals.set(`solana ${MINT}`, 5)
  t.match((await find(MINT)).candidates, [{ why: 'known', kind: 'token', symbol: 'KNOWN', decimals: 5 }])
  world.decimals.clear()
  world.account = { owner: '11111111111111111111111111111111', executable: false }
  const { candidates } = await find(MINT)
  t.match(candidates, [{ why: 'chain', symbol: null }])
})

t.test('a coin of the chain table is what it is there', async (t) => {
  const { list, find } = start()
  list.edit(NOW, [listedRow({ chain: 'base', address: USDC, symbol: 'USDC', decimals: 6, book: 'majors' })])
  const { candidates } = await find(USDC.toLowerCase())
  t.match(candidates, [
    { kind: 'stablecoin', why: 'major', source: 'tokens', family: 'evm', readsLike: null },
  ])
})

t.test('what it does not know is searched for once, across chains', async (t) => {
  const { clock, world, find, asked } = start()
  world.rows = [found('base', TOKEN, 5), found('bsc', TOKEN, 70_000), found('polygon', TOKEN, null)]
  world.decimals.set(`bsc ${TOKEN}`, 9)
  const { candidates, sources } = await find(TOKEN)
  t.same(
    candidates.map(({ chain, decimals, tier, why, source }) => [chain, decimals, tier, why, source]),
    [
      ['bsc', 9, 'mid', 'market', 'dex'],
      ['base', null, 'thin', 'market', 'dex'],
      ['polygon', null, 'unknown', 'market', 'dex'],
    ],
  )
  t.match(candidates[0], { listed: false, gated: null, gate: { length: 0 }, price: 2, book: null })
  t.same(sources, [{ provider: 'dex', status: 'ok', at: clock.date() }])
  t.same(asked(), [`search ${TOKEN}`, 'decimals bsc', 'decimals base', 'decimals polygon'])
  clock.advance(59_999)
  await find(TOKEN)
  t.notOk(asked().includes(`search ${TOKEN}`), 'it is kept for a minute')
})

t.test('decimals are looked up of three candidates at most', async (t) => {
  const { world, find, asked } = start()
  world.rows = ['base', 'bsc', 'polygon', 'linea', 'scroll'].map((chain, i) => found(chain, TOKEN, 9 - i))
  await find(TOKEN)
  t.same(asked(), [`search ${TOKEN}`, 'decimals base', 'decimals bsc', 'decimals polygon'])
})

t.test('a name that a major has is marked', async (t) => {
  const { world, find } = start()
  world.rows = [found('base', TOKEN, 5, 'USDC')]
  t.match((await find(TOKEN)).candidates, [{ readsLike: { chain: 'base', address: USDC, symbol: 'USDC' } }])
})

t.test('a chain whose addresses no other has is asked itself', async (t) => {
  const { world, find, asked } = start()
  world.decimals.set(`ton ${JETTON}`, 9)
  const { candidates, sources } = await find(JETTON)
  t.match(candidates, [{ chain: 'ton', kind: 'token', decimals: 9, symbol: null, why: 'chain' }])
  t.match(sources, [
    { provider: 'dex', status: 'missing' },
    { provider: 'ton', status: 'ok' },
  ])
  t.same(asked(), [`search ${JETTON}`, 'decimals ton'])
})

t.test('for a Solana address that is not a mint, the node says what it is', async (t) => {
  const system = '11111111111111111111111111111111'
  const cases: [account: Account, kind: string | null][] = [
    [{ owner: system, executable: false }, 'wallet'],
    [{ owner: 'BPFLoaderUpgradeab1e11111111111111111111111', executable: true }, 'program'],
    [{ owner: TOKEN_PROGRAM, executable: false }, 'token_account'],
    [{ owner: MINT, executable: false }, 'account'],
    [null, null],
  ]
  for (const [account, kind] of cases) {
    const { world, find, asked } = start()
    world.account = account
    const { candidates, sources } = await find(MINT)
    t.same(
      candidates.map((one) => one.kind),
      kind === null ? [] : [kind],
    )
    t.match(sources[1], { provider: 'solana', status: kind === null ? 'missing' : 'ok' })
    t.same(asked(), [`search ${MINT}`, 'decimals solana', 'getAccountInfo'])
  }
})

t.test('a transaction costs no call, and neither does an address that is not a token', async (t) => {
  const { find, asked } = start()
  t.match(await find(`0x${HASH}`), {
    candidates: { length: 0 },
    sources: { length: 0 },
    looksLike: [
      { family: 'sui', form: 'address' },
      { family: 'evm', form: 'transaction' },
    ],
  })
  t.match(await find('5'.repeat(87)), { candidates: { length: 0 }, looksLike: [{ family: 'solana' }] })
  t.same(asked(), [])
})

t.test("a failed source is named, and the others' answers are used", async (t) => {
  const { world, find, asked } = start()
  world.rows = limited
  world.decimals.set(`solana ${MINT}`, 9)
  const { candidates, sources } = await find(MINT)
  t.match(candidates, [{ kind: 'token', decimals: 9 }])
  t.same(sources[0], {
    provider: 'dex',
    status: 'failed',
    at: null,
    code: 'upstream_rate_limited',
    retryAfterMs: 7_000,
  })
  world.decimals.set(`solana ${MINT}`, new GatewayError('upstream_timeout', 'Late.'))
  t.match(await find(MINT), {
    candidates: { length: 0 },
    sources: [{}, { provider: 'solana', status: 'failed', at: null, code: 'upstream_timeout' }],
  })
  t.equal(asked().includes('getAccountInfo'), false)
  world.rows = [found('solana', MINT, 5)]
  t.match((await find(MINT)).candidates, [{ decimals: null, symbol: 'FOO' }], 'decimals stay unknown')
})
