import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { changedFolders, PARTS, sourcesOfParts } from '../../bench/measured.ts'

const MODULES = { http: ['http'], world: ['world'], micro: ['micro'] }

/** A project with three parts: of the service over a stub, of the service over the sandbox, and of a function. */
const FILES = {
  'package.json': '{"dependencies":{"undici":"1.0.0"},"devDependencies":{"tap":"1.0.0"}}',
  'scripts/esbuild.mjs': "export * from 'esbuild'",
  'bench/process.ts':
    "export const GATEWAY = 'main.js'; export const SANDBOX = 'sandbox.js'; export const peer = (mode: string) => mode",
  'bench/report.ts': "export const show = () => 'figures'",
  'bench/serve.ts':
    "const MODES = { node: async () => (await import('./servers/node.ts')).start(), other: async () => (await import('./servers/other.ts')).start() }\nexport { MODES }",
  'bench/servers/node.ts': 'export const start = () => 1',
  'bench/servers/other.ts': 'export const start = () => 2',
  'bench/http.ts':
    "import { GATEWAY, peer } from './process.ts'\nimport { show } from './report.ts'\nexport const benchHttp = () => [peer('node'), GATEWAY, show()]",
  'bench/world.ts':
    "import { GATEWAY, SANDBOX } from './process.ts'\nexport const benchWorld = () => [SANDBOX, GATEWAY]",
  'bench/micro.ts':
    "import { parse } from '../src/chains/parse.ts'\nexport const benchMicro = () => parse('1')",
  'src/main.ts':
    "import { relay } from './relay/relay.ts'\nexport const main = async () => [relay(), await import('./sandbox/index.ts')]",
  'src/relay/relay.ts':
    "import { request } from 'undici'\nimport { parse } from '../chains/parse.ts'\nexport const relay = () => request(parse('2'))",
  'src/chains/parse.ts': 'export const parse = (text: string) => Number(text)',
  'src/sandbox/main.ts': "import { world } from './index.ts'\nworld()",
  'src/sandbox/index.ts': 'export const world = () => 3',
}

t.test('a part measures what its modules import and the programs they start', async (t) => {
  const sources = await sourcesOfParts(project(t.testdir()), MODULES)
  const foldersOf = (part: string): string[] => [...sources.get(part)!.keys()]
  t.same(foldersOf('http'), ['bench', 'package.json', 'src', 'src/chains', 'src/relay'])
  t.same(foldersOf('world'), ['bench', 'package.json', 'src', 'src/chains', 'src/relay', 'src/sandbox'])
  t.same(foldersOf('micro'), ['bench', 'src/chains'])
})

t.test('what is run counts, and nothing else', async (t) => {
  const root = project(t.testdir())
  const before = await sourcesOfParts(root, MODULES)
  /** What parts see of a change, which is taken back. */
  const seen = async (file: keyof typeof FILES, text: string): Promise<Record<string, string[]>> => {
    writeFileSync(join(root, file), text)
    const now = await sourcesOfParts(root, MODULES)
    writeFileSync(join(root, file), FILES[file])
    return Object.fromEntries(
      [...now].map(([part, sources]) => [part, changedFolders(before.get(part)!, sources)]),
    )
  }
  const none = { http: [], world: [], micro: [] }
  const changed = (file: keyof typeof FILES, from: string, to: string) =>
    seen(file, FILES[file].replace(from, to))

  t.same(await seen('src/chains/parse.ts', `/** Parses. */\n${FILES['src/chains/parse.ts']} // twice`), none)
  t.same(await changed('src/chains/parse.ts', 'text: string', 'text: unknown'), none)
  t.same(await changed('src/chains/parse.ts', 'Number(text)', 'Number(text) + 1'), {
    http: ['src/chains'],
    world: ['src/chains'],
    micro: ['src/chains'],
  })
  t.same(await changed('src/relay/relay.ts', "'2'", "'4'"), {
    ...none,
    http: ['src/relay'],
    world: ['src/relay'],
  })
  t.same(await changed('src/sandbox/index.ts', '3', '5'), { ...none, world: ['src/sandbox'] })
  t.same(await changed('bench/servers/node.ts', '1', '6'), { ...none, http: ['bench'] })
  t.same(await changed('bench/servers/other.ts', '2', '7'), none)
  t.same(await changed('bench/report.ts', 'figures', 'figure'), none)
  t.same(await changed('package.json', '"undici":"1.0.0"', '"undici":"1.0.1"'), {
    ...none,
    http: ['package.json'],
    world: ['package.json'],
  })
  t.same(await changed('package.json', '"tap":"1.0.0"', '"tap":"1.0.1"'), none)
})

t.test('every module that runs is one of a part', async (t) => {
  const main = readFileSync(new URL('../../bench/main.ts', import.meta.url), 'utf8')
  const run = [...main.matchAll(/^import \{ bench\w+ \} from '\.\/([\w-]+)\.ts'$/gm)].map(([, name]) => name)
  const others = ['siege', 'soak']
  t.same(new Set([...run, ...others]), new Set(Object.values(PARTS).flat()))
})

t.test('no benchmark imports tap, which ends a process after half a minute', async (t) => {
  const root = new URL('../../', import.meta.url)
  const modules = readdirSync(new URL('bench/', root), { recursive: true, encoding: 'utf8' })
  const files = new Set(modules.filter((name) => name.endsWith('.ts')).map((name) => `bench/${name}`))
  const importing: string[] = []
  // The set grows while it is walked.
  for (const file of files) {
    const text = readFileSync(new URL(file, root), 'utf8').replaceAll(/^import type .*$/gm, '')
    if (/ from 'tap'/.test(text)) importing.push(file)
    for (const [, path] of text.matchAll(/ from '(\.[^']+)'/g)) {
      const { href } = new URL(path!, new URL(file, root))
      if (href.startsWith(`${root.href}test/`)) files.add(href.slice(root.href.length))
    }
  }
  t.ok(files.has('test/fixtures/transactions.ts'))
  t.same(importing, [])
})

function project(root: string): string {
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return root
}
