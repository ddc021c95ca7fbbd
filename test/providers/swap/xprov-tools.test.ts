import t, { type Test } from 'tap'
import { PROVABLE_BRIDGES } from '../../../src/proof/cross-chain/lifi/bridges.ts'
import { Xprov } from '../../../src/providers/swap/xprov.ts'
import { xprovTools } from '../../../src/providers/swap/xprov-tools.ts'
import { movedClock } from '../../fixtures/clock.ts'
import { hostileUpstream, status } from '../../fixtures/hostile-upstream.ts'
import { failureOf, OPTIONS, upstreamTo } from '../../fixtures/provider.ts'
import { clientOf, crossChain, startXprov, WALLETS } from '../../fixtures/xprov.ts'

const { evm } = WALLETS
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const ALL = PROVABLE_BRIDGES.evm!

async function start(t: Test) {
  const provider = await startXprov(t)
  const { url, market, requests } = provider
  const clock = movedClock()
  const upstream = upstreamTo(t, url, 'xprov')
  const tools = xprovTools(upstream, clock)
  const client = new Xprov({
    quotes: upstream,
    rest: upstream,
    bridges: PROVABLE_BRIDGES,
    tools,
  })
  const order = crossChain(market, ['base', 'USDC', evm], ['ethereum', null, evm], 50_000_000n)
  return {
    ...provider,
    clock,
    tools,
    order,
    client,
    readings: () => requests.filter(({ path }) => path === '/v1/tools').length,
    async asked() {
      await client.quote(order, OPTIONS)
      return requests.at(-1)!.query.get('allowBridges')?.split(',')
    },
  }
}

t.test('one bridge that has another name refuses a request, unless its old name is left out', async (t) => {
  const { dials, url, order, asked } = await start(t)
  dials.set('xprov', 'renamed')
  t.match(await failureOf(clientOf(t, url).quote(order, OPTIONS)), { code: 'invalid_parameter' })
  t.same(
    await asked(),
    ALL.filter((name) => name !== 'across'),
  )
})

t.test('the list is read at the first quote and hourly, and no quote waits for a later one', async (t) => {
  const { asked, readings, clock, dials, tools } = await start(t)
  t.same(await asked(), ALL)
  dials.set('xprov', 'renamed')
  clock.move(HOUR_MS - 1)
  await tools.renew()
  t.equal(readings(), 1)
  clock.move(1)
  await tools.renew()
  t.equal(readings(), 2)
  t.notOk((await asked())!.includes('across'))
  t.equal(readings(), 2)
})

t.test('a failed reading keeps the last list, and is repeated after a minute', async (t) => {
  const { asked, readings, clock, dials, tools } = await start(t)
  dials.set('xprov', 'renamed')
  await tools.renew()
  clock.move(HOUR_MS)
  dials.set('xprov', 'garbage')
  await tools.renew()
  dials.set('xprov', 'renamed')
  t.notOk((await asked())!.includes('across'), 'the last list')
  t.equal(readings(), 1)
  dials.set('xprov', null)
  clock.move(MINUTE_MS)
  await tools.renew()
  t.same(await asked(), ALL)
})

t.test('without a list all of our bridges are asked for', async (t) => {
  const { asked, dials, tools } = await start(t)
  dials.set('xprov', '500')
  await tools.renew()
  dials.set('xprov', null)
  t.same(await asked(), ALL)
})

t.test('the list only narrows the request, however it is written', async (t) => {
  const server = await hostileUpstream(t)
  const supportedChains = Array.from({ length: 3_000 }, (_, i) => ({ fromChainId: i, toChainId: 1 }))
  const bridge = (key: unknown) => ({ key, name: 'x', supportedChains })
  const read = async (body: unknown) => {
    server.behaviour = status(200, JSON.stringify(body))
    return xprovTools(upstreamTo(t, server.url, 'xprov')).renew()
  }
  const long = await read({ bridges: ['across', 7, null, 'evil', 'mayan'].map(bridge), exchanges: [] })
  t.same([...long!], ['across', 'evil', 'mayan'], 'a megabyte is read in pieces')
  for (const bad of [
    { bridges: [] },
    { bridges: {} },
    { exchanges: [bridge('across')] },
    [],
    null,
    'across',
  ]) {
    t.equal(await read(bad), null, JSON.stringify(bad))
  }
  const { market } = await startXprov(t)
  server.behaviour = status(200, JSON.stringify({ bridges: [{ key: 'evil' }] }))
  const upstream = upstreamTo(t, server.url, 'xprov')
  const client = new Xprov({
    quotes: upstream,
    rest: upstream,
    bridges: PROVABLE_BRIDGES,
    tools: xprovTools(upstream),
  })
  const before = server.requests.length
  const order = crossChain(market, ['base', 'USDC', evm], ['ethereum', null, evm], 50_000_000n)
  t.match(await failureOf(client.quote(order, OPTIONS)), { code: 'no_route' })
  t.equal(server.requests.length, before + 1, 'only the list was asked for')
})
