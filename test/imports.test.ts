import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'

/**
 * The rooms of src/, from the bottom to the top: a file imports from its own
 * room, and from rooms that stand before it here. A name with a slash at its
 * end is a folder; the longest name that fits a file is its room.
 */
const ROOMS = [
  'client/',
  'version.ts',
  'nearest.ts',
  'terminal.ts',
  'log.ts',
  'clock.ts',
  'timing.ts',
  'event-loop.ts',
  'request-line.ts',
  'loop-share.ts',
  'errors.ts',
  'mac.ts',
  'cursor.ts',
  'json/',
  'limit/',
  'validate.ts',
  'resources.ts',
  'solana/',
  'chains/',
  'upstream/',
  'peers.ts',
  'flights.ts',
  'kept-answers.ts',
  'counts/',
  'source-report.ts',
  'http/',
  'nodes/',
  'providers/directory.ts',
  'config/',
  'content/',
  'relay/',
  'proof/',
  'simulation/',
  'providers/',
  'universe/',
  'quotes/',
  'list/',
  'ticker/',
  'profile/',
  'portfolio/',
  'native/',
  'onchain/',
  'basket/',
  'discover/',
  'swap-options/',
  'sandbox/',
  'pages.d.ts',
  'openapi/',
  'openapi.ts',
  'metrics/',
  'diagnostics.ts',
  'routes/',
  'redis/',
  'gateway/',
  'gateway.ts',
  'main.ts',
  'demo.ts',
  'console/',
]

/** Rooms that may take types, and nothing that runs, from a room above them. */
const TYPES_ONLY = [
  // A provider hands its proof out beside its quote, and both speak of orders and material.
  ['proof/', 'providers/'],
  ['simulation/', 'providers/'],
]

interface Import {
  readonly from: string
  readonly to: string
  readonly isType: boolean
}

const ROOT = new URL('../', import.meta.url)
/** `import ... from`, `export ... from`, `import('...')`, of relative paths. */
const IMPORT =
  /^(?:import|export)\s+(type\s)?([^'"();]*?)\bfrom\s+'(\.[^']+)'|\bimport\('(\.[^']+)'\)|^import\s+'(\.[^']+)'/gm

/**
 * What a page for browsers is made of: it reaches the service over HTTP only.
 * It reads transactions by what the relay reads them by, so that the two cannot
 * disagree on what is refused.
 */
const FOR_BROWSERS = ['client/', 'console/', 'solana/']
const ALSO_FOR_BROWSERS = ['src/relay/refusals.ts', 'src/relay/nonce.ts']

const files = (folder: string): string[] =>
  readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}${name.replaceAll('\\', '/')}`)

function importsOf(file: string): Import[] {
  const url = new URL(file, ROOT)
  return [...readFileSync(url, 'utf8').matchAll(IMPORT)].map(([, type, names = '', path, lazy, bare]) => {
    const to = new URL((path ?? lazy ?? bare)!, url).href.slice(ROOT.href.length)
    const members = /^\{([^}]*)\}\s*$/.exec(names)?.[1]?.split(',') ?? ['']
    const isType = type !== undefined || members.every((member) => /^\s*type\s|^\s+$/.test(member))
    return { from: file, to, isType }
  })
}

const sources = files('src/')
const imports = [...sources, ...files('bench/')].flatMap(importsOf)

function roomOf(file: string): string {
  const path = file.slice('src/'.length)
  const fitting = ROOMS.filter((room) => path === room || (room.endsWith('/') && path.startsWith(room)))
  return fitting.sort((a, b) => b.length - a.length)[0] ?? ''
}

t.test('every file of src stands in a room', async (t) => {
  t.ok(sources.length > 100)
  t.same(
    sources.filter((file) => roomOf(file) === ''),
    [],
  )
})

t.test('every import leads to a file that was read, or to a fixture of the tests', async (t) => {
  const known = new Set([...sources, ...files('bench/'), ...files('test/fixtures/')])
  t.ok(imports.length > 500)
  t.same(
    imports.filter(({ to }) => !known.has(to) && !to.endsWith('.css')),
    [],
  )
})

t.test(
  'the console imports from itself and from what is made for browsers, and nothing imports the console',
  async (t) => {
    t.ok(imports.some(({ from }) => roomOf(from) === 'console/'))
    const crossing = imports.filter(({ from, to }) =>
      roomOf(from) === 'console/'
        ? !FOR_BROWSERS.includes(roomOf(to)) && !ALSO_FOR_BROWSERS.includes(to)
        : roomOf(to) === 'console/',
    )
    t.same(crossing, [])
  },
)

t.test('no file of src imports from a room above its own', async (t) => {
  const isUpward = ({ from, to, isType }: Import): boolean => {
    if (!from.startsWith('src/')) return false
    if (!to.startsWith('src/')) return true
    const [room, other] = [roomOf(from), roomOf(to)]
    const isAllowed = isType && TYPES_ONLY.some(([taker, giver]) => taker === room && giver === other)
    return ROOMS.indexOf(other) > ROOMS.indexOf(room) && !isAllowed
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
