/** A route, a chain, a provider and a metric, each added to a copy in the places that docs/dev/adding.md names: at most three. */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { listening, runCommand } from '../fixtures/programs.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const COPIED = ['src', 'scripts', 'package.json', 'tsconfig.json']

/** A change of one file: a new one, or a text in it and what replaces it. */
interface Place {
  readonly file: string
  readonly after?: string
  readonly text: string
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const ROUTE: readonly Place[] = [
  {
    file: 'src/routes/service/added.ts',
    text: `import { Type } from 'typebox'
import { get } from '../../http/route.ts'
import { SERVICE } from '../groups.ts'

export const added = () =>
  get({
    path: '/api/added',
    input: Type.Object({}),
    priority: 'probe',
    description: {
      id: 'getAdded',
      summary: 'A route that was added',
      group: SERVICE,
      stability: 'unverified',
      text: 'It is the smallest.',
      result: Type.Object({ added: Type.Boolean() }),
      example: { added: true },
      errors: [],
    },
    handle() {
      return Buffer.from('{"added":true}')
    },
  })
`,
  },
  {
    file: 'src/routes/index.ts',
    after: "import { fastTradeProof } from './relay/fast-trade-proof.ts'\n",
    text: "import { added } from './service/added.ts'\n",
  },
  { file: 'src/routes/index.ts', after: '    health(options.health),\n', text: '    added(),\n' },
]

const [SCROLL] = JSON.parse(read('src/chains/definitions/evm.json')).filter(
  ({ key }: { readonly key: string }) => key === 'scroll',
)
const CHAIN: readonly Place[] = [
  {
    file: 'src/chains/definitions/evm.json',
    after: '[\n',
    text: `${JSON.stringify({ ...SCROLL, key: 'added', name: 'Added', chainId: 534_353 })},\n`,
  },
]

const PROVIDER: readonly Place[] = [
  {
    file: 'src/providers/swap/acme.ts',
    text: read('src/providers/swap/velora.ts')
      .replace("label: 'velora'", "label: 'acme'")
      .replace('export function velora(', 'export function acme('),
  },
  {
    file: 'src/config/provider-rows.json',
    after: '{\n',
    text: `  "acme": {
    "name": "ACME",
    "purpose": "EVM swaps",
    "documents": "https://acme.example",
    "url": "http://127.0.0.1:9",
    "quota": { "keyless": null }
  },
`,
  },
  {
    file: 'src/providers/swaps.ts',
    after: "    ...connections.at('velora', (upstream) => velora({ upstream, clock })),\n",
    text: "    ...connections.at('acme', (upstream) => acme({ upstream, clock })),\n",
  },
  {
    file: 'src/providers/swaps.ts',
    after: "import { velora } from './swap/velora.ts'\n",
    text: "import { acme } from './swap/acme.ts'\n",
  },
]

const METRIC: readonly Place[] = [
  {
    file: 'src/routes/metrics/requests.ts',
    after: "  const sent = new Counter(meters.named('swapgate_reply_bytes_total'))\n",
    text: "  new Counter(meters.named('swapgate_added_total'))\n",
  },
  {
    file: 'src/routes/metrics/help.json',
    after: '{\n',
    text: '  "swapgate_added_total": "A metric that was added",\n',
  },
]

t.test('each is added in at most three files, and the copy compiles and serves it', async (t) => {
  const copy = t.testdir()
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  for (const [what, places] of Object.entries({ ROUTE, CHAIN, PROVIDER, METRIC })) {
    t.ok(new Set(places.map(({ file }) => file)).size <= 3, what)
    for (const place of places) add(t, copy, place)
  }

  const tsconfig = JSON.parse(read('tsconfig.json'))
  tsconfig.compilerOptions.incremental = false
  delete tsconfig.compilerOptions.tsBuildInfoFile
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({ ...tsconfig, include: ['src'], exclude: ['src/clients'] }),
  )
  const typescript = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { code, out } = await runCommand(t, process.execPath, [typescript, '-p', copy], {}).exit
  t.equal(code, 0, out.slice(0, 2_000))

  const loader = pathToFileURL(join(copy, 'scripts/ts-loader.mjs')).href
  const environment = { PORT: '0', ADMIN_PORT: '0', LOG_FORMAT: 'json' }
  const args = [`--import=${loader}`, join(copy, 'src/main.ts')]
  const { url, adminUrl } = await listening(runCommand(t, process.execPath, args, environment))
  const json = async (path: string) => (await fetch(`${url}${path}`)).json()
  t.same(await json('/api/added'), { added: true })
  t.match(await json('/openapi.json'), { paths: { '/api/added': { get: { operationId: 'getAdded' } } } })
  const { chains } = (await json('/api/chains')) as { chains: readonly { key: string }[] }
  t.ok(chains.some(({ key }) => key === 'added'))
  const { providers } = (await json('/api/health')) as { providers: object }
  t.match(JSON.stringify(providers), /"acme"/)
  t.match(await (await fetch(`${adminUrl}/metrics`)).text(), /^swapgate_added_total 0$/m)
})

function add(t: Test, copy: string, { file, after, text }: Place): void {
  const path = join(copy, file)
  if (after === undefined) {
    writeFileSync(path, text)
    return
  }
  const before = readFileSync(path, 'utf8')
  t.ok(before.includes(after), `${file} has ${after}`)
  writeFileSync(path, before.replace(after, after + text))
}
