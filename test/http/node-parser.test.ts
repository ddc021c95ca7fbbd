/** Node's parser is stopped within a read, and serves the next connection as before. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t from 'tap'
import { ignoreRest, readFirst } from '../../src/http/node-parser.ts'
import { until } from '../fixtures/clock.ts'
import { READS_FIRST } from '../fixtures/shedding-server.ts'

const HEAD = 'POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n'
const CHUNKS = '1\r\n[\r\n'.repeat(5_000)

t.test('what is behind the point is not looked at, and the next connection is', async (t) => {
  let isDeaf = true
  const seen = { requests: 0, parts: 0, bytes: 0 }
  const server = createServer((request: IncomingMessage, response) => {
    seen.requests++
    request.on('data', (chunk: Buffer) => {
      seen.parts++
      seen.bytes += chunk.length
      if (isDeaf && seen.parts === 10) ignoreRest(request.socket)
    })
    request.on('end', () => response.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const send = async (text: string, until: string): Promise<void> => {
    const socket = connect(port, '127.0.0.1')
    let reply = ''
    socket.write(text)
    for await (const part of socket.setEncoding('latin1')) if ((reply += part).includes(until)) break
    socket.destroy()
  }

  const next = `0\r\n\r\n${HEAD}${CHUNKS}0\r\n\r\n`
  await send(`${HEAD}${CHUNKS}${next}`, 'HTTP/1.1 200')
  t.same(seen, { requests: 1, parts: 10, bytes: 10 }, 'neither the rest of the body nor the next request')
  isDeaf = false
  for (let i = 0; i < 3; i++) await send(`${HEAD}${CHUNKS}0\r\n\r\n`, 'HTTP/1.1 200')
  t.same(seen, { requests: 4, parts: 15_010, bytes: 15_010 }, 'the parser is used again, and hears all')
})

t.test('a socket without a parser has nothing to ignore', async (t) => {
  const server = createServer()
  server.on('upgrade', (_request, socket) => {
    ignoreRest(socket as Parameters<typeof ignoreRest>[0])
    socket.end('over')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
  let text = ''
  for await (const part of socket) text += String(part)
  t.equal(text, 'over')
})

const options = READS_FIRST ? {} : { skip: 'node does not say whether it reads a message' }

t.test(
  'between two messages, what comes in is read first; an upgrade takes the connection over',
  options,
  async (t) => {
    const read: string[] = []
    const server = createServer((request, response) => {
      response.end('parsed')
      response.once('finish', () => {
        if (read.length > 0) return
        read.push('')
        readFirst(request.socket, (bytes, parse) => {
          const text = String(bytes)
          read.push(text)
          if (text.startsWith('GET')) parse(bytes)
          else request.socket.write('taken')
        })
      })
    })
    server.on('upgrade', (_request, socket) => {
      socket.on('data', (bytes) => socket.write(`echo ${bytes}`))
      socket.write('upgraded')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => server.close())
    const open = (): Socket =>
      connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1')
    const socket = open()
    t.teardown(() => socket.destroy())
    const ask = async (text: string, socket: Socket): Promise<string> => {
      socket.write(text)
      return String(await once(socket, 'data'))
    }
    const GET = 'GET / HTTP/1.1\r\nHost: h\r\n'
    t.match(await ask(`${GET}\r\n`, socket), 'parsed', 'before it is read first')
    t.match(await ask(`${GET}\r\n`, socket), 'parsed')
    t.equal(await ask('x', socket), 'taken')
    socket.write(GET)
    await until(() => read.length === 4)
    t.match(await ask('\r\n', socket), 'parsed', 'the rest of a message is the parser’s')
    t.same(read, ['', `${GET}\r\n`, 'x', GET])
    t.equal(await ask(`${GET}Connection: Upgrade\r\nUpgrade: x\r\n\r\n`, socket), 'upgraded')
    // Takes the parser that is free now.
    const other = open()
    t.teardown(() => other.destroy())
    other.write(GET)
    await once(other, 'connect')
    t.equal(await ask('x', socket), 'echo x')
    t.match(await ask('\r\n', other), 'parsed')
    t.equal(read.length, 5, 'with the upgrade')
  },
)

t.test('a socket to which somebody else listens is left as it is, and each from node 22 on', async (t) => {
  const server = createServer((request, response) => {
    if (READS_FIRST) request.socket.on('data', () => {})
    t.notOk(readFirst(request.socket, () => t.fail()))
    response.end('parsed')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1')
  t.teardown(() => socket.destroy())
  for (let i = 0; i < 3; i++) {
    socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    t.match(String(await once(socket, 'data')), 'parsed')
  }
})
