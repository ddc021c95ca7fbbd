/** Bodies that are refused cost the client who sent them, and nobody else. */
import t from 'tap'
import { listen, post } from '../fixtures/gateway.ts'
import { raw, rawBytes } from '../fixtures/raw.ts'

const GOOD = '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":[]}'
const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address })
const codeOf = async (response: Response): Promise<[number, unknown]> => {
  const { code, budget } = (await response.json()) as { code?: string; budget?: string }
  return [response.status, budget ?? code]
}

t.test('each way in which a body is refused is counted, and what a budget paid for is not', async (t) => {
  const cases: [name: string, path: string, body: string, headers: Record<string, string>, status: number][] =
    [
      ['not JSON', '/api/solrpc', '{', {}, 400],
      ['too deep', '/api/solrpc', `${'['.repeat(600)}${']'.repeat(600)}`, {}, 400],
      ['too many values', '/api/build', `[${'0,'.repeat(50_000)}0]`, {}, 400],
      ['refused by its schema', '/api/solrpc', '{}', {}, 400],
      ['refused by its route', '/api/solrpc', GOOD.replace('[]', '[7]'), {}, 400],
      ['not JSON by its type', '/api/solrpc', GOOD, { 'content-type': 'text/plain' }, 415],
      ['too long', '/api/build', 'x'.repeat(262_145), {}, 413],
      ['no such path', '/api/nothing', GOOD, {}, 404],
      ['no POST here', '/api/chains', GOOD, {}, 405],
    ]
  for (const [index, [name, path, body, headers, status]] of cases.entries()) {
    const gateway = await listen(t, { LIMITS: 'refused=1/off' })
    const client = from(`203.0.113.${index}`)
    const type = { 'content-type': 'application/json', ...headers }
    const first = await fetch(gateway.url + path, { method: 'POST', body, headers: { ...type, ...client } })
    t.equal(first.status, status, name)
    t.same(await codeOf(await post(gateway.url, GOOD, client)), [429, 'refused-client'], name)
    t.equal((await post(gateway.url, GOOD, from('198.51.100.1'))).status, 200, 'others are untouched')
    t.equal((await fetch(`${gateway.url}/api/chains`, { headers: client })).status, 200, 'GET has no body')
  }
  const paid = await listen(t, { LIMITS: 'refused=1/off,rpcRead=2/2' })
  for (const status of [200, 200, 429, 429, 429]) t.equal((await post(paid.url, GOOD)).status, status)
  const refusal = await post(paid.url, GOOD)
  t.same(await codeOf(refusal), [429, 'rpcRead-client'], 'a client that is too early is refused each time')
})

t.test('length counts too, and a body that would not be paid for is refused before it is read', async (t) => {
  const { url } = await listen(t, { LIMITS: 'refused=20/off' })
  const head = (path: string, framing: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: h\r\n${framing}\r\n\r\n`
  const sized = (length: number): string => head('/api/build', `Content-Length: ${length}`)
  const first = await raw(
    url,
    `${sized(204_800).trimEnd()}\r\nConnection: close\r\n\r\n`,
    'x'.repeat(204_800),
  )
  t.equal(first.status, 400, 'ten of the twenty units')

  // Nothing of these bodies is ever sent: the server answers, and closes, without them.
  for (const request of [sized(262_144), head('/api/build', 'Transfer-Encoding: chunked')]) {
    const refused = await raw(url, request)
    t.equal(refused.status, 429)
    t.equal(refused.headers.connection, 'close')
    t.match(refused.headers['retry-after'], /^[1-9]\d?$/)
    t.match(refused.headers.ratelimit, /^"refused-client";r=10;t=/)
    t.match(JSON.parse(refused.body), { code: 'budget_exhausted', budget: 'refused-client', scope: 'limit' })
  }
  const asked = await rawBytes(url, head('/api/build', 'Content-Length: 262144\r\nExpect: 100-continue'))
  t.match(asked, /^HTTP\/1\.1 429 /, 'who asks whether to go on is not told to')

  t.equal((await post(url, GOOD)).status, 200, 'what there is room for is read')
  const chunks = `${GOOD.length.toString(16)}\r\n${GOOD}\r\n0\r\n\r\n`
  const chunked = head('/api/solrpc', 'Connection: close\r\nTransfer-Encoding: chunked')
  t.equal((await raw(url, chunked, chunks)).status, 200)
})

t.test('a client that sends Expect gets 100 Continue', async (t) => {
  const { url } = await listen(t)
  const length = Buffer.byteLength(GOOD)
  const head = `POST /api/solrpc HTTP/1.1\r\nHost: h\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`
  t.match(await rawBytes(url, head, GOOD), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
})

t.test('an unread body is not read to the end', async (t) => {
  const { url } = await listen(t)
  for (const [method, path, status] of [
    ['GET', '/api/chains', 200],
    ['POST', '/api/nothing', 404],
    ['DELETE', '/api/chains', 405],
  ] as const) {
    for (const framing of ['Content-Length: 1000000000', 'Transfer-Encoding: chunked']) {
      const reply = await raw(url, `${method} ${path} HTTP/1.1\r\nHost: h\r\n${framing}\r\n\r\n`)
      t.equal(reply.status, status, `${method} ${framing}`)
      t.equal(reply.headers.connection, 'close')
    }
  }
})

t.test('a client that floods the service with refused bodies only affects itself', async (t) => {
  const { url } = await listen(t)
  const body = `[${'{},'.repeat(340_000)}0]`
  const headers = { ...from('203.0.113.9'), 'content-type': 'application/json' }
  const statuses: number[] = []
  const attack = async (): Promise<void> => {
    for (let i = 0; i < 10; i++) {
      const response = await fetch(`${url}/api/build`, { method: 'POST', body, headers })
      await response.text()
      statuses.push(response.status)
    }
  }
  const attackers = Promise.allSettled(Array.from({ length: 4 }, attack))
  for (let i = 0; i < 40; i++) {
    const response = await fetch(`${url}/api/chains`, { headers: from('198.51.100.1') })
    t.equal(response.status, 200)
    await response.text()
    t.equal((await post(url, GOOD, from('198.51.100.1'))).status, 200)
  }
  await attackers
  const read = statuses.filter((status) => status === 413)
  t.ok(read.length <= 4 + 3, 'as many as its window pays for, and those under way with the last')
  t.ok(statuses.every((status) => status === 413 || status === 429))
})
