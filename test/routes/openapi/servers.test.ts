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
