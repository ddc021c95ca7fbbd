/** The page's sample of a stream of prices, and its example with an EventSource that others wrote. */
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { EventSource } from 'undici'
import { type Tick, Ticks } from '../../src/research/ticker/shapes.ts'
import { EVERY_MS } from '../../src/research/ticker/ticker.ts'
import { Check } from '../fixtures/check.ts'
import { type HandClock, handClock } from '../fixtures/clock.ts'
import { openEvents } from '../fixtures/events.ts'
import { listen } from '../fixtures/gateway.ts'
import { blocksOf } from '../fixtures/samples.ts'

type WatchPrices = (
  gateway: string,
  tokens: readonly string[],
  onPrices: (prices: Map<string, Tick>) => void,
  onRefused: () => void,
) => () => void

const SOL = 'solana:So11111111111111111111111111111111111111112'
const USDC = 'base:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await sleep(2)
}

/**
 * Has the next prices gathered. What is asked of others has a timer, and no more time passes before it is answered: but
 * a stream that opens meanwhile has one as well, so that it is not waited for without an end.
 */
async function step(clock: HandClock, isOver: () => boolean): Promise<void> {
  const timers = clock.waiting
  clock.advance(EVERY_MS)
  await sleep(5)
  for (let i = 0; i < 250 && !isOver() && clock.waiting > timers; i++) await sleep(2)
}

const load = async (t: Test): Promise<WatchPrices> => {
  t.intercept(globalThis, 'EventSource', { value: EventSource })
  const module = await import(new URL('../../docs/examples/prices.mjs', import.meta.url).href)
  return (module as { watchPrices: WatchPrices }).watchPrices
}

/** Stands between a client and a gateway: cuts connections, and has the client come back in a millisecond. */
async function between(t: Test, url: string) {
  const sockets = new Set<Socket>()
  const asked: string[] = []
  const server = createServer((socket) => {
    const behind = connect(Number(new URL(url).port), '127.0.0.1')
    for (const one of [socket, behind]) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        socket.destroy()
        behind.destroy()
      })
    }
    socket.on('data', (chunk) => {
      asked.push(chunk.toString('latin1'))
      behind.write(chunk)
    })
    behind.on('data', (chunk) => {
      socket.write(chunk.toString('latin1').replace(/retry: \d{4}\n/, 'retry: 0001\n'), 'latin1')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  t.teardown(() => {
    cut()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, cut }
}

t.test('the example keeps a page current, through a cut connection too', async (t) => {
  const watchPrices = await load(t)
  const clock = handClock()
  const gateway = await listen(t, {}, { clock })
  // A stream does not wait long for the first list.
  await (await fetch(`${gateway.url}/api/tokens`)).arrayBuffer()
  const { url, asked, cut } = await between(t, gateway.url)
  let calls = 0
  let prices = new Map<string, Tick>()
  const stop = watchPrices(
    url,
    ['solana:native', USDC],
    (current) => {
      prices = current
      calls++
    },
    () => t.fail('it is refused'),
  )
  t.teardown(stop)
  await until(() => calls === 1)
  t.same([...prices.keys()], [SOL, USDC])
  const first = prices.get(SOL)!
  t.match(first, { listed: true, price: Number })
  const changed = async (): Promise<void> => {
    const before = calls
    while (calls === before) await step(clock, () => calls > before)
  }
  while (prices.get(SOL)!.priceTs === first.priceTs) await changed()
  t.equal(asked.length, 1)
  cut()
  await until(() => asked.length === 2)
  t.match(asked[1], /last-event-id: [a-z0-9]+\.\d+\.[\w-]{8}\r\n/i)
  await changed()
  t.same([...prices.keys()], [SOL, USDC])
  stop()
})

t.test('the example says that it is refused', async (t) => {
  const watchPrices = await load(t)
  const { url } = await listen(t)
  await new Promise<void>((resolve) => {
    const stop = watchPrices(url, ['moon:native'], () => t.fail('there are no prices'), resolve)
    t.teardown(stop)
  })
})

t.test('the sample on the page is what a stream is like', async (t) => {
  const { text } = blocksOf('docs/research.md').find(({ text }) => text.includes('event: snapshot'))!
  const clock = handClock()
  const { url } = await listen(t, {}, { clock })
  await (await fetch(`${url}/api/tokens`)).arrayBuffer()
  const [, tokens] = /`GET \/api\/prices\/stream\?tokens=([^`]+)`/.exec(
    readFileSync('docs/research.md', 'utf8'),
  )!
  const client = await openEvents(t, `${url}/api/prices/stream?tokens=${tokens}`)
  await until(() => client.events.length === 1)
  while (client.events.length === 1) await step(clock, () => client.events.length > 1)
  const shown = text.trim().split('\n\n')
  const formOf = (block: string): string => block.replace(/^(retry|id|data): .*$/gm, '$1')
  const answered = client.text
    .split('\n\n')
    .filter((block) => block.startsWith('retry') || block.startsWith('event'))
  t.same(shown.slice(0, 3).map(formOf), answered.slice(0, 3).map(formOf))
  t.equal(shown[3], ':', 'the sign of life')
  for (const [at, block] of shown.slice(1, 3).entries()) {
    const [, data] = /^data: (.*)$/m.exec(block)!
    const ticks = JSON.parse(data!) as Ticks
    t.ok(Check(Ticks, ticks))
    const names = ({ prices }: Ticks): string[] => prices.map(({ chain, address }) => `${chain}:${address}`)
    if (at === 0) t.same(names(ticks), names(client.events[0]!.data as Ticks))
    else t.equal(names(ticks).length, 1, 'only what changed')
  }
})
