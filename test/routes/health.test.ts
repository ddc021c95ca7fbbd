/**
 * What health says of upstreams that answer as no upstream should, over the
 * whole gateway and real servers.
 */
import t, { type Test } from 'tap'
import type { Static } from 'typebox'
import { CHAINS } from '../../src/chains/chains.ts'
import { PROVIDER_NAMES, PROVIDERS } from '../../src/config/providers.ts'
import type { Health } from '../../src/runtime/resources/health.ts'
import { call, listen } from '../fixtures/gateway.ts'
import { type Behaviour, hostileUpstream, resets, status, writes } from '../fixtures/hostile-upstream.ts'

type State = Static<typeof Health>['providers'][number]

const OFF = Object.fromEntries(PROVIDER_NAMES.map((name) => [`${name.toUpperCase()}_URL`, 'off']))
/** Tokens whose decimals nobody has at hand, so that nodes are asked; and one of whom they are. */
const BASE_TOKEN = '0x4ed4e862860bed51a9570b96d89af5e1b0efefed'
const BASE_USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const SUI_TOKEN = '0x5145494a5f5100e645e4b0aa950fa6b68f614e8c59e17bc5ded3495123a79178::ns::NS'
const SOLANA_TOKEN = 'jtojtomepa8beP8AuQc6eXt5FriJwfFMwQx2v2f9mCL'

/** A gateway all of whose asked upstreams are this one. */
async function gatewayOver(t: Test, behaviour: Behaviour) {
  const { url: upstream } = await hostileUpstream(t, behaviour)
  const gateway = await listen(t, {
    MODE: 'live',
    ...OFF,
    SOLANA_RPC_URLS: upstream,
    RPC_URLS_BASE: upstream,
    RPC_URLS_SUI: upstream,
    KYBERSWAP_URL: upstream,
    JUPITER_URL: upstream,
    XPROV_URL: upstream,
    DEXSCREENER_URL: upstream,
  })
  const { url } = gateway
  await call(url, 'getSlot', [])
  const order = 'side=sell&amount=1&slippageBps=300'
  for (const [chain, token] of [
    ['base', BASE_TOKEN],
    ['base', BASE_USDC],
    ['sui', SUI_TOKEN],
    ['solana', SOLANA_TOKEN],
  ]) {
    await (await fetch(`${url}/api/quote?chain=${chain}&token=${token}&${order}`)).text()
    await (await fetch(`${url}/api/token/${chain}/${token}`)).text()
  }
  await (await fetch(`${url}/api/xstatus?txHash=0x${'1'.repeat(64)}`)).text()
  return gateway
}

async function healthOf(url: string): Promise<Map<string, State>> {
  const response = await fetch(`${url}/api/health`)
  const { providers } = (await response.json()) as Static<typeof Health>
  return new Map(providers.map((state) => [state.name, state]))
}

const ASKED = ['solana-1', 'base-1', 'sui-1', 'kyberswap', 'jupiter', 'xprov', 'dexscreener']

t.test(
  'an upstream that refuses everything is refused, and one that answers nonsense is not ok',
  async (t) => {
    const cases: [title: string, behaviour: Behaviour, states: RegExp, lastError: object][] = [
      ['401', status(401), /^refused$/, { code: 'upstream_refused', status: 401 }],
      ['403', status(403, '<html>Forbidden'), /^refused$/, { code: 'upstream_refused', status: 403 }],
      ['404', status(404, '<html>Not Found'), /^refused$/, { status: 404 }],
      [
        'a page',
        status(200, '<html>Welcome'),
        /^(degraded|cooling)$/,
        { code: 'upstream_unusable', status: 200 },
      ],
      ['null', status(200, 'null'), /^(degraded|cooling)$/, { status: 200 }],
      ['503', status(503), /^(degraded|cooling)$/, { code: 'upstream_failed', status: 503 }],
      [
        'no HTTP',
        writes('hello\r\n\r\n'),
        /^(degraded|cooling)$/,
        { code: 'upstream_unusable', status: null },
      ],
      ['a reset', resets, /^(degraded|cooling)$/, { code: 'upstream_unavailable', status: null }],
    ]
    for (const [title, behaviour, states, lastError] of cases) {
      const { url } = await gatewayOver(t, behaviour)
      const health = await healthOf(url)
      for (const name of ASKED) {
        t.match(health.get(name), { state: states, lastSuccessAgoMs: null, lastError }, `${title}: ${name}`)
      }
      t.match(health.get('solana-1'), { submissions: states }, title)
      t.match(health.get('ethereum-1'), { state: 'untried', lastError: null, failures: 0 }, title)
      t.equal((await fetch(`${url}/api/health`)).status, 200, `${title}: it serves what needs none of them`)
    }
  },
)

t.test('every upstream is listed once, by its label', async (t) => {
  const { url } = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1' })
  const { providers } = (await (await fetch(`${url}/api/health`)).json()) as Static<typeof Health>
  const nodes = CHAINS.flatMap(({ key, rpc }) =>
    key === 'solana' ? ['solana-1'] : rpc.map((_url, i) => `${key}-${i + 1}`),
  )
  t.same(providers.map(({ name }) => name).sort(), [...nodes, ...Object.keys(PROVIDERS)].sort())
})

t.test('the status is not ok while no upstream that was asked answers', async (t) => {
  const statusOf = async (url: string) => {
    const response = await fetch(`${url}/api/health`)
    t.equal(response.status, 200, 'requests are accepted')
    return ((await response.json()) as Static<typeof Health>).status
  }
  t.equal(await statusOf((await gatewayOver(t, resets)).url), 'degraded')
  t.equal(await statusOf((await gatewayOver(t, status(401))).url), 'degraded')
  const half = await hostileUpstream(t, status(500))
  const gateway = await listen(t, { KYBERSWAP_URL: half.url })
  await (await fetch(`${gateway.url}/api/quote?chain=base&token=${BASE_USDC}&side=sell&amount=1`)).text()
  t.equal(await statusOf(gateway.url), 'ok', 'others answer')
})
