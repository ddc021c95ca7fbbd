import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Duplex } from 'node:stream'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import type { Upgrade } from '../../../src/http/connections/upgrade.ts'
import type { SeenSlots } from '../../../src/relay/reads/confirmations.ts'
import type { SignatureStatus, StatusPoller } from '../../../src/relay/reads/statuses.ts'
import { SubscriptionSockets } from '../../../src/relay/subscriptions/sockets.ts'
import { handClock, until } from '../../fixtures/clock.ts'

const S = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQkjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'
const SUBSCRIBE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'signatureSubscribe', params: [S] })
/** From the answer to a subscription until its signature is watched. */
const ANSWERED_MS = 50
const KEY = { 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' }

/** Sockets on loopback, with a clock that stands still, and a poller that sees what a test sees. */
async function serve(t: Test) {
  const clock = handClock()
  const watched: Parameters<StatusPoller['watch']>[] = []
  const kept: boolean[] = []
  const load = { isShedding: false, messages: 0, bytes: 0 }
  const shown: [client: string, seen: SeenSlots][] = []
  const sockets = new SubscriptionSockets({
    path: '/',
    statuses: {
      watch: (...watch) => {
        watched.push(watch)
        return () => watched.splice(watched.indexOf(watch), 1)
      },
    },
    accounts: { watch: () => () => {} },
    slots: { listen: () => () => {} },
    isOurs: (signature) => signature === S,
    confirmations: { note: (client, seen) => shown.push([client, seen]) },
    clock,
  })
  const upgradeOf = (request: IncomingMessage, socket: Duplex, head: Buffer): Upgrade => ({
    request,
    socket,
    head,
    client: 'one',
    keep: (isAwaited) => kept.push(isAwaited),
    admits(bytes) {
      load.messages++
      load.bytes += bytes
      return !load.isShedding
    },
    charge: (_calls, bytes) => (load.bytes += bytes),
    refuse: () => socket.destroy(),
  })
  const server = createServer().listen(0, '127.0.0.1')
  server.on('upgrade', (...upgrade) => void sockets.accept(upgradeOf(...upgrade)))
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    const closed = sockets.close()
    clock.advance(1_000)
    await closed
  })
  const { port } = server.address() as AddressInfo
  const connect = async (options: ConstructorParameters<typeof WebSocket>[2] = {}) => {
    const ws = new WebSocket(`ws://127.0.0.1:${port}/`, options)
    t.teardown(() => ws.terminate())
    const told: unknown[] = []
    ws.on('message', (data) => told.push(JSON.parse(String(data))))
    await once(ws, 'open')
    return { ws, told }
  }
  const see = (status: SignatureStatus) => {
    for (const [, , onStatus] of [...watched]) onStatus(status, status.slot)
  }
  return { clock, sockets, watched, kept, shown, load, upgradeOf, connect, see }
}

const closeOf = async (ws: WebSocket): Promise<number> => (await once(ws, 'close'))[0]

t.test('a connection is idle but for what it waits for', async (t) => {
  const { clock, sockets, kept, shown, connect, see } = await serve(t)
  const { ws, told } = await connect()
  ws.send('{"jsonrpc":"2.0","method":"ping"}')
  ws.send(SUBSCRIBE)
  await until(() => told.length === 1)
  t.same(kept, [false, true])
  t.equal(sockets.subscriptions, 1)
  clock.advance(ANSWERED_MS)
  see({ slot: 3, err: null, confirmationStatus: 'finalized' })
  await until(() => told.length === 2)
  t.same(kept, [false, true, false])
  t.same(shown, [['one', { confirmed: 3, finalized: 3 }]])
})

t.test('a signature is watched a moment after the answer: stock clients listen only then', async (t) => {
  const { clock, sockets, watched, connect } = await serve(t)
  const { ws, told } = await connect()
  ws.send(SUBSCRIBE)
  await until(() => told.length === 1)
  clock.advance(ANSWERED_MS - 1)
  t.equal(watched.length, 0)
  clock.advance(1)
  t.equal(watched.length, 1)
  ws.send(SUBSCRIBE)
  await until(() => told.length === 2)
  ws.terminate()
  await until(() => sockets.subscriptions === 0)
  clock.advance(ANSWERED_MS)
  t.equal(watched.length, 0, 'nor is one that has ended')
})

t.test('what belongs to a connection ends with it', async (t) => {
  const { clock, sockets, watched, connect } = await serve(t)
  const { ws, told } = await connect()
  for (let i = 0; i < 3; i++) ws.send(SUBSCRIBE)
  await until(() => told.length === 3)
  clock.advance(ANSWERED_MS)
  t.equal(watched.length, 3)
  ws.terminate()
  await until(() => watched.length === 0)
  t.equal(sockets.subscriptions, 0)
  for (let i = 0; i < 20; i++) (await connect()).ws.terminate()
  t.pass('nor is it counted among the eight')
})

t.test(
  "the gateway's own transactions are asked for first, and what nobody sees land less often",
  async (t) => {
    const { clock, watched, connect } = await serve(t)
    const { ws, told } = await connect()
    ws.send(SUBSCRIBE)
    ws.send(SUBSCRIBE.replaceAll('5VERv8', '5VERv9'))
    await until(() => told.length === 2)
    clock.advance(ANSWERED_MS)
    t.same(
      watched.map(([, { priority }]) => priority),
      ['quote', 'research'],
    )
    t.ok(watched[0]![1].isPrompt, 'it may have landed before the subscription came')
    t.equal(watched[0]![1].everyMs, 0)
    clock.advance(179_999)
    t.equal(watched[0]![1].everyMs, 0)
    clock.advance(1)
    t.equal(watched[0]![1].everyMs, 5_000)
  },
)

t.test('a message is text of at most 4 KiB', async (t) => {
  const { connect } = await serve(t)
  const one = await connect()
  one.ws.send(SUBSCRIBE.padEnd(4_096))
  await until(() => one.told.length === 1)
  one.ws.send(SUBSCRIBE.padEnd(4_097))
  t.equal(await closeOf(one.ws), 1009)
  const two = await connect()
  two.ws.send(Buffer.from(SUBSCRIBE))
  t.equal(await closeOf(two.ws), 1003)
  const three = await connect()
  three.ws.send(Buffer.from([0xff]), { binary: false })
  t.equal(await closeOf(three.ws), 1007)
})

t.test('a connection has 100 messages in ten seconds, pings among them', async (t) => {
  const { clock, connect } = await serve(t)
  const { ws, told } = await connect()
  const nonsense = (count: number) => {
    for (let i = 0; i < count; i++) ws.send('?')
  }
  nonsense(99)
  ws.ping()
  await Promise.all([once(ws, 'pong'), until(() => told.length === 99)])
  clock.advance(10_000)
  nonsense(101)
  t.equal(await closeOf(ws), 1008)
  t.equal(told.length, 99 + 100)

  const other = await connect()
  for (let i = 0; i < 100; i++) {
    other.ws.ping()
    await once(other.ws, 'pong')
  }
  other.ws.ping()
  t.equal(await closeOf(other.ws), 1008)
})

t.test('a client that answers no ping within half a minute is cut off', async (t) => {
  const { clock, connect } = await serve(t)
  const alive = await connect()
  const dead = await connect({ autoPong: false })
  const pinged = () => Promise.all([once(alive.ws, 'ping'), once(dead.ws, 'ping')])
  const first = pinged()
  clock.advance(30_000)
  await first
  // Its pong has come when its next answer has.
  alive.ws.send('?')
  await until(() => alive.told.length === 1)
  clock.advance(30_000)
  t.equal(await closeOf(dead.ws), 1006)
  t.equal(alive.ws.readyState, WebSocket.OPEN)
  alive.ws.terminate()
})

t.test('a client that does not read its answers is cut off', async (t) => {
  const { sockets, upgradeOf } = await serve(t)
  let isOpen = false
  let unread = 0
  const socket = new Duplex({
    read: () => {},
    write(chunk, _encoding, done) {
      // The handshake is read, and nothing after it.
      if (isOpen) unread += chunk.length
      else done()
      isOpen = true
    },
  })
  const request = { method: 'GET', headers: { ...KEY, upgrade: 'websocket' } } as unknown as IncomingMessage
  await sockets.accept(upgradeOf(request, socket, Buffer.alloc(0)))
  t.ok(isOpen)
  const text = JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(4_000), method: 'x' })
  // A masked frame, with a mask of zeros.
  const frame = Buffer.concat([
    Buffer.from([0x81, 0xfe, text.length >> 8, text.length & 0xff, 0, 0, 0, 0]),
    Buffer.from(text),
  ])
  let sent = 0
  while (!socket.destroyed) {
    socket.push(frame)
    sent++
    await new Promise(setImmediate)
  }
  t.ok(sent >= 16 && sent < 30, `${sent} answers of 4 KiB`)
  t.ok(unread > 0)
})

t.test('a client that connects during a stop gets a closing handshake', async (t) => {
  const { sockets, connect } = await serve(t)
  const before = await connect()
  const closed = sockets.close()
  t.equal(await closeOf(before.ws), 1001)
  await closed
  const after = await connect()
  t.equal(await closeOf(after.ws), 1001)
})

t.test('refusals of subscriptions come once a second, on all connections of a client together', async (t) => {
  const { clock, connect } = await serve(t)
  const one = await connect()
  const other = await connect()
  const subscribe = (id: number) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'logsSubscribe', params: ['all'] })
  one.ws.send(subscribe(1))
  one.ws.send(subscribe(2))
  one.ws.send(SUBSCRIBE)
  await until(() => one.told.length === 2)
  t.match(
    one.told,
    [
      { id: 1, error: { code: -32_601 } },
      { id: 1, result: 1 },
    ],
    'what is served is not held up',
  )
  other.ws.send(subscribe(3))
  other.ws.send('?')
  await until(() => other.told.length === 1)
  clock.advance(999)
  clock.advance(1)
  await until(() => one.told.length === 3)
  t.match(one.told[2], { id: 2, error: { code: -32_601 } })
  t.equal(other.told.length, 1)
  one.ws.terminate()
  clock.advance(1_000)
  await until(() => other.told.length === 2)
  t.match(other.told[1], { id: 3, error: { code: -32_601 } })
})

t.test('a client that is refused without end is cut off', async (t) => {
  const { load, connect } = await serve(t)
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'logsSubscribe', params: ['all'] })
  const [one, other] = [await connect(), await connect()]
  for (let i = 0; i < 100; i++) one.ws.send(text)
  await until(() => one.told.length === 1 && load.messages === 100)
  for (let i = 0; i < 2; i++) other.ws.send(text)
  t.equal(await closeOf(other.ws), 1008)
})

t.test('everything that comes and goes on a connection is counted for its client', async (t) => {
  const { clock, load, connect, see } = await serve(t)
  const { ws, told } = await connect()
  ws.send(SUBSCRIBE)
  await until(() => told.length === 1)
  clock.advance(ANSWERED_MS)
  t.equal(load.bytes, SUBSCRIBE.length + '{"jsonrpc":"2.0","result":1,"id":1}'.length)
  see({ slot: 3, err: null, confirmationStatus: 'finalized' })
  await until(() => told.length === 2)
  t.equal(load.bytes, SUBSCRIBE.length + 35 + JSON.stringify(told[1]).length)
  ws.ping('abc')
  await once(ws, 'pong')
  ws.pong()
  await until(() => load.messages === 3)
})

t.test('a shed message gets an error, then the connection is closed', async (t) => {
  const { clock, load, watched, connect } = await serve(t)
  const { ws, told } = await connect()
  load.isShedding = true
  const closed = closeOf(ws)
  for (let i = 0; i < 3; i++) ws.send(SUBSCRIBE)
  await until(() => load.messages === 3)
  // Refusals are a second apart.
  for (let i = 1; i <= 3; i++) {
    await until(() => told.length === i)
    clock.advance(1_000)
  }
  for (const one of told) t.match(one, { id: 1, error: { data: { code: 'overloaded' } } })
  for (let i = 0; i < 8; i++) ws.send(SUBSCRIBE)
  t.equal(await closed, 1013)
  t.equal(watched.length, 0)
})

t.test('a connection that is closed for what it sends is not read any more', async (t) => {
  const { load, connect } = await serve(t)
  const { ws } = await connect()
  const closed = closeOf(ws)
  for (let i = 0; i < 40_000; i++) ws.ping()
  t.equal(await closed, 1008)
  t.ok(load.messages < 20_000, `${load.messages} of 40,000 frames were looked at`)
})
