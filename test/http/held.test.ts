/** Clients that make the gateway hold much, beside clients that do not, over loopback. */
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Clock } from '../../src/runtime/clock.ts'
import { HeldBytes, type HeldLimits, type Holding } from '../../src/runtime/held-bytes.ts'
import { STILL, until } from '../fixtures/clock.ts'
import { listen, post } from '../fixtures/gateway.ts'

const MIB = 1 << 20
/** The longest answer that is passed on. */
const LONGEST = 16 * MIB
const SMALL = '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":[]}'

/** An account that remembers its worst moment. */
class WatchedBytes extends HeldBytes {
  most = 0
  mostOfOne = 0

  override add(holding: Holding, bytes: number): void {
    super.add(holding, bytes)
    this.most = Math.max(this.most, this.bytes)
    this.mostOfOne = Math.max(this.mostOfOne, this.bytesOf(holding.account.client))
  }
}

function* partsOf(body: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, i = 0; at < body.length; at += sizes[i++ % sizes.length]!) {
    yield body.subarray(at, at + sizes[i % sizes.length]!)
  }
}

/** A node whose answers are as long as `minContextSlot` says, in parts of `sizes` in turn. */
async function longNode(t: Pick<Test, 'teardown'>, sizes: readonly number[] = [65_536]): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    const length = method === 'getBalance' ? params[1].minContextSlot : 1
    const body = Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":"${'a'.repeat(length)}"}`)
    response.setHeader('content-type', 'application/json')
    Readable.from(partsOf(body, sizes)).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function start(
  t: Pick<Test, 'teardown'>,
  limits: HeldLimits,
  sizes?: readonly number[],
  clock?: Clock,
) {
  const held = new WatchedBytes({ limits })
  const environment = {
    TRUSTED_PROXIES: 'loopback',
    SOLANA_RPC_URLS: await longNode(t, sizes),
    LIMITS: 'rpcRead=off,swap=off',
  }
  const { url, stop } = await listen(t, environment, { held, ...(clock && { clock }) })
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
  return { held, url, stop, send, ask, bystander, sockets }
}

let asked = 0
const head = (path: string, client: string, framing: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: ${client}\r\n${framing}\r\n\r\n`

/** All differ by a byte, so that none is shared. */
function requestOf(client: string, length: number): string {
  const params = [
    'Vote111111111111111111111111111111111111111',
    { minContextSlot: length + (asked++ % 1_000) },
  ]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getBalance', params })
  return `${head('/api/solrpc', client, `Content-Length: ${body.length}`)}${body}`
}

t.test(
  'sixty answers of 13 MiB that are not read stay within the bounds, and nobody else notices',
  async (t) => {
    const limits = { client: 24 * MIB, all: 96 * MIB }
    const { held, ask, bystander, sockets } = await start(t, limits)
    for (let i = 0; i < 60; i++) ask(`198.51.100.${i % 3}`, 13 * MIB)
    await until(() => held.bytes > 3 * limits.client - 3 * MIB)
    for (let i = 0; i < 30; i++) t.equal(await bystander(i), 200)
    t.ok(held.most <= limits.all, `${held.most}`)
    t.ok(held.mostOfOne <= limits.client + 2 * LONGEST, `${held.mostOfOne}`)

    // One of them reads what it asked for after all.
    let read = 0
    for (const socket of sockets.filter((_, i) => i % 3 === 0)) {
      socket.on('data', (chunk) => (read += chunk.length))
      socket.resume()
    }
    await until(() => read > MIB)
    for (let i = 0; i < 10; i++) t.equal(await bystander(i), 200)
    for (const socket of sockets) socket.destroy()
    await until(() => held.bytes === 0 && held.clients === 0)
  },
)

t.test('who reads gets all answers, although they are more than the allowance', async (t) => {
  // Seconds never pass: nothing is refused for having waited too long.
  const clock: Clock = {
    ...STILL,
    after: (ms, run) => (ms < 1_000 ? STILL.after(ms, run) : () => {}),
  }
  const { held, ask, sockets } = await start(t, { client: 24 * MIB, all: 256 * MIB }, [65_536], clock)
  const replies = Array.from({ length: 8 }, () => {
    const reply = { bytes: 0 }
    ask('198.51.100.1', 13 * MIB).on('data', (chunk) => (reply.bytes += chunk.length))
    return reply
  })
  await until(() => held.bytes > 24 * MIB)
  for (const socket of sockets) socket.resume()
  await until(() => replies.every(({ bytes }) => bytes > 13 * MIB))
  t.ok(held.mostOfOne <= 24 * MIB + 2 * LONGEST, `${held.mostOfOne}`)
})

t.test('one answer has room, however small the allowance, and what is closed is released', async (t) => {
  const { held, ask, bystander } = await start(t, { client: 1, all: 96 * MIB })
  const unread = ask('198.51.100.1', 13 * MIB)
  await until(() => held.bytes > 13 * MIB)
  t.equal(await bystander(1), 200)
  unread.destroy()
  await until(() => held.bytes === 0)
})

t.test('bodies in chunks of one byte are refused on their way, and paid for by who sends them', async (t) => {
  const { held, send, bystander } = await start(t, { client: 24 * MIB, all: 96 * MIB })
  const chunks = '1\r\n[\r\n'.repeat(50_000)
  const attackers = Array.from({ length: 20 }, () =>
    send(`${head('/api/build', '198.51.100.1', 'Transfer-Encoding: chunked')}${chunks}`),
  )
  const replies = attackers.map((socket) => {
    const reply = { text: '', isClosed: false }
    socket.on('data', (chunk) => (reply.text += chunk.toString('latin1')))
    socket.on('close', () => (reply.isClosed = true))
    socket.resume()
    return reply
  })
  for (let i = 0; i < 30; i++) t.equal(await bystander(i), 200)
  // One body has room; all others are cut off, whether they hear why or not.
  await until(() => replies.filter(({ isClosed }) => isClosed).length >= 19)
  for (const { text } of replies) if (text !== '') t.match(text, /^HTTP\/1\.1 429 /)
  t.ok(replies.some(({ text }) => text.includes('"budget":"refused-client"')))
  t.equal(await bystander(1), 200)
  for (const socket of attackers) socket.destroy()
  await until(() => held.bytes === 0 && held.clients === 0)
})

t.test('many bodies under way at once run out of room, and who waits for the rest does not', async (t) => {
  const { held, send, bystander } = await start(t, { client: 24 * MIB, all: 96 * MIB })
  // 200 units of 20 KiB: a body of 40,000 bytes takes two of them.
  const part = `${head('/api/build', '198.51.100.1', 'Content-Length: 200000')}${'['.repeat(40_000)}`
  const early = Array.from({ length: 90 }, () => send(part))
  await until(() => held.bytes === 90 * 40_000)
  const late = Array.from({ length: 30 }, () => send(part))
  let closed = 0
  for (const socket of late) {
    socket.resume()
    socket.on('close', () => closed++)
  }
  await until(() => closed >= 20)
  t.ok(held.bytes <= 100 * 40_000)
  t.ok(early.every(({ destroyed }) => !destroyed))
  t.equal(await bystander(1), 200)
  for (const socket of [...early, ...late]) socket.destroy()
  await until(() => held.bytes === 0 && held.clients === 0)
})

t.test('whatever the lengths and parts of bodies and answers, and however they are read', async () => {
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
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 30 }),
      fc.array(body, { maxLength: 20 }),
      fc.array(fc.integer({ min: 1_000, max: 200_000 }), { minLength: 1, maxLength: 4 }),
      async (requests, bodies, sizes) => {
        const ends: (() => unknown)[] = []
        const { held, stop, ask, send, bystander, sockets } = await start(
          { teardown: (end) => void ends.push(end as () => unknown) },
          limits,
          sizes,
        )
        try {
          for (const { client, part } of bodies) {
            const framing = 'Content-Length: 200000'
            send(`${head('/api/build', `198.51.100.${client}`, framing)}${'['.repeat(part)}`)
          }
          const late: Socket[] = []
          for (const { client, length, reads } of requests) {
            const socket = ask(`198.51.100.${client}`, length)
            if (reads === 'at once') socket.resume()
            if (reads === 'late') late.push(socket)
          }
          if ((await bystander(1)) !== 200) return false
          for (const socket of late) socket.resume()
          if ((await bystander(2)) !== 200) return false
          for (const socket of sockets) socket.destroy()
          await until(() => held.bytes === 0 && held.clients === 0)
          return held.most <= limits.all + longest && held.mostOfOne <= limits.client + 3 * longest
        } finally {
          await stop()
          for (const end of ends) await end()
        }
      },
    ),
    { numRuns: 8 },
  )
})
