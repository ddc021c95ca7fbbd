import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { request } from 'undici'
import { CHAINS } from '../../src/chains/chains.ts'
import { BOOK_NAMES } from '../../src/research/list/books.ts'
import { CLOCK, type Clock } from '../../src/runtime/clock.ts'
import { ErrorBody } from '../../src/runtime/resources/error.ts'
import { TokenList } from '../../src/runtime/resources/tokens.ts'
import { Check } from '../fixtures/check.ts'
import { clockOf } from '../fixtures/clock.ts'
import { listen } from '../fixtures/gateway.ts'

const read = async (url: string, query = ''): Promise<TokenList> => {
  const response = await fetch(`${url}/api/tokens${query}`)
  const value = await response.json()
  t.equal(response.status, 200, query)
  t.ok(Check(TokenList, value), query)
  return value as TokenList
}

t.test('lists every chain, in books, and is not to be stored', async (t) => {
  const { url } = await listen(t)
  const response = await fetch(`${url}/api/tokens`)
  t.equal(response.headers.get('cache-control'), 'no-store')
  t.equal(response.headers.get('vary'), 'Accept-Encoding')
  t.equal(response.headers.get('ratelimit'), null, 'no budget is spent')
  const list = (await response.json()) as TokenList
  t.ok(Check(TokenList, list))
  t.same([...new Set(list.tokens.map(({ chain }) => chain))].sort(), CHAINS.map(({ key }) => key).sort())
  t.same(
    list.books.map(({ book }) => book),
    BOOK_NAMES,
  )
  const names = new Set<unknown>(list.books.map(({ book }) => book))
  t.ok(list.tokens.every(({ book }) => names.has(book)))
  for (const { book, count } of list.books) {
    t.equal(list.tokens.filter((row) => row.book === book).length, count, book)
  }
  const ids = new Set(list.tokens.map(({ chain, address }) => `${chain} ${address}`))
  t.equal(ids.size, list.tokens.length)
})

t.test('scopes and gated rows are asked for by parameters', async (t) => {
  const { url } = await listen(t)
  const whole = await read(url)
  for (const key of ['base', 'solana', 'ton']) {
    const { tokens } = await read(url, `?scope=${key}`)
    t.same(
      tokens,
      whole.tokens.filter(({ chain }) => chain === key),
      key,
    )
  }
  for (const name of BOOK_NAMES) {
    const { tokens } = await read(url, `?scope=${name}`)
    t.same(
      tokens,
      whole.tokens.filter(({ book }) => book === name),
      name,
    )
  }
  const all = await read(url, '?all=true')
  t.equal(all.tokens.length, whole.tokens.length + all.gated!)
  t.equal(all.tokens.filter(({ gate }) => gate !== undefined).length, all.gated)
  const spam = all.tokens.filter(({ symbol }) => symbol === 'SPAM')
  t.match(
    spam,
    [{ gate: [{ rule: 'false_price' }] }, { gate: [{ rule: 'false_price' }] }],
    'from the first list on',
  )
  t.same((await read(url, '?all=false&unknown=1')).tokens, whole.tokens)
})

t.test('another scope, or another truth value, is refused with what is accepted', async (t) => {
  const { url } = await listen(t)
  const cases: [query: string, field: string, message: RegExp][] = [
    ['scope=sEcReT', 'scope', /`scope` must be one of operator, majors, .* base,/],
    ['scope=', 'scope', /must be one of/],
    ['scope=Base', 'scope', /must be one of/],
    ['scope=base,solana', 'scope', /must be one of/],
    ['scope=base&scope=solana', 'scope', /more than once/],
    ['all=sEcReT', 'all', /`all` must be true or false/],
    ['all=', 'all', /true or false/],
    ['all=true&all=true', 'all', /more than once/],
  ]
  for (const [query, field, message] of cases) {
    const response = await fetch(`${url}/api/tokens?${query}`)
    const error = (await response.json()) as Record<string, unknown>
    t.equal(response.status, 400, query)
    t.ok(Check(ErrorBody, error))
    t.match(error, { error: message, field })
    t.notMatch(error.error, 'sEcReT')
  }
})

t.test('a client that has the list gets a 304, in any coding', async (t) => {
  // The clock stands still, so that the list is not rebuilt in between.
  const { url } = await listen(t, {}, { clock: clockOf({ now: () => 1 }) })
  const bodies = new Set<string>()
  for (const coding of ['identity', 'gzip', 'br']) {
    const headers = { 'accept-encoding': coding }
    const first = await request(`${url}/api/tokens`, { headers })
    t.equal(first.headers['content-encoding'] ?? 'identity', coding)
    await first.body.dump()
    const again = await request(`${url}/api/tokens`, {
      headers: { ...headers, 'if-none-match': String(first.headers.etag) },
    })
    t.equal(again.statusCode, 304)
    t.equal(again.headers['cache-control'], 'no-store')
    t.equal(await again.body.text(), '')
    bodies.add(await (await fetch(`${url}/api/tokens`, { headers })).text())
  }
  t.equal(bodies.size, 1)
})

t.test('whichever page may read the list may read its 304 and its tag too', async (t) => {
  const origin = 'https://a.example'
  const { url } = await listen(t, { CORS_ORIGINS: origin }, { clock: clockOf({ now: () => 1 }) })
  const { etag } = (await request(`${url}/api/tokens`)).headers
  for (const [sent, status] of [
    [String(etag), 304],
    ['"another"', 200],
  ] as const) {
    const reply = await request(`${url}/api/tokens`, { headers: { origin, 'if-none-match': sent } })
    await reply.body.dump()
    t.equal(reply.statusCode, status)
    t.match(reply.headers, {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': /ETag/,
      vary: ['Origin', 'Accept-Encoding'],
      etag,
    })
  }
})

t.test('HEAD of tokens, profiles and portfolios has the headers of GET', async (t) => {
  const { url } = await listen(t, {}, { clock: clockOf({ now: () => 1 }) })
  const wallet = `0x${'0'.repeat(40)}`
  const paths: [path: string, status: number][] = [
    ['/api/tokens', 200],
    ['/api/tokens?scope=base&all=true', 200],
    ['/api/tokens?scope=nowhere', 400],
    ['/api/token/base/0x532f27101965dd16442E59d40670FaF5eBB142E4', 200],
    ['/api/token/base/0x2222222222222222222222222222222222222222', 404],
    [`/api/portfolio?address=${wallet}&chains=gnosis`, 200],
    ['/api/portfolio', 400],
  ]
  for (const [path, status] of paths) {
    const got = await request(url + path)
    const length = Buffer.byteLength(await got.body.text())
    const head = await request(url + path, { method: 'HEAD' })
    t.equal(await head.body.text(), '', path)
    t.same([got.statusCode, head.statusCode], [status, status], path)
    t.equal(head.headers['content-length'], String(length), path)
    for (const name of ['cache-control', 'content-type', 'etag', 'ratelimit']) {
      t.equal(head.headers[name], got.headers[name], `${path} ${name}`)
    }
    t.equal(head.headers['cache-control'], 'no-store')
  }
})

t.test("the operator's tokens are in it, and those of a new file after the next rebuild", async (t) => {
  const path = join(t.testdir(), 'tokens.json')
  const write = (...tokens: unknown[]) => writeFileSync(path, JSON.stringify({ tokens }))
  const one = { chain: 'base', address: '0x1111111111111111111111111111111111111111', symbol: 'ONE' }
  const two = { chain: 'solana', address: 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN', symbol: 'TWO' }
  write(one)
  let now = 1
  // The list looks each second whether a rebuild is due.
  const after: Clock['after'] = (ms, run) => CLOCK.after(ms === 1_000 ? 20 : ms, run)
  const gateway = await listen(t, { TOKENS_FILE: path }, { clock: clockOf({ now: () => now, after }) })
  const own = async () => (await read(gateway.url, '?scope=operator')).tokens.map(({ symbol }) => symbol)
  t.same(await own(), ['ONE'])
  write(one, two)
  await gateway.reload()
  t.same(await own(), ['ONE'])
  now += 10_000
  while ((await own()).length === 1);
  t.same(await own(), ['ONE', 'TWO'])
  write(one, {})
  await gateway.reload()
  t.match(
    gateway.log.find(({ level }) => level === 50),
    { why: /`file\.tokens\[1\]\.chain` is required/ },
  )
  t.same(await own(), ['ONE', 'TWO'])
})
