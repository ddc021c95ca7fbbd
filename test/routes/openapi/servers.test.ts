import t from 'tap'
import { listen } from '../../fixtures/gateway.ts'

t.test('its server is the origin that it was asked at, and PUBLIC_URL where that is set', async (t) => {
  const serversOf = async (url: string, headers: Record<string, string> = {}): Promise<unknown> =>
    ((await (await fetch(`${url}/openapi.json`, { headers })).json()) as { servers: unknown }).servers
  const { url } = await listen(t)
  t.same(await serversOf(url), [{ url }])
  const forwarded = { 'x-forwarded-host': 'swap.example', 'x-forwarded-proto': 'https' }
  t.same(await serversOf(url, forwarded), [{ url: 'https://swap.example' }], 'a proxy on loopback is trusted')
  t.same(await serversOf(url), [{ url }], 'and what it says is told to nobody else')
  const response = await fetch(`${url}/openapi.json`)
  t.equal(response.headers.get('cache-control'), 'no-store')
  t.equal(response.headers.get('content-encoding'), 'gzip')
  const etag = response.headers.get('etag')!
  await response.arrayBuffer()
  t.equal((await fetch(`${url}/openapi.json`, { headers: { 'if-none-match': etag } })).status, 304)

  const named = await listen(t, { PUBLIC_URL: 'https://swap.example/gateway/', MODE: 'live' })
  t.same(await serversOf(named.url, forwarded), [{ url: 'https://swap.example/gateway' }])
})

t.test('a host that the client makes up gets the same document, plain and untagged', async (t) => {
  const { url } = await listen(t)
  for (const path of ['/openapi.json', '/llms.txt']) {
    const own = await fetch(url + path)
    const made = await fetch(url + path, { headers: { 'x-forwarded-host': 'made.up.example' } })
    t.equal(made.status, 200)
    t.equal(made.headers.get('content-type'), own.headers.get('content-type'))
    t.equal(made.headers.get('cache-control'), 'no-store')
    t.same([made.headers.get('etag'), made.headers.get('content-encoding')], [null, null])
    const text = await made.text()
    t.equal(Number(made.headers.get('content-length')), Buffer.byteLength(text))
    t.equal(text, (await own.text()).replaceAll(url, 'http://made.up.example'))
    const head = await fetch(url + path, {
      method: 'HEAD',
      headers: { 'x-forwarded-host': 'made.up.example' },
    })
    t.equal(head.headers.get('content-length'), made.headers.get('content-length'))
    t.equal(await head.text(), '')
  }
})
