import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { checkAnswer, load, repeated, requestBytes } from '../../../bench/load/load.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

async function serve(t: Test, handler: Handler) {
  const server: Server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, pid: process.pid, stop: async () => {} }
}

const write = (response: ServerResponse, body: string): void => {
  response.writeHead(200, { 'content-length': body.length }).end(body)
}

t.test('it sends requests at the given rate, from one client or from fifty', async (t) => {
  const addresses = new Set<string>()
  let requests = 0
  const server = await serve(t, ({ socket }, response) => {
    requests++
    addresses.add(socket.remoteAddress!)
    write(response, 'yes')
  })
  const target = repeated('server', server, '/', null, 'yes')
  const one = await load(target, { amount: 120 })
  t.equal(requests, 120)
  t.equal(one.requests, 120)
  t.ok(one.cpuUs > 0)
  t.same([...addresses], ['127.0.0.1'])
  addresses.clear()
  await load(target, { amount: 120 }, 'many clients')
  t.equal(requests, 240)
  t.equal(addresses.size, 50)
})

t.test('a POST arrives whole, and an answer in pieces is read whole', async (t) => {
  const server = await serve(t, (request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      response.writeHead(200, { 'content-length': body.length })
      response.write(body.slice(0, 3))
      setImmediate(() => response.end(body.slice(3)))
    })
  })
  const headers = await checkAnswer(repeated('echo', server, '/echo', '{"a":1}', '{"a":1}'))
  t.equal(headers, 4) // its length, Date, Connection, Keep-Alive
  t.match(requestBytes('/echo', '{"a":1}').toString(), /^POST \/echo HTTP\/1\.1\r\n[\s\S]*\r\n\r\n\{"a":1\}$/)
})

t.test('an unexpected answer ends the run', async (t) => {
  let count = 0
  const server = await serve(t, (_request, response) => write(response, ++count === 60 ? 'no!' : 'yes'))
  await t.rejects(
    load(repeated('server', server, '/', null, 'yes'), { amount: 200 }),
    /unexpected answer: no!/,
  )
})

t.test('so does another status, and a connection that ends', async (t) => {
  const busy = await serve(t, (_request, response) => response.writeHead(503).end())
  await t.rejects(load(repeated('server', busy, '/', null, ''), { amount: 1 }), /HTTP\/1\.1 503/)
  const gone = await serve(t, ({ socket }) => socket.destroy())
  await t.rejects(load(repeated('server', gone, '/', null, ''), { amount: 1 }), /closed a connection/)
})
