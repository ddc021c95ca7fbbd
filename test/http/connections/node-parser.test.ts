/** Node's parser is stopped within a read, and serves the next connection as before. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import t from 'tap'
import { ignoreRest } from '../../../src/http/connections/node-parser.ts'

const HEAD = 'POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n'
const CHUNKS = '1\r\n[\r\n'.repeat(5_000)

t.test('what follows that point is not parsed, and the next connection is', async (t) => {
  let isDeaf = true
  const seen = { requests: 0, parts: 0, bytes: 0 }
  const server = createServer((request: IncomingMessage, response) => {
    seen.requests++
    request.on('data', (chunk: Buffer) => {
      seen.parts++
      seen.bytes += chunk.length
      if (!isDeaf || seen.parts !== 10) return
      ignoreRest(request.socket)
      setImmediate(() => request.socket.destroy())
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
