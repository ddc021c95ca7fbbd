import t from 'tap'
import { listen } from '../fixtures/gateway.ts'

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>
}

t.test('has the form of llmstxt.org, and a link to every operation', async (t) => {
  const { url } = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1' })
  const response = await fetch(`${url}/llms.txt`)
  t.equal(response.status, 200)
  t.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
  t.equal(response.headers.get('cache-control'), 'no-store')
  const text = await response.text()
  t.match(text, /^# swapgate\n\n> [^\n]+\n\n[^\n#]+\n\n## Endpoints\n\n- \[/)
  t.equal(text.match(/^# /gm)!.length, 1)
  for (const section of text.split('\n## ').slice(1)) {
    const [, , ...lines] = section.trimEnd().split('\n')
    t.ok(lines.length > 0, section)
    for (const line of lines) t.match(line, /^- \[(GET|POST) \/[^\]]+\]\(http:\/\/[^)]+\): [A-Z].*[^.]$/)
  }
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as Document
  const expected = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, { summary }]) => `- [${method.toUpperCase()} ${path}](${url}${path}): ${summary}`,
    ),
  )
  t.same(text.match(/^- .*$/gm)!.sort(), expected.sort())
  t.match(text.slice(text.lastIndexOf('\n## ')), /^\n## Optional\n/)
  for (const path of ['/api/quote', '/api/build', '/openapi.json']) {
    t.ok(
      text.slice(0, text.indexOf('## ', text.indexOf('## ') + 1)).includes(` ${path}]`),
      `${path} is not optional`,
    )
  }
})

t.test('its links follow the origin that it was asked at, and PUBLIC_URL', async (t) => {
  const { url } = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1' })
  const headers = { 'x-forwarded-host': 'swap.example', 'x-forwarded-proto': 'https' }
  t.match(await (await fetch(`${url}/llms.txt`, { headers })).text(), '](https://swap.example/api/quote)')
  const named = await listen(t, { MODE: 'live', PUBLIC_URL: 'https://other.example' })
  t.match(
    await (await fetch(`${named.url}/llms.txt`, { headers })).text(),
    '](https://other.example/api/quote)',
  )
})
