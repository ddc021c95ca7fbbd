/** The connections' books, over sockets that do nothing by themselves and a clock that stands still. */
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import t from 'tap'
import { HeldBytes } from '../../../src/flow/held-bytes.ts'
import { ClientConnections, type Closed } from '../../../src/http/connections/connections.ts'
import { DEFAULT_SERVER_LIMITS, type ServerLimits } from '../../../src/http/connections/limits.ts'
import type { Exchange } from '../../../src/http/request/exchange.ts'
import { handClock } from '../../fixtures/clock.ts'

const IDLE_MS = DEFAULT_SERVER_LIMITS.keepAliveTimeoutMs + DEFAULT_SERVER_LIMITS.headersTimeoutMs

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string
  bytesRead = 0
  destroyed = false

  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }

  destroy(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
  }
}

function start(limits: Partial<ServerLimits> = {}, held = new HeldBytes()) {
  const clock = handClock()
  const refused: FakeSocket[] = []
  const reports: (Closed & { readonly open: number })[] = []
  const connections = new ClientConnections({
    limits: { ...DEFAULT_SERVER_LIMITS, ...limits },
    clock,
    held,
    // The addresses of trusted proxies begin with a p.
    peerOf: (address) => (address!.startsWith('p') ? null : address!),
    refuse: (socket) => refused.push(socket as unknown as FakeSocket),
    onClosed: (closed, open) => reports.push({ ...closed, open }),
  })
  const accept = (address = 'a'): FakeSocket => {
    const socket = new FakeSocket(address)
    connections.accept(socket as unknown as Socket)
    return socket
  }
  const of = (socket: FakeSocket) => connections.of(socket as unknown as Socket)!
  const admit = (socket: FakeSocket) => connections.admit(socket as unknown as Socket)
  /** A request that has come in, and waits for its reply. */
  const begin = (socket: FakeSocket, { client = 'a', complete = true, headers = {} } = {}) => {
    const left: string[] = []
    const request = Object.assign(new EventEmitter(), { socket, complete, headers })
    const response = Object.assign(new EventEmitter(), { writableLength: 0 })
    const exchange = { client, request, response, gone: false, leave: () => left.push('left') }
    const connection = admit(socket)!
    connection.exchanges.add(exchange as unknown as Exchange)
    /** @param unread  bytes of the reply that are not read yet */
    const settle = (unread = 0): void => {
      response.writableLength = unread
      connection.settle(exchange as unknown as Exchange, unread, null)
    }
    return { exchange, request, response, connection, settle, left, finish: () => response.emit('finish') }
  }
  return { clock, connections, refused, reports, accept, of, admit, begin }
}

t.test('the connection that is idle longest makes room, and a busy one does not', (t) => {
  const { clock, accept, begin, refused, connections, reports } = start({ maxConnections: 2 })
  const [first, second] = [accept(), accept()]
  clock.advance(10)
  connections.sweep()
  begin(first).settle()
  const third = accept()
  t.same([first.destroyed, second.destroyed, third.destroyed], [false, true, false])
  const waiting = [begin(first), begin(third)]
  const fourth = accept()
  t.same(refused, [fourth])
  t.same([first.destroyed, third.destroyed], [false, false])
  for (const { settle } of waiting) settle()
  connections.sweep()
  t.same(reports, [{ refused: 1, idle: 1, unread: 0, open: 2 }])
  connections.sweep()
  t.equal(reports.length, 1, 'each is told once')
  t.end()
})

t.test('a client at its cap displaces its own connections, and a proxy has no cap', (t) => {
  const { accept, begin, clock, refused } = start({ maxConnectionsPerPeer: 1 })
  const other = accept('b')
  clock.advance(1)
  const own = accept('a')
  const next = accept('a')
  t.same([other.destroyed, own.destroyed, next.destroyed], [false, true, false])
  begin(next)
  const late = accept('a')
  t.same(refused, [late], "others' idle connections are not its room")
  t.notOk(other.destroyed)
  const proxies = [accept('p'), accept('p'), accept('p')]
  t.ok(proxies.every(({ destroyed }) => !destroyed))
  next.destroy()
  accept('a')
  t.equal(refused.length, 1, 'a connection that has ended counts no more')
  t.end()
})

t.test('counts per client go up and down one by one', (t) => {
  const { accept, begin, refused } = start({ maxConnectionsPerPeer: 2 })
  const sockets = [accept(), accept()]
  for (const socket of sockets) begin(socket)
  accept()
  t.equal(refused.length, 1)
  sockets[0]!.destroy()
  begin(accept())
  t.equal(refused.length, 1)
  accept()
  t.equal(refused.length, 2)
  t.end()
})

t.test('a connection is idle from its last reply on, and is closed after both timeouts', (t) => {
  const { clock, connections, accept, begin, of, reports } = start()
  const [quiet, used, busy, awaited, kept] = ['q', 'u', 'b', 'w', 'k'].map((peer) => accept(peer)) as [
    FakeSocket,
    FakeSocket,
    FakeSocket,
    FakeSocket,
    FakeSocket,
  ]
  const waiting = begin(busy)
  connections.keep(of(awaited), true)
  clock.advance(1_000)
  connections.sweep()
  begin(used).settle()
  connections.keep(of(kept), false)
  clock.advance(IDLE_MS - 1_001)
  connections.sweep()
  t.same(reports, [])
  clock.advance(1)
  connections.sweep()
  t.same(
    [quiet, used, busy, awaited, kept].map(({ destroyed }) => destroyed),
    [true, false, false, false, false],
  )
  t.same(reports, [{ refused: 0, idle: 1, unread: 0, open: 4 }])
  clock.advance(1_000)
  connections.sweep()
  t.same([used.destroyed, kept.destroyed], [true, true])
  waiting.settle()
  connections.keep(of(awaited), false)
  clock.advance(IDLE_MS)
  connections.sweep()
  t.same([busy.destroyed, awaited.destroyed], [true, true])
  t.end()
})

t.test('the waiting requests of one connection are bounded, and one more loses all of them', (t) => {
  const { connections, accept, begin, admit, of, reports } = start({ maxPipelined: 2 })
  const socket = accept()
  const first = begin(socket)
  first.settle()
  const waiting = [begin(socket), begin(socket)]
  t.equal(admit(socket), null)
  t.ok(socket.destroyed)
  t.same(
    waiting.map(({ left }) => left),
    [['left'], ['left']],
  )
  t.same(first.left, [], 'which has its reply')
  t.equal(of(socket), undefined)
  t.equal(admit(socket), null, 'nothing begins on what is closed')
  connections.sweep()
  t.same(reports, [{ refused: 1, idle: 0, unread: 0, open: 0 }])
  t.end()
})

t.test('a stop closes idle connections without new bytes', (t) => {
  const { connections, accept, begin } = start()
  const [fresh, begun, used, half, busy, discarding] = Array.from({ length: 6 }, () => accept()) as [
    FakeSocket,
    FakeSocket,
    FakeSocket,
    FakeSocket,
    FakeSocket,
    FakeSocket,
  ]
  begun.bytesRead = 10
  for (const socket of [used, half]) {
    const { settle } = begin(socket)
    socket.bytesRead = 100
    settle()
  }
  half.bytesRead = 101
  begin(busy)
  const { settle, request } = begin(discarding, { complete: false, headers: { 'content-length': '9' } })
  settle()
  discarding.bytesRead = 9
  connections.closeIdle()
  t.same(
    [fresh, begun, used, half, busy, discarding].map(({ destroyed }) => destroyed),
    [true, false, true, false, false, false],
  )
  request.emit('end')
  connections.closeIdle()
  t.ok(discarding.destroyed, 'the rest of a body was no new request')
  t.end()
})

t.test('a reply is held until it is read, and its connection is busy until then', (t) => {
  const { clock, connections, accept, begin, reports } = start({ replyTimeoutMs: 1_000 })
  const [read, unread] = [accept(), accept()]
  const [one, other] = [begin(read), begin(unread)]
  one.settle(500)
  other.settle(500)
  t.ok(one.connection.isBusy)
  clock.advance(999)
  connections.sweep()
  one.finish()
  t.notOk(one.connection.isBusy)
  t.notOk(unread.destroyed)
  clock.advance(1)
  connections.sweep()
  t.same([read.destroyed, unread.destroyed], [false, true])
  t.same(other.left, ['left'])
  t.same(reports, [{ refused: 0, idle: 0, unread: 1, open: 1 }])
  clock.advance(5_000)
  connections.sweep()
  t.equal(reports.length, 1, 'what was read is held no more')
  connections.drop(other.exchange as unknown as Exchange)
  connections.sweep()
  t.equal(reports.length, 1, 'nor what is closed')
  t.end()
})

t.test('what a client that is gone did not read is not held', (t) => {
  const { clock, connections, accept, begin, reports } = start({ replyTimeoutMs: 1_000 })
  const { exchange, settle, connection } = begin(accept())
  exchange.gone = true
  settle(500)
  t.notOk(connection.isBusy)
  clock.advance(1_000)
  connections.sweep()
  t.same(reports, [])
  t.end()
})

t.test('beyond the bound the client that leaves most unread loses its oldest reply', (t) => {
  const held = new HeldBytes({ limits: { client: 1_000, all: 1_000 } })
  const { accept, begin } = start({}, held)
  const hold = (client: string, bytes: number) => {
    const socket = accept()
    const reply = begin(socket, { client })
    reply.settle(bytes)
    return { ...reply, socket }
  }
  const modest = hold('modest', 300)
  const greedy = [hold('greedy', 250), hold('greedy', 200), hold('greedy', 250)]
  t.notOk(
    [modest, ...greedy].some(({ socket }) => socket.destroyed),
    'the bound itself is held',
  )
  const another = hold('another', 1)
  t.same(
    [modest, ...greedy, another].map(({ socket }) => socket.destroyed),
    [false, true, false, false, false],
  )
  // 751 are held: as many as were read make room again.
  const last = hold('another', 249)
  t.notOk([modest, greedy[1]!, greedy[2]!, another, last].some(({ socket }) => socket.destroyed))
  modest.finish()
  hold('late', 300)
  t.notOk([greedy[1]!, greedy[2]!, another, last].some(({ socket }) => socket.destroyed))
  greedy[1]!.socket.destroy()
  hold('late', 200)
  t.notOk(
    [greedy[2]!, another, last].some(({ socket }) => socket.destroyed),
    'so do those that are closed',
  )
  t.end()
})

t.test('a request is the last one if its body has arrived, and nothing follows', (t) => {
  const { accept, begin } = start()
  const socket = accept()
  const first = begin(socket)
  t.ok(first.connection.isLast(first.exchange as unknown as Exchange))
  const second = begin(socket, { complete: false, headers: { 'content-length': '5' } })
  t.notOk(first.connection.isLast(first.exchange as unknown as Exchange))
  t.notOk(second.connection.isLast(second.exchange as unknown as Exchange))
  second.request.complete = true
  t.ok(second.connection.isLast(second.exchange as unknown as Exchange))
  const bodiless = begin(socket, { complete: false })
  t.ok(bodiless.connection.isLast(bodiless.exchange as unknown as Exchange))
  t.end()
})
