import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { request } from 'undici'
import { listen } from '../fixtures/gateway.ts'

type Headers = Record<string, string>

async function ask(url: string, headers: Headers = {}, method: 'GET' | 'HEAD' = 'GET') {
  const reply = await request(url, { method, headers })
  const bytes = Buffer.from(await reply.body.arrayBuffer())
  return { status: reply.statusCode, headers: reply.headers as Headers, bytes }
}

/** The sources of scripts and styles by a policy. */
const runnable = (policy: readonly string[]): readonly string[] =>
  policy.filter((part) => /^(script|style)-src/.test(part))

/** The same by a page: its own origin, and the hash of the one script and the one style within it. */
const inlineOf = (html: Buffer): readonly string[] =>
  ['script', 'style'].map((tag) => {
    const texts = [...html.toString().matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))].map(
      ([, text]) => text!,
    )
    const hashes = texts.map((text) => ` 'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    t.equal(hashes.length, 1)
    return `${tag}-src 'self'${hashes.join('')}`
  })

/** The paths of what a page loads. */
const assetsOf = (html: Buffer): string[] =>
  [...html.toString().matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)

t.test(
  'the page at / is HTML that may run nothing but its own files, and is asked for anew each time',
  async (t) => {
    const { url } = await listen(t)
    const page = await ask(url)
    t.equal(page.status, 200)
    t.match(page.headers, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'x-swapgate-mode': 'sandbox',
    })
    const policy = page.headers['content-security-policy']!.split('; ')
    for (const part of ["default-src 'none'", "frame-ancestors 'none'"]) t.ok(policy.includes(part), part)
    t.same(runnable(policy), inlineOf(page.bytes))
    t.notMatch(page.bytes.toString(), /\son\w+=|\sstyle=/)

    const again = await ask(url, { 'if-none-match': page.headers.etag! })
    t.equal(again.status, 304)
    t.equal(again.bytes.length, 0)
    t.equal(again.headers['content-security-policy'], page.headers['content-security-policy'])
    t.same((await ask(url, {}, 'HEAD')).headers['content-length'], String(page.bytes.length))
  },
)

t.test('the reference has the policy of the console, and asks its own origin only', async (t) => {
  const { url } = await listen(t)
  const policyOf = async (path: string): Promise<readonly string[]> =>
    (await ask(url + path)).headers['content-security-policy']!.split('; ')
  const [console, reference] = [await policyOf('/'), await policyOf('/reference')]
  t.same(
    reference.filter((part) => !console.includes(part)).map((part) => part.replace(/ 'sha256-.*/, '')),
    ["script-src 'self'", "style-src 'self'", "connect-src 'self'"],
  )
  t.ok(reference.includes("trusted-types 'none'"))
  const { bytes } = await ask(`${url}/reference`)
  t.same(runnable(reference), inlineOf(bytes))
  t.notMatch(bytes.toString(), /\son\w+=|\sstyle=/)
})

t.test('the page may ask its own origin only, and in the sandbox the sandbox too', async (t) => {
  const connections = async (url: string): Promise<string | undefined> =>
    (await ask(url)).headers['content-security-policy']!.split('; ').find((part) => /^connect-src/.test(part))
  const live = await listen(t, { MODE: 'live', PROVIDERS: 'none' })
  t.equal(await connections(live.url), "connect-src 'self'")
  const sandboxed = await listen(t)
  const { sandbox } = JSON.parse((await ask(`${sandboxed.url}/api/health`)).bytes.toString())
  t.equal(Object.keys(sandbox).length, 3)
  t.equal(await connections(sandboxed.url), `connect-src 'self' ${Object.values(sandbox).join(' ')}`)
})

t.test('what the page loads is there in each coding, and may be kept for good', async (t) => {
  const { url } = await listen(t)
  const paths = assetsOf((await ask(url)).bytes)
  t.match(
    paths.find((path) => path.endsWith('.js')),
    /^\/assets\/[\w-]+-[A-Z0-9]{8}\.js$/,
  )
  for (const path of ['/', ...paths]) {
    const plain = await ask(url + path)
    const br = await ask(url + path, { 'accept-encoding': 'gzip, br' })
    const gzip = await ask(url + path, { 'accept-encoding': 'gzip' })
    t.same([br.headers['content-encoding'], gzip.headers['content-encoding']], ['br', 'gzip'], path)
    t.same(brotliDecompressSync(br.bytes), plain.bytes, `${path} in brotli`)
    t.same(gunzipSync(gzip.bytes), plain.bytes, `${path} in gzip`)
    t.equal(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size, 3)
    if (path === '/') continue
    t.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
    t.match(plain.headers['content-type'], 'text/javascript')
  }
})

t.test('a file that no page loads is a 404 in JSON', async (t) => {
  const { url } = await listen(t)
  for (const path of ['/assets/console.js', '/assets/..%2F', '/assets/', '/index.html']) {
    const reply = await ask(url + path)
    t.equal(reply.status, 404, path)
    t.equal(JSON.parse(reply.bytes.toString()).code, 'not_found')
    t.equal(reply.headers['cache-control'], 'no-store')
  }
})

t.test('CONSOLE=off removes the page and what it loads', async (t) => {
  const on = await listen(t)
  const paths = ['/', '/reference', ...assetsOf((await ask(on.url)).bytes)]
  const off = await listen(t, { CONSOLE: 'off' })
  for (const path of paths) t.equal((await ask(off.url + path)).status, 404, path)
  t.equal((await ask(`${off.url}/api/health`)).status, 200)
})

t.test('the document of the API has no pages', async (t) => {
  const { url } = await listen(t)
  const { paths } = JSON.parse((await ask(`${url}/openapi.json`)).bytes.toString())
  t.same(
    Object.keys(paths).filter((path) => ['/', '/reference'].includes(path) || path.startsWith('/assets')),
    [],
  )
})
