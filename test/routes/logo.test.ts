/** GET /api/logo of a whole gateway, with the sandbox's hosts of pictures. */

import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { imageTypeOf } from '../../src/research/logos/image.ts'
import { ErrorBody } from '../../src/runtime/resources/error.ts'
import { FORGERIES } from '../../src/sandbox/market/logos.ts'
import { Check } from '../fixtures/check.ts'
import { listen } from '../fixtures/gateway.ts'
import { PNG } from '../fixtures/png.ts'
import { USDC } from '../fixtures/swaps.ts'

const PATH = `/api/logo/base/${USDC.base}`

async function refusal(t: Test, response: Response): Promise<{ status: number; code: string }> {
  const body = (await response.json()) as { code: string }
  t.ok(Check(ErrorBody, body))
  t.equal(response.headers.get('cache-control'), 'no-store')
  return { status: response.status, code: body.code }
}

t.test('pictures of what the list names, within a budget', async (t) => {
  const { url, sandbox } = await listen(t, { LIMITS: 'logo=12/99' })
  const list = await fetch(`${url}/api/tokens`)
  const { tokens } = (await list.json()) as { tokens: { chain: string; address: string; image?: string }[] }

  await t.test('browsers can do nothing with it but show it', async (t) => {
    const response = await fetch(url + PATH)
    t.equal(response.status, 200)
    const { headers } = response
    t.equal(headers.get('content-type'), 'image/png')
    t.equal(headers.get('cache-control'), 'public, max-age=86400')
    t.equal(headers.get('x-content-type-options'), 'nosniff')
    t.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox")
    t.equal(headers.get('cross-origin-resource-policy'), 'cross-origin')
    t.equal(headers.get('ratelimit'), null, 'a cache would tell it to others')
    const picture = Buffer.from(await response.arrayBuffer())
    t.equal(imageTypeOf(picture), 'image/png')

    const again = await fetch(url + PATH)
    t.same(Buffer.from(await again.arrayBuffer()), picture)
    const current = await fetch(url + PATH, { headers: { 'if-none-match': headers.get('etag')! } })
    t.equal(current.status, 304)
    const head = await fetch(url + PATH, { method: 'HEAD' })
    t.equal(Number(head.headers.get('content-length')), picture.length)
    const native = await fetch(`${url}/api/logo/base/native`)
    t.equal(native.headers.get('content-type'), 'image/png')
  })

  await t.test('what no list names is 404, and spends nothing', async (t) => {
    const unknown = await fetch(`${url}/api/logo/base/0x${'1'.repeat(40)}`)
    t.same(await refusal(t, unknown), { status: 404, code: 'logo_not_found' })
    for (const path of ['base/0x12', 'nowhere/native', `solana/${USDC.base}`, 'base/..%2fetc', 'base/%00']) {
      t.equal((await refusal(t, await fetch(`${url}/api/logo/${path}`))).status, 400, path)
    }
  })

  await t.test(
    'where hosts forge pictures they are refused, and the budget bounds what is fetched',
    async (t) => {
      const turned = await fetch(`${sandbox!.control}/faults/logos`, {
        method: 'PUT',
        body: JSON.stringify({ fault: 'forged' }),
      })
      t.equal(turned.status, 200)
      const statuses: number[] = []
      for (const { chain, address } of tokens.filter(({ image }) => image !== undefined).slice(0, 30)) {
        const response = await fetch(`${url}/api/logo/${chain}/${address}`)
        if (response.ok) t.equal(imageTypeOf(Buffer.from(await response.arrayBuffer())), 'image/png')
        else t.match(await refusal(t, response), { code: /^(upstream_unusable|budget_exhausted)$/ })
        statuses.push(response.status)
      }
      t.ok(statuses.includes(502))
      t.ok(statuses.includes(429))
      t.equal((await fetch(url + PATH)).status, 200, 'what is at hand is answered all the same')
    },
  )
})

t.test('with LOGOS off there is no such path', async (t) => {
  const { url } = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1', LOGOS: 'off' })
  t.same(await refusal(t, await fetch(url + PATH)), { status: 404, code: 'not_found' })
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object }
  t.notOk(Object.keys(paths).some((path) => path.startsWith('/api/logo')))
  t.match(await (await fetch(`${url}/api/config`)).json(), { logos: false }, 'and a page knows')
})

t.test('a Token List of the operator names pictures, forged ones among them', async (t) => {
  const asked: { url: string; headers: string }[] = []
  const proxy = createServer((request, response) => {
    asked.push({ url: request.url!, headers: JSON.stringify(request.headers) })
    const forge = FORGERIES[request.url!.split(/[/.]/)[2]!]
    const { status, body, headers } = forge?.(PNG) ?? { status: 200, body: PNG }
    response.writeHead(status, headers).end(body as Buffer)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const tokens = ['own', ...Object.keys(FORGERIES)].map((name, i) => ({
    chainId: 8453,
    address: `0x${(i + 1).toString(16).padStart(40, '0')}`,
    symbol: name,
    name,
    decimals: 18,
    logoURI: `https://${name}.example/logo.png`,
  }))
  const file = join(t.testdir(), 'list.json')
  writeFileSync(file, JSON.stringify({ name: 'own', timestamp: '2026-01-01', version: {}, tokens }))
  const { port } = proxy.address() as AddressInfo
  const { url } = await listen(t, {
    MODE: 'live',
    SOLANA_RPC_URLS: 'http://127.0.0.1:1',
    TOKENS_FILE: file,
    LOGOS: `http://127.0.0.1:${port}/by`,
  })
  const about = {
    'user-agent': 'a client',
    'x-forwarded-for': '9.9.9.9',
    cookie: 'a=b',
    referer: 'http://page.example/',
  }
  for (const { symbol, address } of tokens) {
    const response = await fetch(`${url}/api/logo/base/${address}`, { redirect: 'manual', headers: about })
    if (symbol === 'own') t.same(Buffer.from(await response.arrayBuffer()), PNG)
    else t.same(await refusal(t, response), { status: 502, code: 'upstream_unusable' }, symbol)
  }
  t.same(
    asked.map((one) => one.url),
    tokens.map(({ symbol }) => `/by/${symbol}.example/logo.png`),
    'each host is asked once, and nothing else is',
  )
  for (const { headers } of asked) t.notMatch(headers, /a client|9\.9\.9\.9|a=b|page\.example/)
})
