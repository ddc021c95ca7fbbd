/**
 * Every fault of every market provider, and of the nodes that wallets are read
 * from, against the research endpoints: the promised answer in bounded time,
 * and none of it left when the fault is over.
 */
import t from 'tap'
import { listen } from '../../fixtures/gateway.ts'
import {
  type Behaviour,
  compresses,
  hostileUpstream,
  resets,
  stalls,
  status,
} from '../../fixtures/hostile-upstream.ts'
import {
  deep,
  entryOf,
  FAILURES,
  forwards,
  LATER,
  MARKETS,
  MINUTE,
  spoiled,
  startWorld,
} from '../../fixtures/research.ts'
import { EVM_WALLET, fund, SOLANA_WALLET, turn } from '../../fixtures/swaps.ts'

t.test('whatever providers do, the list keeps what it has, and continues', async (t) => {
  const world = await startWorld(t)
  await world.list()
  let before = await world.rebuilt()
  const others = MARKETS.filter((provider) => provider !== 'dexscreener')
  for (const failing of [['dexscreener'], others, MARKETS]) {
    // To hang takes a provider's whole time: the next test has it, for all of them.
    for (const { fault } of FAILURES.filter(({ fault }) => fault !== 'hang')) {
      const title = `${fault} of ${failing.join(', ')}`
      for (const provider of failing) await turn(world, provider, fault)
      // Longer than a price is fresh.
      world.age(MINUTE + 1)
      const during = await world.rebuilt()
      t.same(spoiled(before, during), [], title)
      const majors = during.tokens.filter(({ book, chain }) => book === 'majors' && chain === 'base')
      t.ok(majors.every(({ price }) => typeof price === 'number'))
      if (failing === others)
        t.ok(
          during.tokens.some(({ priceStale }) => !priceStale),
          `${title}: asked on`,
        )
      else
        t.ok(
          majors.every(({ priceStale }) => priceStale === failing.includes('defillama')),
          `${title}: marked, unless another vouches for them`,
        )

      for (const provider of failing) await turn(world, provider, null)
      world.age(MINUTE + 1)
      // A breaker lets one call through to see, and the others after it.
      await world.rebuilt()
      before = await world.rebuilt()
      t.ok(
        before.tokens.some(({ priceTs }) => priceTs === before.updatedAt),
        `${title}: recovered`,
      )
    }
  }
})

t.test(
  'when nobody answers, the first list has the majors, and readers of a later one the last',
  async (t) => {
    const world = await startWorld(t)
    for (const provider of MARKETS) await turn(world, provider, '500')
    const first = await world.list()
    t.ok(first.tokens.length >= 60)
    t.ok(
      first.tokens.every(({ book, price, symbol }) => book === 'majors' && price === null && symbol !== null),
    )
    for (const provider of MARKETS) await turn(world, provider, null)
    world.age(LATER)
    await world.rebuilt()
    const before = await world.rebuilt()
    t.ok(before.tokens.length > first.tokens.length, 'recovered')
    for (const provider of MARKETS) await turn(world, provider, 'hang')
    world.age(MINUTE + 1)
    const during = await world.rebuilt()
    t.same(spoiled(before, during), [])
    t.ok(during.tokens.every(({ price, priceStale }) => price === null || priceStale))
  },
)

t.test('a source that is slow, or says what it said before, is a source', async (t) => {
  const world = await startWorld(t)
  await world.list()
  for (const provider of MARKETS) await turn(world, provider, 'latency', 30)
  const slow = await world.rebuilt()
  t.ok(slow.tokens.some(({ priceTs }) => priceTs === slow.updatedAt))
  const values = { address: EVM_WALLET, chains: 'base' }
  await turn(world, 'evm', 'latency', 30)
  t.equal(entryOf(await world.portfolio(values), 'base').status, 'complete')
  for (const provider of [...MARKETS, 'evm']) await turn(world, provider, 'stale')
  world.age(LATER)
  const stale = await world.rebuilt()
  t.same(spoiled(slow, stale), [])
  t.ok(stale.tokens.some(({ priceTs }) => priceTs === stale.updatedAt))
  t.equal(
    entryOf(await world.portfolio(values), 'base').status,
    'partial',
    'the node is twenty minutes behind',
  )
})

t.test('where the list knows no price, sources of prices are asked, and missed by name', async (t) => {
  const world = await startWorld(t)
  const values = { address: EVM_WALLET, chains: 'base', sol: SOLANA_WALLET }
  await fund(world.sandbox!.solanaRpc)
  await world.list()
  for (const provider of ['dexscreener', 'geckoterminal']) await turn(world, provider, '500')
  const read = async (faults: Readonly<Record<string, string | null>>) => {
    for (const [provider, fault] of Object.entries(faults)) await turn(world, provider, fault)
    world.age(LATER)
    const { chains } = await world.portfolio(values)
    return chains.map(({ chain, status, problems, usd }) => ({ chain, status, problems, isPriced: usd > 0 }))
  }
  for (const { fault, code } of FAILURES) {
    await t.test(fault, async (t) => {
      // The first chain meets the limit, and the cooldown after it holds for both.
      const failed = fault === '429' ? /^upstream_(rate_limited|unavailable)$/ : code
      const missed = (provider: string) => ({ part: 'prices', provider, code: failed, error: /\.$/ })
      t.match(await read({ defillama: fault }), [
        { chain: 'solana', status: 'complete', problems: { length: 0 }, isPriced: true },
        { chain: 'base', status: 'partial', problems: [missed('defillama')], isPriced: false },
      ])
      t.match(await read({ defillama: null, jupiter: fault }), [
        { chain: 'solana', status: 'complete', problems: { length: 0 }, isPriced: true },
        { chain: 'base', status: 'complete', problems: { length: 0 }, isPriced: true },
      ])
      t.match(await read({ defillama: fault, jupiter: fault }), [
        {
          chain: 'solana',
          status: 'partial',
          problems: [missed('defillama'), { part: 'prices', provider: 'jupiter' }],
          isPriced: false,
        },
        { chain: 'base', status: 'partial', isPriced: false },
      ])
      await read({ defillama: null, jupiter: null })
      t.match(await read({}), [{ status: 'complete' }, { status: 'complete', isPriced: true }])
    })
  }
})

t.test('a failing Solana node costs its own entry, and nothing once it is back', async (t) => {
  const node = await hostileUpstream(t)
  const world = await startWorld(t, { SOLANA_RPC_URLS: node.url })
  const { solanaRpc } = world.sandbox!
  await fund(solanaRpc)
  const values = { address: EVM_WALLET, chains: 'base', sol: SOLANA_WALLET }
  const works = forwards(solanaRpc)
  const cases: [behaviour: Behaviour, code: string][] = [
    [status(500, 'Internal Server Error'), 'upstream_failed'],
    [status(403, 'secret'), 'upstream_refused'],
    [status(429, 'secret', ['retry-after: 9']), 'upstream_rate_limited'],
    [status(200, '{"garbage":'), 'upstream_unusable'],
    [status(200, '{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"secret"}}'), 'upstream_failed'],
    [
      status(200, '{"jsonrpc":"2.0","id":ID,"result":{"context":{"slot":1e400},"value":{}}}'),
      'upstream_unusable',
    ],
    [status(200, `{"jsonrpc":"2.0","id":ID,"result":${deep(100_000)}}`), 'upstream_unusable'],
    [compresses, 'upstream_unusable'],
    [resets, 'upstream_unavailable'],
    [stalls, 'upstream_timeout'],
  ]
  for (const [behaviour, code] of cases) {
    world.age(LATER)
    node.behaviour = behaviour
    t.match((await world.portfolio(values)).chains, [
      {
        chain: 'solana',
        status: 'failed',
        slot: null,
        holdings: { length: 0 },
        problems: [{ part: 'holdings', code }],
      },
      { chain: 'base', status: 'complete' },
    ])
    world.age(LATER)
    node.behaviour = works
    await world.portfolio(values)
    world.age(LATER)
    t.match(entryOf(await world.portfolio(values), 'solana'), {
      status: 'complete',
      holdings: [{ symbol: 'SOL' }],
    })
  }
  const dead = await hostileUpstream(t, status(500))
  const alone = await listen(t, { SOLANA_RPC_URLS: dead.url })
  const response = await fetch(`${alone.url}/api/portfolio?sol=${SOLANA_WALLET}`)
  t.match(
    { status: response.status, ...((await response.json()) as object) },
    {
      status: 502,
      code: 'upstream_unavailable',
    },
  )
})
