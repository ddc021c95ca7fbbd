import t from 'tap'
import { pathParameters, Router } from '../../src/http/router.ts'

const route = (method: 'GET' | 'POST', path: string) => ({ method, path })

const routes = [
  route('GET', '/api/chains'),
  route('POST', '/api/build'),
  route('GET', '/api/both'),
  route('POST', '/api/both'),
  route('GET', '/api/token/{chain}/{address}'),
  route('GET', '/api/token/{chain}/latest'),
  route('GET', '/api/discover/{operation}'),
  route('GET', '/api/discover/feed'),
]

t.test('finds the route of a path, a literal before a parameter', async (t) => {
  const router = new Router(routes)
  const cases: [path: string, pattern: string | null, values: string[]][] = [
    ['/api/chains', '/api/chains', []],
    ['/api/token/base/0x1', '/api/token/{chain}/{address}', ['base', '0x1']],
    ['/api/token/base/%2F', '/api/token/{chain}/{address}', ['base', '%2F']],
    ['/api/token/base/latest', '/api/token/{chain}/latest', ['base']],
    ['/api/discover/feed', '/api/discover/feed', []],
    ['/api/discover/other', '/api/discover/{operation}', ['other']],
    ['/api/chains/', null, []],
    ['/api/Chains', null, []],
    ['/api', null, []],
    ['/', null, []],
    ['', null, []],
    ['*', null, []],
    ['xapi/token/base/0x1', null, []],
    ['/api/discover/other/', null, []],
    ['/api/token/base', null, []],
    ['/api/token/base/', null, []],
    ['/api/token//0x1', null, []],
    ['/api/token/base/0x1/x', null, []],
    ['/__proto__', null, []],
    ['/api/token/constructor/__proto__', '/api/token/{chain}/{address}', ['constructor', '__proto__']],
  ]
  for (const [path, pattern, expected] of cases) {
    const values: string[] = []
    const endpoint = router.match(path, values)
    t.equal((endpoint?.get ?? endpoint?.post)?.path ?? null, pattern, path)
    if (pattern !== null) t.same(values, expected, path)
  }
})

t.test('says what a path takes', async (t) => {
  const router = new Router(routes)
  t.equal(router.match('/api/chains', [])?.allow, 'GET, HEAD, OPTIONS')
  t.equal(router.match('/api/build', [])?.allow, 'POST, OPTIONS')
  t.equal(router.match('/api/both', [])?.allow, 'GET, HEAD, POST, OPTIONS')
  t.equal(router.match('/api/chains', [])?.post, null)
  for (const path of ['/a', '/a/{b}']) {
    for (const both of [
      [route('GET', path), route('POST', path)],
      [route('POST', path), route('GET', path)],
    ]) {
      const endpoint = new Router(both).match(path, [])
      t.same([endpoint?.get?.method, endpoint?.post?.method], ['GET', 'POST'], 'in any order')
      t.equal(endpoint?.allow, 'GET, HEAD, POST, OPTIONS')
      for (const again of both) t.throws(() => new Router([...both, again]), TypeError)
    }
  }
})

t.test('a table that cannot work stops the process at start-up', async (t) => {
  t.throws(() => new Router([route('GET', '/a'), route('GET', '/a')]), TypeError)
  t.throws(() => new Router([route('GET', '/a/{b}'), route('GET', '/a/{c}')]), TypeError)
  t.throws(() => new Router([route('GET', 'a')]), TypeError)
})

t.test('names the parameters of a path', async (t) => {
  t.same(pathParameters('/api/token/{chain}/{address}'), ['chain', 'address'])
  t.same(pathParameters('/api/chains'), [])
  t.same(pathParameters('/{a/b}/{c}d/e{f}'), [], 'a whole segment or none')
})

t.test('names the path that one was probably meant to be', (t) => {
  const router = new Router([...routes, route('GET', '/api/quote'), route('GET', '/api/v2quote')])
  const cases: [path: string, meant: string | null][] = [
    ['/api/qoute', '/api/quote'],
    ['/api/Quote', '/api/quote'],
    ['/api/quote/', '/api/quote'],
    ['/api/tokn/base/0x1', '/api/token/{chain}/{address}'],
    ['/api/tokens/base/0x1', '/api/token/{chain}/{address}'],
    ['/wp-login.php', null],
    ['/', null],
    ['*', null],
    ['', null],
    [`/api/quote${'x'.repeat(118)}`, null],
    ['/'.repeat(128), null],
    ['/'.repeat(8_000), null],
  ]
  for (const [path, meant] of cases) t.equal(router.nearest(path), meant, path.slice(0, 40))
  t.end()
})
