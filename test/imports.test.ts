import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { WINGS } from '../scripts/docs/wings.ts'

/** Every room of src/ by its path, from the bottom to the top; scripts/docs/wings.ts is the list. */
const ROOMS = WINGS.flatMap(({ path, rooms }) => rooms.map(([room]) => path + room))
const MAX_WINGS = 16
/** Lines of code: without blank lines, comments, data and what is generated. */
const MAX_LINES = 84_000

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
 * disagree on what is refused, and verifies builds by the packed module.
 */
const FOR_BROWSERS = ['clients/client/', 'clients/verify/', 'clients/console/', 'chains/solana/']
const ALSO_FOR_BROWSERS = [
  'src/relay/submissions/refusals.ts',
  'src/relay/submissions/nonce.ts',
  'src/explain/types.ts',
  'src/runtime/base64.ts',
]

const files = (folder: string): string[] =>
  readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|tsv|lua|json)$/.test(name))
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

const isIn = (file: string, folder: string): boolean => file.startsWith(`src/${folder}`)

function roomOf(file: string): string | null {
  const path = file.slice('src/'.length)
  const fitting = ROOMS.filter((room) => path === room || (room.endsWith('/') && path.startsWith(room)))
  return fitting.sort((a, b) => b.length - a.length)[0] ?? null
}

t.test('src/ has the wings of the list and nothing else', async (t) => {
  const folders = WINGS.filter(({ path }) => path !== '')
  t.ok(folders.length <= MAX_WINGS)
  t.same(
    readdirSync(new URL('src/', ROOT)).sort(),
    [...folders.map(({ path }) => path.slice(0, -1)), 'gateway.ts', 'main.ts'].sort(),
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
    imports.filter(({ to }) => !known.has(to) && !to.endsWith('.css') && !to.includes('/rapidoc-')),
    [],
  )
})

t.test('the service imports no program that is not the service', async (t) => {
  t.same(
    imports.filter(({ from, to }) => !isIn(from, 'clients/') && isIn(to, 'clients/') && isIn(from, '')),
    [],
  )
})

t.test('the packed client imports from itself only, and the demo from nothing', async (t) => {
  const isAlone = ({ from }: Import): boolean =>
    isIn(from, 'clients/client/') || isIn(from, 'clients/demo.ts')
  t.ok(imports.some(isAlone))
  t.same(
    imports.filter((one) => isAlone(one) && !isIn(one.to, 'clients/client/')),
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

t.test('src/ stays below its bound of lines of code', async (t) => {
  const written = readdirSync(new URL('src/', ROOT), { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.(tsx?|css|html)$/.test(name) && !name.includes('generated'),
  )
  const code = written.flatMap((name) =>
    readFileSync(new URL(`src/${name}`, ROOT), 'utf8')
      .replace(/^ *\/\*[\s\S]*?\*\//gm, '')
      .split('\n')
      .filter((line) => /\S/.test(line) && !/^ *\/\//.test(line)),
  )
  t.ok(code.length > 50_000 && code.length < MAX_LINES, `${code.length} lines`)
})
