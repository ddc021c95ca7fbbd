/** GET /api/quote/stream of a whole gateway, over real sockets. */
import t from 'tap'
import { BuildResult } from '../../src/runtime/resources/build.ts'
import { LASTS_MS, QuoteEvent } from '../../src/swap/quote-stream.ts'
import { Check } from '../fixtures/check.ts'
import { handClock, until } from '../fixtures/clock.ts'
import { type EventClient, openEvents } from '../fixtures/events.ts'
import { listen } from '../fixtures/gateway.ts'
import { fund, postBuild, query, SWAPS, type Values } from '../fixtures/swaps.ts'

const at = (url: string, values: Values): string => `${url}/api/quote/stream?${query(values)}`
const isDecided = ({ events }: EventClient) => events.some(({ name }) => name === 'best')

t.test('the quote of every event builds, on each family', async (t) => {
  const { url, sandbox } = await listen(t, { LIMITS: 'swap=off' })
  await fund(sandbox!.solanaRpc)
  for (const order of Object.values(SWAPS)) {
    const client = await openEvents(t, at(url, order))
    await until(() => isDecided(client))
    client.request.destroy()
    t.equal(client.events.at(-1)!.name, 'best')
    t.ok(client.events.length > 1)
    for (const { data } of client.events) {
      t.ok(Check(QuoteEvent, data))
      const built = await postBuild(url, { ...order, quote: (data as { quote: unknown }).quote })
      const body: unknown = await built.json()
      t.equal(built.status, 200, JSON.stringify(body).slice(0, 300))
      t.ok(Check(BuildResult, body))
    }
  }
})

t.test('it spends one request, ends after a minute, and is not opened again', async (t) => {
  const clock = handClock()
  const { url } = await listen(t, { LIMITS: 'swap=2/9' }, { clock })
  const client = await openEvents(t, at(url, SWAPS.base))
  t.match(client.headers, { ratelimit: /r=1\b/ })
  clock.advance(LASTS_MS / 2)
  t.equal((await openEvents(t, at(url, { ...SWAPS.base, amount: '2' }))).status, 200, 'one was left')
  t.equal((await openEvents(t, at(url, { ...SWAPS.base, amount: '3' }))).status, 429)
  await until(() => isDecided(client))
  clock.advance(LASTS_MS / 2)
  await until(() => client.isOver)
  const last = client.events.at(-1)!
  t.match(last, { name: 'end', id: 'end', data: { quote: null, end: { reason: 'time' } } })
  t.ok(Check(QuoteEvent, last.data))
  const again = await openEvents(t, at(url, SWAPS.base), { 'last-event-id': 'end' })
  t.equal(again.status, 204)
})

t.test('a client with four streams spends nothing more, and HEAD spends nothing', async (t) => {
  const { url } = await listen(t, { LIMITS: 'swap=6/9' })
  for (let i = 1; i <= 4; i++) await openEvents(t, at(url, { ...SWAPS.base, amount: String(i) }))
  const fifth = await fetch(at(url, { ...SWAPS.base, amount: '5' }))
  t.equal(fifth.status, 429)
  t.match(await fifth.json(), { code: 'too_many_streams' })
  const head = await fetch(at(url, { ...SWAPS.base, amount: '6' }), { method: 'HEAD' })
  t.match([head.status, head.headers.get('content-type')], [200, /event-stream/])
  const left = await fetch(`${url}/api/quote?${query({ ...SWAPS.base, amount: '7' })}`)
  t.match(left.headers.get('ratelimit'), /r=1\b/)
})

t.test('bad input is refused as by /api/quote, whatever is spent', async (t) => {
  const { url } = await listen(t, { LIMITS: 'swap=off' })
  for (const changes of [
    { side: 'both' },
    { token: '0x1' },
    { amount: '0' },
    { chain: 'nowhere' },
    { slippageBps: 0 },
  ]) {
    const values = query({ ...SWAPS.base, ...changes })
    const [stream, quote] = await Promise.all(
      ['/api/quote/stream', '/api/quote'].map(async (path) => {
        const response = await fetch(`${url}${path}?${values}`)
        return [response.status, await response.json()]
      }),
    )
    t.same(stream, quote)
    t.equal(stream![0], 400)
  }
})
