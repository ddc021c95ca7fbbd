import t from 'tap'
import { until } from '../fixtures/clock.ts'
import { listen } from '../fixtures/gateway.ts'

t.test('a client that is refused as fast as it asks fills no log', async (t) => {
  const { url, log } = await listen(t, { LOG_LINES: '5', LOG_CLIENTS: 'on' })
  for (let i = 0; i < 40; i++) await (await fetch(`${url}/nothing`)).arrayBuffer()
  await until(() => log.some(({ lines }) => lines !== undefined))
  const written = log.filter(({ msg }) => msg === 'request').length
  const left = log.reduce((sum, { lines }) => sum + Number(lines ?? 0), 0)
  t.equal(written + left, 40)
  t.ok(written < 40)
  t.match(
    log.find(({ lines }) => lines !== undefined),
    { level: 40, client: '127.0.0.1' },
  )
})

t.test('what a shared cache may keep reveals nothing of a request', async (t) => {
  const { url } = await listen(t)
  const page = await (await fetch(`${url}/`)).text()
  const file = /(?:src|href)="(\/?[^"]+\.(?:js|css))"/.exec(page)![1]!
  const { headers } = await fetch(new URL(file, url))
  t.match(headers.get('cache-control'), /^public/)
  for (const name of ['x-request-id', 'ratelimit', 'ratelimit-policy', 'server-timing'])
    t.equal(headers.get(name), null, name)
  t.ok((await fetch(`${url}/api/chains`)).headers.get('x-request-id'))
})
