import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { faultOfHead, requestId, targetOf } from '../../../src/http/request/head.ts'

/** A request with these header lines. */
function requestWith(
  lines: readonly (readonly [name: string, value: string])[],
  httpVersionMinor = 1,
): IncomingMessage {
  const headers = Object.fromEntries(lines.map(([name, value]) => [name.toLowerCase(), value]))
  return { rawHeaders: lines.flat(), headers, httpVersionMinor } as unknown as IncomingMessage
}
const HOST = ['Host', 'h'] as const

t.test('a target has 8,192 bytes at most, without the origin of an absolute one', async (t) => {
  const target = (url: string) => targetOf({ url } as IncomingMessage)
  const longest = `/${'a'.repeat(8_191)}`
  t.equal(target(longest), longest)
  t.throws(() => target(`${longest}a`), { code: 'uri_too_long', status: 414 })
  t.equal(target(`http://${'h'.repeat(300)}${longest}`), longest)
  t.throws(() => target(`http://h${longest}a`), { code: 'uri_too_long' })
})

t.test('the target of an absolute form is its path and query', async (t) => {
  const cases: [url: string, target: string][] = [
    ['/a?b=c', '/a?b=c'],
    ['//a', '//a'],
    ['/a://b/c', '/a://b/c'],
    ['http://h/a?b=c', '/a?b=c'],
    ['http://h', '/'],
    ['http://h/', '/'],
    ['http://h?/a', '/?/a'],
    ['http://h?b=c/d', '/?b=c/d'],
    ['http://h#/a', '/#/a'],
    ['HTTPS://user@h:1/a', '/a'],
    ['*', '*'],
    ['h:443', 'h:443'],
  ]
  for (const [url, target] of cases) t.equal(targetOf({ url } as IncomingMessage), target, url)
})

t.test('a head has one Host, and HTTP/1.0 may have none', async (t) => {
  const fault = { code: 'malformed_request', message: /one Host/ }
  t.equal(faultOfHead(requestWith([HOST])), null)
  t.equal(faultOfHead(requestWith([['hOsT', 'h']])), null)
  t.equal(faultOfHead(requestWith([['Accept', '*'], HOST])), null)
  t.equal(faultOfHead(requestWith([], 0)), null)
  t.match(faultOfHead(requestWith([])), fault)
  t.match(faultOfHead(requestWith([['Post', 'h']])), fault)
  t.match(faultOfHead(requestWith([['Hosts', 'h']])), fault)
  t.match(faultOfHead(requestWith([['Accept', 'host']])), fault, 'a value is no name')
  t.match(faultOfHead(requestWith([HOST, HOST])), fault)
  t.match(faultOfHead(requestWith([HOST, ['HOST', 'h']], 0)), fault)
})

t.test('the only coding is chunked, and the only expectation 100-continue', async (t) => {
  const cases: [name: string, value: string, code: string | null][] = [
    ['Transfer-Encoding', 'chunked', null],
    ['Transfer-Encoding', 'Chunked', null],
    ['Transfer-Encoding', 'gzip, chunked', 'malformed_request'],
    ['Transfer-Encoding', 'identity', 'malformed_request'],
    ['Transfer-Encoding', '', 'malformed_request'],
    ['Expect', '100-continue', null],
    ['Expect', '100-Continue', null],
    ['Expect', '200-ok', 'expectation_failed'],
    ['Expect', '', 'expectation_failed'],
  ]
  for (const [name, value, code] of cases) {
    t.equal(faultOfHead(requestWith([HOST, [name, value]]))?.code ?? null, code, `${name}: ${value}`)
  }
})

t.test('HTTP/1.0 has no transfer coding', async (t) => {
  const chunked = ['Transfer-Encoding', 'chunked'] as const
  t.match(faultOfHead(requestWith([HOST, chunked], 0)), {
    code: 'malformed_request',
    message: /Content-Length/,
  })
  t.equal(faultOfHead(requestWith([HOST, ['Content-Length', '2']], 0)), null)
})

t.test('a request id has 1 to 128 visible characters of ASCII', async (t) => {
  const idOf = (value: unknown) =>
    requestId({ headers: { 'x-request-id': value } } as unknown as IncomingMessage)
  for (const id of ['a', '!', '~', 'a'.repeat(128)]) t.equal(idOf(id), id)
  for (const value of ['', 'a'.repeat(129), 'a b', 'a\x7f', '\x20', 'ä', ['a'], undefined])
    t.equal(idOf(value), null)
})
