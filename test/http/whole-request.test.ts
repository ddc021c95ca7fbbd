/** Bytes are read as a request only where they are one whole request, and as node reads it. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { readWhole, type WholeRequest } from '../../src/http/whole-request.ts'

const NO_SOCKET = {} as Socket
const read = (text: string): WholeRequest | null => readWhole(Buffer.from(text, 'latin1'), NO_SOCKET)

t.test('a request with its fields and its body', async (t) => {
  const request = read(
    'POST /a?b=c HTTP/1.1\r\nHost: h\r\nX-Forwarded-For:\t1.2.3.4, 5.6.7.8 \r\nEmpty:\r\ncontent-length: 3\r\nConnection: Keep-Alive\r\n\r\n[1]',
  )!
  t.equal(request.method, 'POST')
  t.equal(request.url, '/a?b=c')
  t.same(
    { ...request.headers },
    {
      host: 'h',
      'x-forwarded-for': '1.2.3.4, 5.6.7.8',
      empty: '',
      'content-length': '3',
      connection: 'Keep-Alive',
    },
  )
  t.equal(request.body.toString(), '[1]')
  t.equal(request.socket, NO_SOCKET)
  t.equal(read('GET / HTTP/1.1\r\nHost: h\r\n\r\n')!.body.length, 0)
})

const GET = 'GET / HTTP/1.1\r\nHost: h\r\n'
const POST = 'POST / HTTP/1.1\r\nHost: h\r\n'

t.test('what is left to node', async (t) => {
  const left: Record<string, string> = {
    nothing: '',
    'a part of a head': GET,
    'a blank line before it': `\r\n${GET}\r\n`,
    'bytes behind it': `${GET}\r\n `,
    'two requests': `${GET}\r\n${GET}\r\n`,
    'a short body': `${POST}Content-Length: 3\r\n\r\n[1`,
    'a long body': `${POST}Content-Length: 3\r\n\r\n[1] `,
    'a GET with a length': `${GET}Content-Length: 0\r\n\r\n`,
    'a POST without one': `${POST}\r\n`,
    'two lengths': `${POST}Content-Length: 3\r\nContent-Length: 3\r\n\r\n[1]`,
    'a length with a sign': `${POST}Content-Length: +3\r\n\r\n[1]`,
    'a length in hex': `${POST}Content-Length: 0x3\r\n\r\n[1]`,
    'two lengths in one': `${POST}Content-Length: 3, 3\r\n\r\n[1]`,
    'no length': `${POST}Content-Length:\r\n\r\n`,
    'a space before the colon': `${POST}Content-Length : 3\r\n\r\n[1]`,
    chunks: `${POST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'chunks and a length': `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'a coding in a folded line': `${GET}X: a\r\n Transfer-Encoding: chunked\r\n\r\n`,
    'a bare LF': `${GET}X: a\nTransfer-Encoding: chunked\r\n\r\n`,
    'a bare CR': `${GET}X: a\rTransfer-Encoding: chunked\r\n\r\n`,
    'lines that end with LF': 'GET / HTTP/1.1\nHost: h\n\n',
    'a zero byte': `${GET}X: \0\r\n\r\n`,
    'a byte that is no ASCII': `${GET}X: \x80\r\n\r\n`,
    'no host': 'GET / HTTP/1.1\r\nX: h\r\n\r\n',
    'two hosts': `${GET}host: h\r\n\r\n`,
    'no field': 'GET / HTTP/1.1\r\n\r\n',
    'a name without a colon': `${GET}X\r\n\r\n`,
    'no name': `${GET}: x\r\n\r\n`,
    'HTTP/1.0': 'GET / HTTP/1.0\r\nHost: h\r\n\r\n',
    'HTTP/2': 'GET / HTTP/2.0\r\nHost: h\r\n\r\n',
    'another method': 'HEAD / HTTP/1.1\r\nHost: h\r\n\r\n',
    'a method in lower case': 'get / HTTP/1.1\r\nHost: h\r\n\r\n',
    'an absolute target': 'GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n',
    'a space in the target': 'GET /a b HTTP/1.1\r\nHost: h\r\n\r\n',
    'two spaces': 'GET /  HTTP/1.1\r\nHost: h\r\n\r\n',
    'its last request': `${GET}Connection: close\r\n\r\n`,
    'a list of options': `${GET}Connection: keep-alive, close\r\n\r\n`,
    'an upgrade': `${GET}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    'an offer alone': `${GET}Upgrade: h2c\r\n\r\n`,
    'an expectation': `${POST}Expect: 100-continue\r\nContent-Length: 0\r\n\r\n`,
    'a field that node takes for Connection': `${GET}Proxy-Connection: close\r\n\r\n`,
    'a trailer': `${GET}Trailer: X\r\n\r\n`,
    'a field twice': `${GET}X-Forwarded-For: 1.2.3.4\r\nx-forwarded-for: 5.6.7.8\r\n\r\n`,
    'the prototype twice': `${GET}__proto__: a\r\n__proto__: b\r\n\r\n`,
  }
  for (const [name, text] of Object.entries(left)) t.equal(read(text), null, name)
})

/** What node's parser makes of bytes: its requests with their bodies, and whether it is between two messages then. */
async function startNode(t: Test) {
  let requests: { readonly request: IncomingMessage; readonly body: string }[] = []
  const server = createServer(async (request, response) => {
    const read: { readonly request: IncomingMessage; body: string } = { request, body: '' }
    requests.push(read)
    for await (const part of request.setEncoding('latin1')) read.body += part
    response.end()
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return async (text: string) => {
    requests = []
    const socket = connect(port, '127.0.0.1')
    socket.end(Buffer.from(`${text}GET /end HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`, 'latin1'))
    socket.resume()
    await once(socket, 'close')
    return requests
  }
}

t.test('what is read is what node reads, to its last byte', async (t) => {
  const parse = await startNode(t)
  const token = fc.constantFrom(
    'Host',
    'X-Forwarded-For',
    'Content-Length',
    'content-length',
    'Cookie',
    'X!#$%&',
    'Connection',
    'Origin',
    'Te',
    'Transfer-Encoding',
    'X\n',
    'Content-Length ',
  )
  const value = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        'h',
        '3',
        '0',
        'keep-alive',
        'chunked',
        '',
        ' 1.2.3.4\t',
        'a\r\n b',
        'ü',
        '\x7f',
      ),
    },
    { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
  )
  const field = fc
    .tuple(token, fc.constantFrom(': ', ':', ':\t', ' : '), value)
    .map((parts) => parts.join(''))
  const line = fc.constantFrom(
    'GET / HTTP/1.1',
    'POST /a?b HTTP/1.1',
    'GET /%20?#f HTTP/1.1',
    'PUT / HTTP/1.1',
  )
  const usual = fc.constantFrom(['Host: h'], ['Host: h', 'Content-Length: 3'])
  const request = fc
    .tuple(
      line,
      usual,
      fc.oneof(fc.constant([]), fc.array(field, { maxLength: 2 })),
      fc.constantFrom('', '', '[1]', '[1]', '0\r\n\r\n', 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'),
    )
    .map(([line, fields, others, body]) => `${[line, ...fields, ...others].join('\r\n')}\r\n\r\n${body}`)
  let whole = 0
  await fc.assert(
    fc.asyncProperty(request, async (text) => {
      const ours = read(text)
      if (ours === null) return
      whole++
      const [first, last, ...more] = await parse(text)
      t.equal(more.length, 0)
      t.equal(last?.request.url, '/end', text)
      const { request: theirs, body } = first!
      t.equal(ours.method, theirs.method)
      t.equal(ours.url, theirs.url)
      t.equal(ours.body.toString('latin1'), body)
      for (const [name, value] of Object.entries(ours.headers)) t.equal(value, theirs.headers[name], name)
      t.equal(Object.keys(ours.headers).length, theirs.rawHeaders.length / 2)
    }),
    { numRuns: 5_000 },
  )
  t.ok(whole > 50, `${whole} were whole`)
})
