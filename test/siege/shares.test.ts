/** What a client whose share is used up is told, where no budget of §8 could have refused it before. */
import t from 'tap'
import { INSTANT } from '../fixtures/clock.ts'
import { listen } from '../fixtures/gateway.ts'

const BRETT = 'base/0x532f27101965dd16442E59d40670FaF5eBB142E4'
const random = (i: number): string => `base/0x${(i + 1).toString(16).padStart(40, '0')}`

interface Reply {
  readonly status: number
  readonly body: {
    readonly code?: string
    readonly retryAfterMs?: number
    readonly asOf?: number
    readonly sources?: readonly { provider: string; status: string; code?: string; retryAfterMs?: number }[]
  }
}

/** A gateway whose upstreams grant what the public ones do, as one client of several sees it. */
async function start(t: Parameters<typeof listen>[0]) {
  const gateway = await listen(t, { TRUSTED_PROXIES: 'loopback' }, { limitsAsPublic: true })
  return (client: string) =>
    async (path: string): Promise<Reply> => {
      const response = await fetch(gateway.url + path, { headers: { 'x-forwarded-for': client } })
      return { status: response.status, body: (await response.json()) as Reply['body'] }
    }
}

t.test(
  'a profile shows what is at hand, and names the rest with a time; 502 is nothing at all',
  async (t) => {
    const clientOf = await start(t)
    const ask = clientOf('198.51.100.1')
    const other = clientOf('203.0.113.1')
    // Somebody else asks as well: then a fifth of each quota is all.
    await other('/api/xstatus?txHash=11111111111111111111111111111111')
    const profile = (token: string, by = ask): Promise<Reply> => by(`/api/token/${token}`)
    for (let i = 0; i < 12; i++) await profile(random(i))
    const { status, body } = await profile(BRETT)
    t.equal(status, 200)
    const dexscreener = body.sources!.find(({ provider }) => provider === 'dexscreener')
    t.match(dexscreener, { status: 'ok' }, 'what there is a share of')
    const lacking = body.sources!.filter(({ status }) => status === 'failed' || status === 'partial')
    t.not(lacking.length, 0)
    for (const source of lacking) {
      t.match(source, { code: 'upstream_rate_limited', retryAfterMs: Number }, source.provider)
      t.ok(source.retryAfterMs! > 0)
    }

    let last: Reply = { status, body }
    for (let i = 100; i < 250 && last.status !== 502; i++) last = await profile(random(i))
    t.match(last, { status: 502, body: { code: 'upstream_unavailable', retryAfterMs: Number } })
    t.equal((await profile(BRETT)).status, 200, 'what is at hand is still shown')
    const others = await profile('base/0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed', other)
    t.match(others, { status: 200 })
    t.match(others.body.sources![0], { provider: 'dexscreener', status: 'ok' }, 'others have their share')
  },
)

t.test('a status is the last one with its time, or a 502 that says when to come back', async (t) => {
  const clientOf = await start(t)
  const ask = clientOf('198.51.100.1')
  const other = clientOf('203.0.113.1')
  const path = (i: number): string => `/api/xstatus?txHash=0x${(i + 1).toString(16).padStart(64, '0')}`
  const [first, known] = [path(0), path(1)]
  t.match(await other(first), { status: 200, body: { status: 'NOT_FOUND' } })
  t.notOk('asOf' in (await ask(known)).body)
  let reply = await ask(path(2))
  for (let i = 3; i < 100 && reply.status === 200; i++) reply = await ask(path(i))
  t.match(reply, { status: 502, body: { code: 'upstream_rate_limited', retryAfterMs: Number } })
  t.ok(reply.body.retryAfterMs! > 0)
  const stood = await ask(known)
  t.match(stood, { status: 200, body: { status: 'NOT_FOUND', asOf: INSTANT } })
  t.notOk('asOf' in (await other(known)).body, 'another client is told the present')
})
