/** Clients that make the gateway hold much, beside clients that do not, over loopback. */
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { type ByteHolding, HeldBytes, type HeldLimits } from '../../src/flow/held-bytes.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { STILL, until } from '../fixtures/clock.ts'
import fc from '../fixtures/fast-check.ts'
import { listen, post } from '../fixtures/gateway.ts'
import { headOf, longNode, MIB, requestOf } from '../fixtures/long-node.ts'

/** Nothing is refused for having taken too long, however busy the machine: what is closed, was refused for its bytes. */
const UNHURRIED = { headersTimeoutMs: 2_000_000_000, requestTimeoutMs: 2_000_000_000 }
/** The pause of an answer that is waited for ends when there is room, and never by itself. */
const PATIENT_PAUSES: Clock = {
  ...STILL,
  after: (ms, run) => (ms < 1_000 ? STILL.after(ms, run) : () => {}),
}
/** Several times what the kernel takes of a reply that nobody reads. */
const LONG = 6 * MIB
const SMALL = '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":[]}'

/** The budget `refused` of a client: for so many parts of 20 KiB of bodies that are not accepted. */
const UNITS = 20

/** An account that remembers its worst moment. */
class WatchedBytes extends HeldBytes {
  most = 0
  mostOfOne = 0

  override add(holding: ByteHolding, bytes: number): void {
    super.add(holding, bytes)
    this.most = Math.max(this.most, this.bytes)
    this.mostOfOne = Math.max(this.mostOfOne, this.bytesOf(holding.account.client))
  }
}

async function start(t: Test, limits: HeldLimits, sizes?: () => readonly number[]) {
  const held = new WatchedBytes({ limits })
  const environment = {
    TRUSTED_PROXIES: 'loopback',
    SOLANA_RPC_URLS: await longNode(t, sizes),
    LIMITS: `rpcRead=off,swap=off,refused=${UNITS}/off`,
  }
  const options = { held, clock: PATIENT_PAUSES, serverLimits: UNHURRIED }
  const { url } = await listen(t, environment, options)
  const sockets: Socket[] = []
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  /** Sends bytes, and reads nothing until told to. */
  const send = (bytes: string): Socket => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.pause()
    socket.write(bytes)
    sockets.push(socket)
    return socket
  }
  const ask = (client: string, length: number): Socket => send(requestOf(client, length))
  const bystander = (i: number): Promise<number> =>
    post(url, SMALL.replace(':1', `:${i}`), { 'x-forwarded-for': `203.0.113.${i % 10}` }).then(
      async (response) => {
        await response.text()
        return response.status
      },
    )
  return { held, url, send, ask, bystander, sockets }
}

t.test('long unread answers stay within the bounds, and no other client notices', async (t) => {
  const limits = { client: 10 * MIB, all: 40 * MIB }
  const { held, ask, bystander, sockets } = await start(t, limits)
  for (let i = 0; i < 12; i++) ask(`198.51.100.${i % 3}`, LONG)
  await until(() => held.bytes > 3 * limits.client - 3 * MIB)
  for (let i = 0; i < 10; i++) t.equal(await bystander(i), 200)
  t.ok(held.most <= limits.all, `${held.most}`)
  t.ok(held.mostOfOne <= limits.client + 2 * LONG, `${held.mostOfOne}`)

  // One of them reads an answer after all.
  let read = 0
  for (const socket of sockets.filter((_, i) => i % 3 === 0)) {
    socket.on('data', (chunk) => {
      read += chunk.length
      if (read > MIB) for (const one of sockets) one.destroy()
    })
    socket.resume()
  }
  await until(() => read > MIB)
  for (let i = 0; i < 10; i++) t.equal(await bystander(i), 200)
  await until(() => held.bytes === 0 && held.clients === 0)
})

t.test('a client that reads gets all answers, although they exceed its allowance', async (t) => {
  const { held, ask, sockets } = await start(t, { client: 8 * MIB, all: 256 * MIB })
  const replies = Array.from({ length: 5 }, () => {
    const reply = { bytes: 0 }
    ask('198.51.100.1', LONG).on('data', (chunk) => (reply.bytes += chunk.length))
    return reply
  })
  await until(() => held.bytes > 8 * MIB)
  for (const socket of sockets) socket.resume()
  await until(() => replies.every(({ bytes }) => bytes > LONG))
  t.ok(held.mostOfOne <= 8 * MIB + 2 * LONG, `${held.mostOfOne}`)
})

t.test('one answer always fits, however small the allowance, and closed holdings are released', async (t) => {
  const { held, ask, bystander } = await start(t, { client: 1, all: 96 * MIB })
  const unread = ask('198.51.100.1', LONG)
  await until(() => held.bytes > LONG)
  t.equal(await bystander(1), 200)
  unread.destroy()
  await until(() => held.bytes === 0)
})

t.test('bodies in chunks of one byte are refused early, and charged to their sender', async (t) => {
  const { held, send, bystander } = await start(t, { client: 24 * MIB, all: 96 * MIB })
  const honest = send(
    `${headOf('/api/build', '203.0.113.1', 'Transfer-Encoding: chunked')}${'1\r\n \r\n'.repeat(1_000)}0\r\n\r\n`,
  )
  const heard: string[] = []
  honest.on('data', (chunk) => heard.push(String(chunk)))
  honest.resume()
  await until(() => heard.length > 0)
  t.match(heard[0], /^HTTP\/1\.1 400 .*"code":"malformed_body"/s, 'a thousand chunks are read to their end')

  // A chunk counts as 256 bytes, so that none is as short as the route asks for; and a turn takes a thousand.
  const chunks = '1\r\n[\r\n'.repeat(5_000)
  const attackers = Array.from({ length: 20 }, () =>
    send(`${headOf('/api/build', '198.51.100.1', 'Transfer-Encoding: chunked')}${chunks}`),
  )
  const replies = attackers.map((socket) => {
    const reply = { text: '', isClosed: false }
    socket.on('data', (chunk) => (reply.text += chunk.toString('latin1')))
    socket.on('close', () => (reply.isClosed = true))
    socket.resume()
    return reply
  })
  for (let i = 0; i < 10; i++) t.equal(await bystander(i), 200)
  // All are cut off, whether they hear why or not.
  await until(() => replies.every(({ isClosed }) => isClosed))
  for (const { text } of replies) if (text !== '') t.match(text, /^HTTP\/1\.1 (413|429|503) /)
  t.ok(replies.some(({ text }) => text.includes('each chunk counts as at least 256')))
  const next = send(`${headOf('/api/build', '198.51.100.1', 'Content-Length: 40960')}[`)
  let text = ''
  next.on('data', (chunk) => (text += chunk.toString('latin1')))
  next.resume()
  await until(() => text !== '')
  t.match(text, /^HTTP\/1\.1 429 .*"budget":"refused-client"/s)
  t.equal(await bystander(1), 200)
  next.destroy()
  await until(() => held.bytes === 0 && held.clients === 0)
})

t.test('many bodies in progress run out of room, and a client that waits does not', async (t) => {
  const { held, send, bystander } = await start(t, { client: 24 * MIB, all: 96 * MIB })
  // 20 units of 20 KiB: a body of 40,000 bytes takes two of them.
  const part = `${headOf('/api/build', '198.51.100.1', 'Content-Length: 40960')}${'['.repeat(40_000)}`
  const early = Array.from({ length: 9 }, () => send(part))
  await until(() => held.bytes === 9 * 40_000)
  const late = Array.from({ length: 8 }, () => send(part))
  const texts: string[] = []
  let closed = 0
  for (const socket of late) {
    socket.on('data', (chunk) => texts.push(chunk.toString('latin1')))
    socket.on('close', () => closed++)
    socket.resume()
  }
  // One more has room.
  await until(() => closed >= 7)
  t.ok(held.bytes <= 10 * 40_000)
  for (const text of texts) t.match(text, /^HTTP\/1\.1 429 .*"budget":"refused-client"/s)
  t.ok(early.every(({ destroyed }) => !destroyed))
  t.equal(await bystander(1), 200)
  for (const socket of [...early, ...late]) socket.destroy()
  await until(() => held.bytes === 0 && held.clients === 0)
})

t.test('whatever the lengths and parts of bodies and answers, and however they are read', async (t) => {
  const limits = { client: 4 * MIB, all: 12 * MIB }
  const longest = 3 * MIB
  const request = fc.record({
    client: fc.integer({ min: 0, max: 5 }),
    length: fc.integer({ min: 1, max: longest }),
    reads: fc.constantFrom('at once', 'late', 'never'),
  })
  const body = fc.record({
    client: fc.integer({ min: 0, max: 5 }),
    part: fc.integer({ min: 1, max: 60_000 }),
  })
  let sizes: readonly number[] = []
  const { held, ask, send, bystander, sockets } = await start(t, limits, () => sizes)
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 20 }),
      fc.array(body, { maxLength: 10 }),
      fc.array(fc.integer({ min: 1_000, max: 200_000 }), { minLength: 1, maxLength: 4 }),
      async (requests, bodies, lengths) => {
        sizes = lengths
        held.most = held.mostOfOne = 0
        for (const { client, part } of bodies) {
          const framing = 'Content-Length: 60001'
          send(`${headOf('/api/build', `198.51.100.${client}`, framing)}${'['.repeat(part)}`)
        }
        const late: Socket[] = []
        for (const { client, length, reads } of requests) {
          const socket = ask(`198.51.100.${client}`, length)
          if (reads === 'at once') socket.resume()
          if (reads === 'late') late.push(socket)
        }
        const statuses = [await bystander(1)]
        for (const socket of late) socket.resume()
        statuses.push(await bystander(2))
        for (const socket of sockets.splice(0)) socket.destroy()
        await until(() => held.bytes === 0 && held.clients === 0)
        t.same(statuses, [200, 200])
        t.ok(held.most <= limits.all + longest, `${held.most} of all`)
        t.ok(held.mostOfOne <= limits.client + 3 * longest, `${held.mostOfOne} of one`)
      },
    ),
    { numRuns: 5 },
  )
})
