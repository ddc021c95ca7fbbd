import type { ServerResponse } from 'node:http'
import t from 'tap'
import {
  type Client,
  createClient,
  type Exchange,
  type ServerEvent,
} from '../../../src/clients/client/index.ts'
import { handClock, until } from '../../fixtures/clock.ts'
import { listen } from '../../fixtures/gateway.ts'
import { NEVER_MS, pauseClock } from '../../fixtures/pauses.ts'
import { breaks, type Reply, says, scripted } from '../../fixtures/scripted.ts'
import { SWAPS, USDC } from '../../fixtures/swaps.ts'

const TOKENS = { tokens: ['solana:native', `base:${USDC.base}`] }

/** A stream that sends these parts, and then ends where it is told to. */
const stream =
  (parts: readonly (string | Buffer)[], end: (response: ServerResponse) => void = () => {}): Reply =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    for (const part of parts) {
      response.write(part)
      await new Promise(setImmediate)
    }
    end(response)
  }

const event = (name: string, id: string, data: unknown): string =>
  `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`

/** The first events of a stream, which is left then. */
async function take(client: Client, count: number): Promise<readonly ServerEvent<unknown>[]> {
  const taken: ServerEvent<unknown>[] = []
  for await (const one of client.prices(TOKENS)) {
    taken.push(one)
    if (taken.length === count) break
  }
  return taken
}

t.test('a stream of the gateway, until its loop is left', async (t) => {
  const { url, log } = await listen(t, { LOG_LEVEL: 'info' })
  const client = createClient({ baseUrl: url })
  const [first] = await take(client, 1)
  t.match(first, {
    event: 'snapshot',
    id: /./,
    data: { prices: [{ chain: 'solana' }, { address: USDC.base }] },
  })
  await until(() => log.some(({ route }) => route === '/api/prices/stream'))
  t.pass('the connection is closed: its line is in the log')
})

t.test(
  'the offers of a swap, each with a quote that builds; behind the last event it is not opened again',
  async (t) => {
    const { url } = await listen(t)
    const client = createClient({ baseUrl: url })
    const order = { ...SWAPS.base, amount: '0.3' }
    const names: string[] = []
    for await (const { event, data } of client.quoteStream(order)) {
      names.push(event)
      if (event !== 'best') continue
      t.equal((await client.build({ ...order, quote: data.quote! })).chain, 'base')
      break
    }
    t.match(names.join(' '), /^(offer )+best$/)

    const end = event('end', 'end', { quote: null, end: { reason: 'time', code: null, error: null } })
    const { url: other, asked } = await scripted(
      t,
      stream([end], (response) => response.end()),
    )
    const events: ServerEvent<unknown>[] = []
    const exchanges: string[] = []
    const onExchange = ({ operation, status }: Exchange) => void exchanges.push(`${operation} ${status}`)
    for await (const one of createClient({ baseUrl: other }).quoteStream(order, { onExchange }))
      events.push(one)
    t.same(exchanges, ['quoteStream 200'], 'told as a call is')
    t.match(events, [{ event: 'end', data: { end: { reason: 'time' } } }])
    t.equal(asked.length, 1)
  },
)

t.test('events come whole, however their bytes come', async (t) => {
  const text = `: a comment\n\nevent: snapshot\r\nid: a.1\r\ndata: {"prices":\r\ndata: ["\u20ac"]}\r\n\r\ndata: 7\n\nid\ndata: 8\n\nevent: nothing\n\n`
  const bytes = Buffer.from(text)
  const one = [...bytes].map((byte) => Buffer.of(byte))
  for (const parts of [[bytes], one]) {
    const { url } = await scripted(t, stream(parts))
    t.same(await take(createClient({ baseUrl: url }), 3), [
      { event: 'snapshot', id: 'a.1', data: { prices: ['\u20ac'] } },
      { event: 'message', id: null, data: 7 },
      { event: 'message', id: '', data: 8 },
    ])
  }
})

t.test('one that is lost is opened again where it was left off', async (t) => {
  const { url, asked } = await scripted(
    t,
    stream([event('snapshot', 'a.1', 1)], (response) => response.end()),
    stream([event('change', 'a.2', 2)], (response) => response.destroy()),
    says(503, { error: 'No.', scope: 'limit', code: 'overloaded', retryAfterMs: 60_000 }),
    says(502, '<html>'),
    stream([event('change', 'a.3', 3)]),
  )
  const clock = pauseClock()
  const reconnects: [afterMs: number, code: string | undefined][] = []
  const client = createClient({ baseUrl: url, clock, timeoutMs: NEVER_MS })
  const seen: unknown[] = []
  const onReconnect = (afterMs: number, error: { code: string } | null) =>
    reconnects.push([afterMs, error?.code])
  for await (const { data } of client.prices(TOKENS, { onReconnect, lastEventId: 'a.0' })) {
    seen.push(data)
    if (data === (3 as unknown)) break
  }
  t.same(seen, [1, 2, 3])
  t.same(
    asked.map(({ headers }) => headers['last-event-id']),
    ['a.0', 'a.1', 'a.2', 'a.2', 'a.2'],
  )
  t.same(reconnects, [
    [1_000, undefined],
    [1_000, 'network'],
    [60_000, 'overloaded'],
    [4_000, 'unexpected_response'],
  ])
})

t.test('one that is refused throws, also where it was there before', async (t) => {
  const refusal = says(400, { error: 'No.', scope: 'validation', code: 'invalid_parameter' })
  const first = await scripted(t, refusal)
  await t.rejects(take(createClient({ baseUrl: first.url }), 1), { code: 'invalid_parameter' })
  const full = await scripted(t, says(429, { error: 'No.', scope: 'limit', code: 'too_many_streams' }))
  await t.rejects(take(createClient({ baseUrl: full.url }), 1), { code: 'too_many_streams' })
  const gone = await scripted(t, breaks)
  await t.rejects(take(createClient({ baseUrl: gone.url, clock: pauseClock(), timeoutMs: NEVER_MS }), 1), {
    code: 'network',
  })
  const later = await scripted(
    t,
    stream([event('snapshot', 'a.1', 1)], (response) => response.end()),
    refusal,
  )
  const client = createClient({ baseUrl: later.url, clock: pauseClock(), timeoutMs: NEVER_MS })
  await t.rejects(take(client, 2), { code: 'invalid_parameter' })
})

t.test('one that falls silent is opened again', async (t) => {
  const { url, asked } = await scripted(t, stream([': alive\n\n']), stream([event('snapshot', 'a.1', 1)]))
  const clock = handClock()
  const first = take(createClient({ baseUrl: url, clock }), 1)
  await until(() => asked.length === 1)
  while (asked.length === 1) {
    clock.advance(10_000)
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
  }
  t.match(await first, [{ data: 1 }])
})

t.test('a signal ends the loop without an error', async (t) => {
  const { url, asked } = await scripted(t, stream([event('snapshot', 'a.1', 1)]))
  const controller = new AbortController()
  const client = createClient({ baseUrl: url })
  let seen = 0
  for await (const _ of client.prices(TOKENS, { signal: controller.signal })) {
    seen++
    setImmediate(() => controller.abort())
  }
  for await (const _ of client.prices(TOKENS, { signal: controller.signal })) seen++
  t.equal(seen, 1)
  t.equal(asked.length, 1)
})

t.test('a fetch without streaming bodies gets an error that says so', async (t) => {
  const { url } = await scripted(t, stream([]))
  const client = createClient({
    baseUrl: url,
    fetch: async (target, init) => {
      const { status, headers } = await fetch(target, init)
      return { status, headers, body: null, text: async () => '' }
    },
  })
  await t.rejects(take(client, 1), { code: 'unexpected_response', message: /cannot stream a response body/ })
})
