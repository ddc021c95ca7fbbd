import { readFileSync } from 'node:fs'
import t from 'tap'
import { readPages } from '../scripts/docs/pages.ts'
import { helpText } from '../src/config/help.ts'
import { PROVIDERS } from '../src/config/providers.ts'
import { DEFAULT_BUDGETS } from '../src/http/limit/budgets.ts'
import { CODES } from '../src/runtime/errors.ts'
import { METHOD_NAMES } from '../src/runtime/resources/solrpc.ts'

const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')
const { engines, license, scripts, version } = JSON.parse(read('package.json'))

/** Of the hero, in px as the README draws it: with the claim, the badges and the commands it is most of a screen. */
const MAX_HEIGHT = 500

t.test(
  "the README's first screen: the claim, a whole screen in light and dark, four points, two commands, five links",
  async (t) => {
    const [first] = read('README.md').split('\n## ')
    t.match(first, /^# swapgate\n\n\*\*Check a swap before you sign it\.\*\* /)
    const [, dark] = /<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+-dark\.png)">/.exec(
      first!,
    )!
    const [, light, shown] = /<img alt="[^"]+" src="([^"]+-light\.png)" width="(\d+)">/.exec(first!)!
    for (const picture of [dark!, light!]) {
      const header = readFileSync(new URL(`../${picture}`, import.meta.url)).subarray(16)
      const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
      t.ok(width >= Number(shown), `${picture} is not enlarged`)
      t.ok((height * Number(shown)) / width <= MAX_HEIGHT, `${picture} is ${height} px high`)
    }
    t.equal([...first!.matchAll(/^- \*\*/gm)].length, 4)
    t.match(first, /```sh\n.*\n.*\n```/)
    t.equal([...first!.matchAll(/(?<!!)\[[^\]]+\]\([^)]+\)/g)].length, 5)
  },
)

t.test('the badges say what package.json says', async (t) => {
  const badges = [...read('README.md').matchAll(/!\[([^\]]+)\]\((docs\/images\/\w+\.svg)\)/g)]
  const said = badges.map(([, text, file]) => {
    const [, label, value] = /aria-label="([^:]+): ([^"]+)"/.exec(read(file!))!
    t.equal(text, `${label} ${value}`)
    return value
  })
  t.same(said, [version, `${engines.node.replace('>=', '')} or newer`, license])
})

t.test('what passes in live mode is what the table of attacks.md says', async (t) => {
  const [, table] = /begin: real samples -->([\s\S]*?)<!-- end/.exec(read('docs/attacks.md'))!
  const rows = [...read('README.md').matchAll(/^\| ([\w.]+) \| (\d+) of (\d+) \|/gm)]
  t.ok(rows.length >= 6)
  for (const [, provider, pass, samples] of rows) t.match(table, `| ${provider} | ${samples} | ${pass} |`)
})

t.test('errors.md lists every error code as the service has it', async (t) => {
  const page = read('docs/errors.md')
  for (const [code, { status, scope, meaning }] of Object.entries(CODES)) {
    t.ok(page.includes(`| ${status} | \`${code}\` | ${scope} | ${meaning} |`), code)
  }
})

t.test('configuration.md lists every variable that the help lists', async (t) => {
  const page = read('docs/configuration.md')
  const variables = [...helpText().matchAll(/^ {2}([A-Z][A-Z0-9_]+) /gm)].map(([, name]) =>
    name!.replace(/^(RPC_URLS|ROUTER_URL)_.*/, '$1_<CHAINKEY>'),
  )
  t.ok(variables.length > 10)
  for (const variable of variables) t.match(page, new RegExp(`^\\|.*\`${variable}\`.*\\|`, 'm'), variable!)
})

t.test('providers.md lists every provider as the directory has it, and the README names each', async (t) => {
  const [page, readme] = [read('docs/providers.md'), read('README.md')]
  for (const [label, row] of Object.entries(PROVIDERS)) {
    const start = `| \`${label}\` | [${row.name}](${row.documents}) | ${row.purpose} | ${row.url} | `
    const { keyless } = row.quota
    t.ok(page.includes(start + (keyless === null ? 'none' : keyless.calls.toLocaleString('en'))), label)
    if ('key' in row) t.match(page, new RegExp(`^\\| \`${label}\`.* \`${row.key.header}\` \\|$`, 'm'), label)
    t.match(readme, row.name)
  }
  t.match(readme, /\*\*LI\.FI\*\*, whose label here is `xprov`/)
})

t.test('relay.md names every relayed method, and limits.md the budgets', async (t) => {
  const [relay, limits] = [read('docs/relay.md'), read('docs/limits.md')]
  for (const method of METHOD_NAMES) t.ok(relay.includes(`| \`${method}\` |`), method)
  for (const [name, { client, global }] of Object.entries(DEFAULT_BUDGETS)) {
    const inAll = global === Infinity ? 'no bound' : global.toLocaleString('en')
    const row = new RegExp(`\\| \`${name}\` \\|[^|]*\\| ${client} \\| ${inAll} \\|`)
    t.match(limits, row, name)
  }
})

t.test('the pages name existing commands', async (t) => {
  const pages = readPages()
  const told = pages.flatMap(({ text }) => [...text.matchAll(/npm run ([a-z:]+)/g)].map(([, name]) => name!))
  t.ok(told.includes('demo'))
  for (const name of told) t.ok(name in scripts, name)
})
