import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { request } from 'undici'
import { Replier, type ReplyOptions } from '../../../src/http/reply/reply.ts'
import { negotiate, Representation } from '../../../src/http/reply/representation.ts'
import { get } from '../../../src/http/route.ts'
import { createGatewayServer } from '../../../src/http/server.ts'
import { CLOCK } from '../../../src/runtime/clock.ts'
import { OPEN_ACCOUNTS } from '../../fixtures/accounts.ts'
import { cpuTimer, leastMs } from '../../fixtures/cpu.ts'
import { NO_DESCRIPTION } from '../../fixtures/description.ts'
import fc from '../../fixtures/fast-check.ts'

const BODY = Buffer.from(JSON.stringify({ names: Array.from({ length: 500 }, (_, i) => `token ${i} ✓`) }))

const DECODERS = {
  identity: (bytes: Buffer) => bytes,
  gzip: (bytes: Buffer) => gunzipSync(bytes),
  br: (bytes: Buffer) => brotliDecompressSync(bytes),
}
type Coding = keyof typeof DECODERS

async function serve(t: Test, options: Partial<ReplyOptions> = {}) {
  const representation = await Representation.of(BODY)
  const replies: { status: number; bytes: number }[] = []
  const replier = new Replier({
    mode: 'live',
    corsOrigins: '*',
    onReply: (_exchange, status, bytes) => void replies.push({ status, bytes }),
    ...options,
  })
  const route = get({
    path: '/list',
    input: Type.Object({}),
    budgets: [],
    description: NO_DESCRIPTION,
    handle: () => representation,
  })
  const server = createGatewayServer({
    routes: [route],
    replier,
    accounts: OPEN_ACCOUNTS,
    onClosed: () => {},
    clock: CLOCK,
    onFault: (error) => t.fail(String(error)),
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const ask = async (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') => {
    const reply = await request(`http://127.0.0.1:${port}/list`, { method, headers })
    const bytes = Buffer.from(await reply.body.arrayBuffer())
    return { status: reply.statusCode, headers: reply.headers, bytes }
  }
  return { ask, replies }
}

t.test('a coding is chosen by its weight, then by how small it is', async (t) => {
  const cases: [accepted: string, coding: Coding][] = [
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0.001, gzip;q=0', 'br'],
    ['GZip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip ; q=1.000', 'gzip'],
    ['gzip;Q=0.5', 'gzip'],
    ['identity', 'identity'],
    ['identity, gzip;q=0.5', 'identity'],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0.1, gzip;q=0.5', 'gzip'],
    ['*', 'br'],
    ['*;q=0.1, gzip', 'gzip'],
    ['*, br;q=0', 'gzip'],
    ['*, br;q=0, gzip;q=0', 'identity'],
    ['', 'identity'],
    ['deflate, zstd', 'identity'],
    ['gzip;q=0', 'identity'],
    ['gzip;q=1.5', 'identity'],
    ['gzip;q=x', 'identity'],
    ['gzip;q=-1', 'identity'],
    ['gzip q=1', 'identity'],
    [';q=1,,,gzip', 'gzip'],
    // Nothing that is at hand is accepted: the plain bytes go out all the same.
    ['identity;q=0', 'identity'],
    ['*;q=0', 'identity'],
    ['deflate, identity;q=0', 'identity'],
    // Here there is something else.
    ['gzip;q=0.001, identity;q=0', 'gzip'],
    ['*, identity;q=0', 'br'],
  ]
  for (const [accepted, coding] of cases) t.equal(negotiate(accepted), coding, accepted)
})

t.test(
  'no header makes it fail, and what is refused is not chosen while something else is welcome',
  async () => {
    const coding = fc.constantFrom('br', 'gzip', 'identity')
    const weight = fc.integer({ min: 0, max: 1000 })
    fc.assert(fc.property(fc.string(), (text) => ['br', 'gzip', 'identity'].includes(negotiate(text))))
    fc.assert(
      fc.property(fc.dictionary(coding, weight), (weights) => {
        const header = Object.entries(weights)
          .map(([name, q]) => `${name};q=${q / 1000}`)
          .join(', ')
        const best = Math.max(0, ...Object.values(weights))
        const chosen = negotiate(header)
        return best === 0 ? chosen === 'identity' : weights[chosen] === best
      }),
    )
  },
)

t.test('a header as long as may be sent is read in no time', async (t) => {
  const cpuMsOf = cpuTimer(t)
  for (const header of [`br${' '.repeat(16_000)}x`, `br;${' '.repeat(16_000)}x`, 'a,'.repeat(8_000)]) {
    const tookMs = await leastMs(20, 3, () => cpuMsOf(() => negotiate(header)))
    t.ok(tookMs <= 20, `${tookMs} ms of a processor`)
  }
})

t.test('serves the same bytes in each coding, with a strong tag of its own', async (t) => {
  const { ask, replies } = await serve(t)
  const tags = new Set<unknown>()
  for (const [coding, decode] of Object.entries(DECODERS)) {
    const { status, headers, bytes } = await ask({ 'accept-encoding': coding })
    t.equal(status, 200)
    t.equal(headers['content-encoding'], coding === 'identity' ? undefined : coding)
    t.ok(decode(bytes).equals(BODY), coding)
    t.ok(coding === 'identity' || bytes.length < BODY.length / 2, `${coding}: ${bytes.length}`)
    t.equal(headers['content-length'], String(bytes.length))
    t.equal(headers.vary, 'Accept-Encoding')
    t.equal(headers['cache-control'], 'no-store')
    t.match(headers.etag, /^"[A-Za-z0-9_-]{12}(-gzip|-br)?"$/)
    t.match(replies.at(-1), { status: 200, bytes: bytes.length })
    tags.add(headers.etag)
  }
  t.equal(tags.size, 3)
  const { headers, bytes } = await ask()
  t.ok(bytes.equals(BODY), 'plain where nothing is asked for')
  t.equal(headers['content-encoding'], undefined)
  t.ok(tags.has(headers.etag))
})

t.test('the tag follows the bytes', async (t) => {
  const tag = async (text: string) => (await Representation.of(Buffer.from(text))).select({}).etag
  t.equal(await tag('{"a":1}'), await tag('{"a":1}'))
  t.not(await tag('{"a":1}'), await tag('{"a":2}'))
})

t.test('a client that already has the bytes gets a 304', async (t) => {
  const { ask, replies } = await serve(t)
  const { etag } = (await ask()).headers
  const { etag: gzipped } = (await ask({ 'accept-encoding': 'gzip' })).headers
  const cases: [sent: string, status: number, coding?: string][] = [
    [`${etag}`, 304],
    [`W/${etag}`, 304],
    [`"other", ${etag}`, 304],
    [`"a,b" , W/${etag}, "c"`, 304],
    ['*', 304],
    [' * ', 304],
    [`${gzipped}`, 304, 'gzip'],
    [`${gzipped}`, 200],
    [`${etag}`, 200, 'gzip'],
    ['"other"', 200],
    ['W/"other"', 200],
    ['', 200],
    [String(etag).slice(1, -1), 200],
    [`"x${String(etag).slice(1)}`, 200],
  ]
  for (const [sent, status, coding = 'identity'] of cases) {
    const reply = await ask({ 'if-none-match': sent, 'accept-encoding': coding })
    t.equal(reply.status, status, `${sent} ${coding}`)
    t.equal(replies.at(-1)!.status, status)
    if (status === 200) continue
    t.equal(reply.bytes.length, 0)
    t.match(reply.headers, { vary: 'Accept-Encoding', 'cache-control': 'no-store' })
    t.equal(reply.headers.etag, coding === 'gzip' ? gzipped : etag)
    for (const absent of ['content-length', 'content-encoding', 'transfer-encoding']) {
      t.notOk(absent in reply.headers, absent)
    }
  }
})

t.test('HEAD has the headers of GET', async (t) => {
  const { ask } = await serve(t)
  for (const coding of ['identity', 'gzip', 'br']) {
    const [got, head] = [
      await ask({ 'accept-encoding': coding }),
      await ask({ 'accept-encoding': coding }, 'HEAD'),
    ]
    t.equal(head.status, 200)
    t.equal(head.bytes.length, 0)
    for (const name of ['etag', 'content-length', 'content-encoding', 'vary']) {
      t.equal(head.headers[name], got.headers[name], `${coding} ${name}`)
    }
  }
  const { etag } = (await ask()).headers
  t.equal((await ask({ 'if-none-match': String(etag) }, 'HEAD')).status, 304)
})

t.test('Vary names both where origins are listed', async (t) => {
  const { ask } = await serve(t, { corsOrigins: ['https://a.example'] })
  const varies = async (headers: Record<string, string>) => {
    const { vary } = (await ask(headers)).headers
    return [vary].flat().join(', ').split(', ').sort()
  }
  t.same(await varies({ origin: 'https://a.example' }), ['Accept-Encoding', 'Origin'])
  t.same(await varies({ 'if-none-match': '*' }), ['Accept-Encoding', 'Origin'])
})
