import { readdirSync, readFileSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import t from 'tap'

/** The folders of src/ from the bottom to the top: a file imports from its own wing and from those before it. */
const WINGS = [
  'runtime',
  'flow',
  'chains',
  'http',
  'upstream',
  'config',
  'proof',
  'explain',
  'providers',
  'relay',
  'swap',
  'research',
  'sandbox',
  'routes',
  'clients',
  'gateway',
]
const MAX_WINGS = 16
/** Lines of code: without blank lines, comments, data and what is generated. */
const MAX_LINES = { service: 52_000, clients: 17_000, sandbox: 10_500, scripts: 2_500 }

interface Import {
  readonly from: string
  readonly to: string
  readonly isType: boolean
  /** Whether it is loaded when it is needed. */
  readonly isLazy: boolean
}

const MAX_FILES = 20
const MAX_LINES_OF_A_FILE = 450

const ROOT = new URL('../', import.meta.url)

const readmeOf = (wing: string): string => readFileSync(new URL(`src/${wing}/README.md`, ROOT), 'utf8')

/**
 * Every room of src/ by its path, from the bottom to the top: the README of a wing lists its rooms in this order. The
 * longest path that fits a file is its room; `.` is the rest.
 */
const ROOMS = [
  ...WINGS.flatMap((wing) => {
    const rooms = [...readmeOf(wing).matchAll(/^- `([^`]+)`: /gm)].map(([, room]) => room!)
    return (rooms.length === 0 ? ['.'] : rooms).map((room) => `${wing}/${room === '.' ? '' : room}`)
  }),
  'gateway.ts',
  'main.ts',
  'replay.ts',
]
/** `import ... from`, `export ... from`, `import('...')`, of relative paths. */
const IMPORT =
  /^(?:import|export)\s+(type\s)?([^'"();]*?)\bfrom\s+'(\.[^']+)'|\bimport\('(\.[^']+)'\)|^import\s+'(\.[^']+)'/gm

/**
 * What a page for browsers is made of: it reaches the service over HTTP only.
 * It reads transactions by what the relay reads them by, so that the two cannot
 * disagree on what is refused, and verifies builds by the packed module.
 */
const FOR_BROWSERS = [
  'clients/client/',
  'clients/verify/',
  'clients/swap/',
  'clients/console/',
  'chains/solana/',
]
const ALSO_FOR_BROWSERS = [
  'src/relay/submissions/refusals.ts',
  'src/explain/types.ts',
  'src/runtime/base64.ts',
]

const files = (folder: string, kinds = /\.(tsx?|tsv|lua|json)$/): string[] =>
  readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((name) => kinds.test(name))
    .map((name) => `${folder}${name.replaceAll('\\', '/')}`)

function importsOf(file: string): Import[] {
  const url = new URL(file, ROOT)
  return [...readFileSync(url, 'utf8').matchAll(IMPORT)].map(([, type, names = '', path, lazy, bare]) => {
    const to = new URL((path ?? lazy ?? bare)!, url).href.slice(ROOT.href.length)
    const members = /^\{([^}]*)\}\s*$/.exec(names)?.[1]?.split(',') ?? ['']
    const isType = type !== undefined || members.every((member) => /^\s*type\s|^\s+$/.test(member))
    return { from: file, to, isType, isLazy: lazy !== undefined }
  })
}

const sources = files('src/')
/** Modules that nothing generates. */
const written = files('src/', /\.tsx?$/).filter((file) => !file.includes('generated'))
/** Lines of code: without blank lines and comments. */
const linesOf = (file: string): number =>
  readFileSync(new URL(file, ROOT), 'utf8')
    .replace(/^ *\/\*[\s\S]*?\*\//gm, '')
    .split('\n')
    .filter((line) => /\S/.test(line) && !/^ *\/\//.test(line)).length
const imports = [...sources, ...files('bench/')].flatMap(importsOf)

const isIn = (file: string, folder: string): boolean => file.startsWith(`src/${folder}`)

function roomOf(file: string): string | null {
  const path = file.slice('src/'.length)
  const fitting = ROOMS.filter((room) => path === room || (room.endsWith('/') && path.startsWith(room)))
  return fitting.sort((a, b) => b.length - a.length)[0] ?? null
}

t.test('src/ has the wings of the list and nothing else, each with a README', async (t) => {
  t.ok(WINGS.length <= MAX_WINGS)
  t.same(readdirSync(new URL('src/', ROOT)).sort(), [...WINGS, 'gateway.ts', 'main.ts', 'replay.ts'].sort())
  for (const wing of WINGS) {
    t.match(readmeOf(wing), /^# \w+\n\n[\s\S]+\n\nMay import: [\s\S]+\n\nStart at `/, wing)
    t.ok(readmeOf(wing).split('\n').length <= 30, wing)
  }
})

t.test('a README of a wing names files that are there', async (t) => {
  const known = [...sources, ...files('test/')]
  for (const wing of WINGS) {
    const named = [...readmeOf(wing).matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, path]) => path!)
    t.same(
      named.filter((path) => {
        const at = path.startsWith('../') ? path.slice('..'.length) : `/${path}`
        return !known.some((file) => `/${file}`.endsWith(at))
      }),
      [],
      wing,
    )
  }
})

t.test('no folder of src has more modules than can be looked over', async (t) => {
  const count = new Map<string, number>()
  for (const file of written) count.set(dirname(file), (count.get(dirname(file)) ?? 0) + 1)
  t.same(
    [...count].filter(([, modules]) => modules > MAX_FILES),
    [],
  )
})

t.test('no file of src is too long', async (t) => {
  t.same(
    written.filter((file) => linesOf(file) > MAX_LINES_OF_A_FILE),
    [],
  )
})

t.test('no two files differ by their extensions alone, but for the style of a component', async (t) => {
  const names = files('src/', /\.\w+$/).filter((file) => !file.endsWith('.css'))
  const stems = names.map((file) => file.slice(0, -extname(file).length))
  t.same(
    stems.filter((stem, i) => stems.indexOf(stem) !== i),
    [],
  )
})

t.test('every file of src is in a room, and every room has files', async (t) => {
  t.ok(sources.length > 100)
  t.same(
    sources.filter((file) => roomOf(file) === null),
    [],
  )
  const inUse = new Set(sources.map(roomOf))
  t.same(
    ROOMS.filter((room) => !inUse.has(room)),
    [],
  )
})

t.test('every import leads to a file that was read, or to a fixture of the tests', async (t) => {
  const known = new Set([...sources, ...files('bench/'), ...files('test/fixtures/')])
  t.ok(imports.length > 500)
  t.same(
    imports.filter(({ to }) => !known.has(to) && !to.endsWith('.css') && !to.endsWith('.txt')),
    [],
  )
})

t.test('the service imports no program that is not the service', async (t) => {
  t.same(
    imports.filter(({ from, to }) => !isIn(from, 'clients/') && isIn(to, 'clients/') && isIn(from, '')),
    [],
  )
})

t.test('the packed client imports from itself only, and the demo nothing but types', async (t) => {
  const isAlone = ({ from }: Import): boolean => isIn(from, 'clients/client/')
  t.ok(imports.some(isAlone))
  t.same(
    imports.filter((one) => isAlone(one) && !isIn(one.to, 'clients/client/')),
    [],
  )
  t.same(
    imports.filter(({ from, isType }) => isIn(from, 'sandbox/demo.ts') && !isType),
    [],
  )
})

t.test(
  'the console imports from itself and from what is made for browsers, and nothing imports the console',
  async (t) => {
    t.ok(imports.some(({ from }) => isIn(from, 'clients/console/')))
    const outside = imports.filter(({ from, to }) =>
      isIn(from, 'clients/console/')
        ? !FOR_BROWSERS.includes(roomOf(to) ?? '') && !ALSO_FOR_BROWSERS.includes(to)
        : isIn(to, 'clients/console/'),
    )
    t.same(outside, [])
  },
)

t.test('no file of src imports from a room above its own', async (t) => {
  const isUpward = ({ from, to }: Import): boolean => {
    if (!from.startsWith('src/')) return false
    return !to.startsWith('src/') || ROOMS.indexOf(roomOf(to)!) > ROOMS.indexOf(roomOf(from)!)
  }
  const upward = imports
    .filter(isUpward)
    .map(({ from, to, isType }) => `${from} -> ${to}${isType ? ' (types)' : ''}`)
  t.same(upward, [])
})

t.test('no file imports itself by way of others', async (t) => {
  const next = new Map<string, string[]>()
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to])
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
    if (done.has(file) || path.includes(file)) return
    for (const other of next.get(file) ?? []) visit(other, [...path, file])
    done.add(file)
  }
  for (const file of next.keys()) visit(file, [])
  t.same(circles, [])
})

t.test('a gateway without an admin listener does not load prom-client', async (t) => {
  const loaded = new Set(['src/main.ts', 'src/gateway.ts'])
  for (const file of loaded) {
    for (const { from, to, isType, isLazy } of imports) {
      if (from === file && !isType && !isLazy) loaded.add(to)
    }
  }
  t.ok(loaded.size > 100)
  const promClient = /^import (?!type\b).* from 'prom-client'/m
  t.same(
    [...loaded].filter((file) => promClient.test(readFileSync(new URL(file, ROOT), 'utf8'))),
    [],
  )
})

t.test('the service, its clients, the sandbox and the scripts stay within their lines of code', async (t) => {
  const counted = [
    ...written,
    ...files('src/', /\.(css|html)$/),
    ...files('scripts/', /\.(ts|mjs)$/).filter((file) => !file.endsWith('.d.mts')),
  ]
  const lines = { service: 0, clients: 0, sandbox: 0, scripts: 0 }
  for (const file of counted) {
    const [, part] =
      /^src\/(clients|sandbox)\/|^(scripts)\//.exec(file)?.filter((one) => one !== undefined) ?? []
    lines[(part ?? 'service') as keyof typeof lines] += linesOf(file)
  }
  for (const [part, bound] of Object.entries(MAX_LINES))
    t.ok(
      lines[part as keyof typeof lines] <= bound,
      `${part}: ${lines[part as keyof typeof lines]} of ${bound}`,
    )
})
