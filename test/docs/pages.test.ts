import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { ROOT, readPages } from '../../scripts/docs/pages.ts'
import { createClient } from '../../src/clients/client/index.ts'
import { toolsOf } from '../../src/clients/mcp/tools.ts'
import { PROVIDERS } from '../../src/config/providers.ts'
import { CODES } from '../../src/runtime/errors.ts'
import { VERSION } from '../../src/runtime/version.ts'

const pages = readPages()

t.test('every link leads to a page, and to a heading of it', async (t) => {
  const headings = new Map(pages.map(({ name, text }) => [name, anchorsOf(text)]))
  for (const { name, text } of pages) {
    for (const [, target] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [file, anchor] = target!.split('#')
      const path = file === '' ? name : join(dirname(name), file!)
      t.ok(existsSync(join(ROOT, path)), `${name}: ${target}`)
      if (anchor !== undefined) t.ok(headings.get(path)?.has(anchor), `${name}: ${target}`)
    }
  }
})

t.test('an anchor that a page had is kept', async (t) => {
  const anchors = readFileSync(join(ROOT, 'docs/site/anchors.txt'), 'utf8').trim().split('\n')
  t.ok(anchors.length > 200)
  const textOf = new Map(pages.map(({ name, text }) => [name, anchorsOf(text)]))
  const lost = anchors.filter((anchor) => {
    const [page, id] = anchor.split('#')
    return !textOf.get(page!)?.has(id!)
  })
  t.same(lost, [])
})

t.test('the index lists every page', async (t) => {
  const index = pages.find(({ name }) => name === 'docs/README.md')!.text
  for (const { name } of pages) {
    if (name.startsWith('docs/') && name !== 'docs/README.md')
      t.match(index, `](${name.slice('docs/'.length)})`, name)
  }
})

t.test('troubleshooting has every code that an operator meets, and none that there is not', async (t) => {
  const page = pages.find(({ name }) => name === 'docs/troubleshooting.md')!.text
  const told = [...page.matchAll(/^### `(\w+)`$/gm)].map(([, code]) => code!)
  for (const code of told) t.ok(code in CODES, code)
  for (const [code, { status }] of Object.entries(CODES)) {
    if (status >= 500 || status === 429) t.ok(told.includes(code), code)
  }
})

t.test('the guide to alerts has a row for each rule, with its urgency', async (t) => {
  const rules = readFileSync(join(ROOT, 'deploy/prometheus/alerts.yaml'), 'utf8')
  const named = [...rules.matchAll(/- alert: (\w+)[\s\S]*?severity: (\w+)/g)].map(([, name, how]) => [
    name,
    how,
  ])
  const page = pages.find(({ name }) => name === 'docs/guides/alerts.md')!.text
  t.same(
    [...page.matchAll(/^\| `(Swapgate\w+)` \| (\w+) \|/gm)].map(([, name, how]) => [name, how]),
    named,
  )
})

t.test('the guide for agents has a row for each tool', async (t) => {
  const page = pages.find(({ name }) => name === 'docs/guides/agents.md')!.text
  const [, table] = /## Use it as tools([\s\S]*?)## Steps/.exec(page)!
  const rows = table!.split('\n').filter((line) => line.startsWith('| `'))
  const named = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!))
  const tools = toolsOf(createClient({ baseUrl: 'http://127.0.0.1:1' })).map(({ name }) => name)
  t.same(named.sort(), tools.sort())
})

t.test('the changelog has the released version', async (t) => {
  const { text } = pages.find(({ name }) => name === 'CHANGELOG.md')!
  t.match(text, `## [${VERSION}] - `)
})

/** Written by the template: in short paragraphs. */
const TEMPLATED = [
  'README',
  'attacks',
  'chains',
  'concepts',
  'console',
  'cross-chain',
  'endpoints',
  'explain',
  'glossary',
  'landing',
  'portfolio',
  'sandbox',
  'solana-nodes',
  'submit',
  'swap-examples',
  'swap-forms',
  'swap-options',
  'swaps',
  'verification',
  'verification-evm',
  'verification-solana',
  'verification-sui',
  'verification-ton',
  'verify',
]
t.test('a paragraph has at most four lines, an entry of a list five', async (t) => {
  for (const name of TEMPLATED) {
    const { text } = pages.find((page) => page.name === `docs/${name}.md`)!
    const written = text
      .replace(/<!-- begin: ([^\n]+) -->[\s\S]*?<!-- end: \1 -->/g, '')
      .replace(/^```[\s\S]*?^```$/gm, '')
    const blocks = written
      .split(/\n\s*\n|\n(?=- |\d+\. )/)
      .map((block) => block.trim())
      .filter((block) => !/^[|#<]/.test(block))
    const tooLong = blocks.filter((block) => block.split('\n').length > (/^(- |\d)/.test(block) ? 5 : 4))
    t.same(tooLong, [], name)
  }
})

t.test('CONTRIBUTING.md is read in ten minutes', async (t) => {
  const { text } = pages.find(({ name }) => name === 'CONTRIBUTING.md')!
  t.ok(text.split(/\s+/).length <= 1_500)
})

t.test('the files that the pages for developers name are there', async (t) => {
  const textOf = (page: string) => pages.find(({ name }) => name === page)!.text
  const written =
    textOf('CONTRIBUTING.md') + textOf('docs/dev/adding.md') + textOf('docs/guides/add-provider.md')
  const named = [...written.matchAll(/(?<![\w/.-])\w[\w./-]*\.ts(?!\w)/g)].map(([path]) => path)
  t.ok(named.length > 20)
  const files = ['src', 'bench', 'test', 'scripts'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
      (name) => `/${folder}/${name}`,
    ),
  )
  // A file may be named by the end of its path.
  for (const path of new Set(named)) {
    t.ok(
      files.some((file) => file.endsWith(`/${path}`)),
      path,
    )
  }
})

t.test('each swap provider has what the guide to a new one asks for', async (t) => {
  const guide = pages.find(({ name }) => name === 'docs/guides/add-provider.md')!.text
  const [, steps] = /## Steps\n([\s\S]*?)\n## /.exec(guide)!
  const files = [...steps!.matchAll(/`([\w/]+\/<label>[\w.]+)`/g)].map(([, path]) => path!)
  t.same(files, [
    'src/providers/swap/<label>.ts',
    'src/sandbox/swap/<label>.ts',
    'test/providers/swap/<label>.test.ts',
  ])
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
  const labels = [
    ...read('src/providers/swaps.ts').matchAll(/\.\.\.connections\.at\('(\w+)', \(upstream\)/g),
  ].map(([, label]) => label!)
  t.ok(labels.length >= 4)
  const [, servers] = /const PROVIDERS[^=]*=> ProviderServer\)\[\] = \[([^\]]*)\]/.exec(
    read('src/sandbox/index.ts'),
  )!
  const sandboxTests = readdirSync(join(ROOT, 'test/sandbox'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => read(`test/sandbox/${name}`))
  for (const label of labels) {
    t.ok(label in PROVIDERS, `${label}: its row`)
    for (const file of files) {
      const path = file.replace('<label>', label)
      t.ok(existsSync(join(ROOT, path)), path)
    }
    t.match(servers, new RegExp(`\\b${label}\\b`), `${label}: its server`)
    t.ok(
      sandboxTests.some((text) => text.includes(label)),
      `${label}: a test of its server`,
    )
    t.match(read('docs/configuration.md'), `\`${label.toUpperCase()}_URL\``, `${label}: its variable`)
  }
})

/** As GitHub makes them of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const titles = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
  // A heading that has another name now keeps the anchor that others link to.
  const kept = [...text.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id]) => id!)
  return new Set([...titles, ...kept])
}
