import t from 'tap'
import { exchangesAt, operations, readDocument, shownIn } from '../fixtures/document.ts'
import { listen } from '../fixtures/gateway.ts'

const LIVE = { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1' }

t.test('has the form of llmstxt.org, and a link to every operation', async (t) => {
  const { url } = await listen(t, { ...LIVE, CONTENT_DIR: t.testdir({}) })
  const response = await fetch(`${url}/llms.txt`)
  t.equal(response.status, 200)
  t.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
  t.equal(response.headers.get('cache-control'), 'no-store')
  const text = await response.text()
  t.match(text, /^# swapgate\n\n> [^\n]+\n\n[^\n#]+\n\n## A worked call\n/)
  t.equal(text.match(/^# /gm)!.length, 1)
  const [, , ...lists] = text.split('\n## ')
  for (const section of lists) {
    const [, , ...lines] = section.trimEnd().split('\n')
    t.ok(lines.length > 0, section)
    for (const line of lines)
      t.match(
        line,
        /^(- \[(GET|POST) \/[^\]]+\]\(http:\/\/[^)]+\): [A-Z].*[^.]| {2}- `\w+`( \(required\))?(: \S.*)?)$/,
      )
  }
  const document = await readDocument(url)
  const { schemas } = document.components
  const expected = operations(document).flatMap(
    ([method, path, { summary, parameters = [], requestBody }]) => {
      const shown = requestBody && shownIn(requestBody.content).schema
      const body = schemas[String(shown?.$ref).replace('#/components/schemas/', '')] ?? shown
      const members = Object.entries((body?.properties ?? {}) as Record<string, { default?: unknown }>)
      const needed = (body?.required ?? []) as string[]
      const named = [
        ...parameters.map(({ name, required }) => [name, required] as const),
        ...members.map(([name, schema]) => [name, needed.includes(name) && !('default' in schema)] as const),
      ]
      return [
        `- [${method.toUpperCase()} ${path}](${url}${path}): ${summary}`,
        ...named.map(([name, required]) => `  - \`${name}\`${required ? ' (required)' : ''}`),
      ]
    },
  )
  const told = lists.flatMap((list) => list.match(/^ *- (`\w+`( \(required\))?|\[.*)/gm) ?? [])
  t.same([...told].sort(), expected.sort())
  t.match(text, '  - `amount` (required): ')
  t.match(text.slice(text.lastIndexOf('\n## ')), /^\n## Optional\n/)
  for (const path of ['/api/quote', '/api/build', '/openapi.json']) {
    t.ok(lists[0]!.includes(` ${path}]`), `${path} is specified`)
  }
})

t.test('its worked call is that of the document, shortened, and what it builds from is whole', async (t) => {
  const { url } = await listen(t, LIVE)
  const text = await (await fetch(`${url}/llms.txt`)).text()
  const document = await readDocument(url)
  const [quote, build] = ['/api/quote', '/api/build'].map(
    (path) => exchangesAt(document, path).get('solana')!,
  )
  const [asked, built] = [...text.matchAll(/```json\n([^`]*)\n```/g)].map(([, json]) => JSON.parse(json!))
  t.same(Object.keys(asked), Object.keys(quote!.reply))
  t.equal(asked.expectedOut, quote!.reply.expectedOut)
  t.same(Object.keys(built), Object.keys(build!.reply))
  const [cut, end] = [built.solanaTransaction.slice(0, -3), built.solanaTransaction.slice(-3)]
  t.equal(end, '...')
  t.ok(String(build!.reply.solanaTransaction).startsWith(cut))
  const [, query] = /\/api\/quote\?([^']+)'/.exec(text)!
  t.same(Object.fromEntries(new URLSearchParams(query)), {
    ...quote!.request,
    slippageBps: String(quote!.request.slippageBps),
  })
  const [, body] = /-d '(\{"chain".*\})'$/m.exec(text)!
  const whole = JSON.parse(body!.replace(`'"$quote"'`, JSON.stringify(quote!.reply)))
  t.same(whole, build!.request)
})

t.test("the community's paths are left out until their content is set", async (t) => {
  const { url } = await listen(t, LIVE)
  t.notMatch(await (await fetch(`${url}/llms.txt`)).text(), '## Optional')
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
