import { readFileSync } from 'node:fs'
import t from 'tap'
import { helpText } from '../src/config/config.ts'
import { CODES } from '../src/errors.ts'
import { DEFAULT_LIMITS } from '../src/limit/budgets.ts'
import { PROVIDER_NAMES, PROVIDERS, type ProviderRow } from '../src/providers/directory.ts'
import { METHOD_NAMES } from '../src/resources.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

t.test('lists every error code as the service has it', async (t) => {
  for (const [code, { status, scope, meaning }] of Object.entries(CODES)) {
    t.ok(readme.includes(`| ${status} | \`${code}\` | ${scope} | ${meaning} |`), code)
  }
})

t.test('lists every variable that the help lists', async (t) => {
  const variables = [...helpText().matchAll(/^ {2}([A-Z][A-Z0-9_]+) /gm)].map(([, name]) =>
    name!.replace(/^RPC_URLS_.*/, 'RPC_URLS_<CHAINKEY>'),
  )
  t.ok(variables.length > 10)
  for (const variable of variables) t.match(readme, new RegExp(`^\\|.*\`${variable}\`.*\\|`, 'm'), variable!)
})

t.test('lists every provider as the directory has it', async (t) => {
  for (const label of PROVIDER_NAMES)
    t.ok(readme.includes(rowOf(label, PROVIDERS[label])), rowOf(label, PROVIDERS[label]))
})

function rowOf(label: string, { name, documents, purpose, quota, quoteQuota }: ProviderRow): string {
  const calls = [bound(quota), ...(quoteQuota === undefined ? [] : [`quotes ${bound(quoteQuota)}`])].join(
    '; ',
  )
  return `| [${name}](${documents}) | \`${label}\` | ${purpose} | ${calls} |`
}

function bound({ keyless, keyed }: ProviderRow['quota']): string {
  if (keyless === null) return 'no bound is published'
  const each = keyless.windowMs === 60_000 ? 'a minute' : `in ${inWords(keyless.windowMs)}`
  const raised =
    keyed === undefined || keyed.calls === keyless.calls
      ? ''
      : `, ${keyed.calls.toLocaleString('en')} with a key`
  return `${keyless.calls.toLocaleString('en')} ${each}${raised}`
}

const inWords = (ms: number): string => (ms < 3_600_000 ? `${ms / 1_000} s` : `${ms / 3_600_000} h`)

t.test('names every relayed method and its budgets', async (t) => {
  for (const method of METHOD_NAMES) t.ok(readme.includes(`\`${method}\``), method)
  for (const [name, { client, global }] of Object.entries(DEFAULT_LIMITS)) {
    const row = new RegExp(`\\| \`${name}\` \\|[^|]*\\| ${client} \\| ${global.toLocaleString('en')} \\|`)
    t.match(readme, row, name)
  }
})

t.test('tells commands that exist', async (t) => {
  const told = [...readme.matchAll(/npm run ([a-z]+)/g)].map(([, name]) => name!)
  t.ok(told.includes('demo'))
  for (const name of told) t.ok(name in scripts, name)
})
