/** What `npm run record` writes, of the sandbox's providers in the place of the public ones. */
import t from 'tap'
import { record } from '../../scripts/record.ts'
import { startSandbox } from '../../src/sandbox/index.ts'

interface Sample {
  readonly id: string
  readonly provider: string
  readonly capturedAt: string
  readonly request: string
  readonly status: number
  readonly body: Record<string, unknown>
}

t.test('samples of the questions that the gateway asks, without keys', async (t) => {
  const sandbox = await startSandbox()
  t.teardown(() => sandbox.close())
  const at = Date.UTC(2026, 10, 29)
  const environment = {
    RPC_URLS_SONIC: sandbox.evmUrl('sonic'),
    SOLANA_RPC_URLS: sandbox.solanaUrl,
    JUPITER_API_KEY: 'a-key-of-nobody',
  }
  const of = async (name: 'kyberswap' | 'jupiter') =>
    (await record(name, { target: sandbox.urls[name]!, environment, at })).map(
      (line) => JSON.parse(line) as Sample,
    )
  const [route, build] = await of('kyberswap')
  t.match(route, {
    provider: 'KyberSwap',
    capturedAt: '2026-11-29T00:00:00.000Z',
    request: /^GET \/sonic\/api\/v1\/routes\?tokenIn=0x/,
    status: 200,
    body: { data: { routeSummary: { amountIn: '10000000000000000000' } } },
  })
  t.match(build, { request: 'POST /sonic/api/v1/route/build', status: 200, body: { data: { data: /^0x/ } } })
  const jupiter = await of('jupiter')
  t.ok(jupiter.some(({ request }) => request.startsWith('GET /swap/v2/build?')))
  t.notMatch(JSON.stringify(jupiter), 'a-key-of-nobody')
})
