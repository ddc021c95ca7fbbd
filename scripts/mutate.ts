/**
 * `npm run mutate`: changes the meaning of the critical rooms in small ways, one
 * at a time, and runs the tests that execute the changed place. A change that no
 * test notices is a survivor; one that scripts/mutate/explained.tsv does not
 * explain makes the script fail, as does a room that notices less than 95 %.
 *
 *   npm run mutate                     a sample of each room, the same in each run
 *   npm run mutate -- relay json       of these rooms
 *   npm run mutate -- --all relay      every mutant
 *   npm run mutate -- --sample 200     as many of each room
 *   npm run mutate -- --since main     those on lines that changed since a commit
 *   npm run mutate -- --again          takes what the last run killed for killed, and tries the rest
 *   npm run mutate -- --jobs 1         processes at a time; as many as cores, unless told otherwise
 *   npm run mutate -- --write          puts the figures into CONTRIBUTING.md
 *
 * Before anything is changed, each test file runs twice: alone, which says what it
 * executes, and in one process with the others, as it does later. A file that fails
 * in either notices nothing. A mutant's tests stop at the first failure. One that
 * never ends counts as noticed: by processor time where the loop stands still, else
 * by the turns of the loop, so that a busy machine does not notice anything.
 *
 * Stryker is not used: its runners know nothing of tap or of loaders, so that its
 * command runner would start all tests of a room anew for each of 11,000 mutants.
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { transform } from './esbuild.mjs'
import { type Explanation, type Figures, readExplanations, writeFigures } from './mutate/lists.ts'
import { mutableLua } from './mutate/lua.ts'
import { type MutableFile, type Mutant, mutableFile } from './mutate/mutants.ts'
import { ROOMS, type Room } from './mutate/rooms.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CACHE = join(ROOT, 'node_modules/.cache/mutate')
const RUNNER = fileURLToPath(new URL('./mutate/run.mjs', import.meta.url))
const LOADER = new URL('./ts-loader.mjs', import.meta.url).href
const SAMPLE = 60
const ENOUGH_PERCENT = 95
/** A run that takes as many times what the unchanged files took, and ten seconds more, does not end. */
const PATIENCE = 4
const LEAST_PATIENCE_MS = 10_000
const TICK_MS = 50
/** A file that passes in one of these, and with the others, counts: the machine may be busy. */
const DRY_TRIES = 3
/** A process that neither computes nor turns its loop waits for another. This is no verdict, so it ends the script. */
const STUCK_MS = 7_200_000

/** What ends a run: a test that fails, or the word of run.mjs. */
const HUNG = '# hung'
const END = /^ *not ok (?!.*# (?:TODO|SKIP)).*\n|^# hung$/m
const DOES_NOT_END = ', which does not end'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    sample: { type: 'string', default: `${SAMPLE}` },
    since: { type: 'string' },
    jobs: { type: 'string', default: `${availableParallelism()}` },
    write: { type: 'boolean', default: false },
  },
})

interface Trial {
  readonly files: readonly string[]
  readonly mutant: number | null
  readonly limit: { readonly cpuMs: number; readonly ticks: number } | null
  /** Where the process writes what it executed. */
  readonly report: string | null
}

interface TrialResult {
  /** What noticed the change; null if the tests pass. */
  readonly failure: string | null
  readonly hung: boolean
  readonly output: string
}

/** What an unchanged test file executes and costs. */
interface DryRun {
  readonly file: string
  readonly covered: ReadonlySet<number>
  readonly cpuMs: number
  readonly wallMs: number
  readonly ticks: number
}

interface Verdict {
  readonly mutant: Mutant
  readonly noticedBy: string | null
  readonly hung: boolean
}

const running = new Set<number>()
process.on('exit', () => {
  for (const pid of running) killTree(pid)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const rooms = positionals.length === 0 ? ROOMS : positionals.map(roomNamed)
const explanations = readExplanations()
const figures: Figures[] = []
let failed = false
for (const room of rooms) {
  const measured = await testRoom(room)
  if (measured !== null) figures.push(measured)
}
if (options.write) {
  writeFigures(figures)
  await import('./docs.ts')
}
process.exitCode = failed ? 1 : 0

function roomNamed(name: string): Room {
  const room = ROOMS.find((one) => one.name === name)
  if (room === undefined)
    throw new Error(`There is no room ${name}; there are ${ROOMS.map(({ name }) => name).join(', ')}.`)
  return room
}

function complain(line: string): void {
  failed = true
  console.log(line)
}

async function testRoom(room: Room): Promise<Figures | null> {
  const started = performance.now()
  const folder = join(CACHE, `${room.name}-${process.pid}`)
  const killedPath = join(CACHE, `${room.name}.killed.json`)
  mkdirSync(folder, { recursive: true })
  try {
    const files = mutableFiles(room)
    const all = files.flatMap(({ mutants }) => mutants)
    const explained = ofRoom(room, all)
    const sample = choose(all)
    const known = options.again ? knownKills(killedPath) : new Map<string, string>()
    const chosen = sample.filter(({ key }) => !known.has(key))
    const ids = new Map(chosen.map((mutant, id) => [mutant, id]))
    const sources = await prepare(files, ids, folder)
    const dry = chosen.length === 0 ? [] : await dryRuns(room, sources, ids.size, folder)
    const verdicts = await tryAll(chosen, dry, sources)
    const before = sample.flatMap((mutant): Verdict[] => {
      const noticedBy = known.get(mutant.key)
      return noticedBy === undefined ? [] : [{ mutant, noticedBy, hung: false }]
    })
    const inAll = [...before, ...verdicts]
    const killed = inAll.flatMap(({ mutant, noticedBy }) =>
      noticedBy === null ? [] : [[mutant.key, noticedBy]],
    )
    writeFileSync(killedPath, JSON.stringify(killed))
    return judge(room, inAll, explained, (performance.now() - started) / 1_000)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The list's rows for a room, by key. One that fits nothing is complained about. */
function ofRoom({ name, source }: Room, all: readonly Mutant[]): ReadonlyMap<string, Explanation> {
  const keys = new Set(all.map(({ key }) => key))
  const rows = [...explanations.values()].filter(({ key }) => key.startsWith(`src/${source}/`))
  for (const { key } of rows) {
    if (!keys.has(key))
      complain(`${name}: the list explains what is not there: ${key.replaceAll('\t', ' · ')}`)
  }
  return new Map(rows.map((row) => [row.key, row]))
}

function mutableFiles({ source }: Room): readonly (MutableFile & { readonly path: string })[] {
  const folder = join(ROOT, 'src', source)
  return (readdirSync(folder, { recursive: true }) as string[])
    .filter((name) => /\.(ts|lua)$/.test(name) && !name.endsWith('.d.ts'))
    .sort()
    .map((name) => {
      const path = join(folder, name)
      const read = name.endsWith('.lua') ? mutableLua : mutableFile
      return { ...read(relative(ROOT, path).split(sep).join('/'), readFileSync(path, 'utf8')), path }
    })
}

/** By the hash of what names them: the choice stays when code around them moves or other mutants come. */
function choose(all: readonly Mutant[]): readonly Mutant[] {
  if (options.since !== undefined) {
    const changed = changedLines(options.since)
    return all.filter(({ file, line }) => changed.has(`${file}:${line}`))
  }
  if (options.all) return all
  const hashOf = ({ key }: Mutant) => createHash('sha256').update(key).digest('hex')
  const hashed = all.map((mutant) => ({ mutant, hash: hashOf(mutant) }))
  return hashed
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    .slice(0, Number(options.sample))
    .map(({ mutant }) => mutant)
}

/** What noticed each mutant in the last run, by key. */
function knownKills(path: string): ReadonlyMap<string, string> {
  return new Map<string, string>(existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [])
}

/** As `file:line`. */
function changedLines(commit: string): ReadonlySet<string> {
  const diff = execFileSync('git', ['diff', '-U0', '--no-prefix', commit, '--', 'src'], { cwd: ROOT })
  const lines = new Set<string>()
  let file = ''
  for (const line of diff.toString().split('\n')) {
    if (line.startsWith('+++ ')) file = line.slice('+++ '.length)
    const [, first, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
    for (let at = 0; first !== undefined && at < Number(count); at++)
      lines.add(`${file}:${Number(first) + at}`)
  }
  return lines
}

/** @returns where each source file stands with its mutants in, by its URL */
async function prepare(
  files: readonly (MutableFile & { readonly path: string })[],
  ids: ReadonlyMap<Mutant, number>,
  folder: string,
): Promise<Readonly<Record<string, string>>> {
  const sources: Record<string, string> = {}
  for (const [at, { path, mutants, instrument }] of files.entries()) {
    if (!mutants.some((mutant) => ids.has(mutant))) continue
    const text = instrument(ids)
    const tsconfigRaw = { compilerOptions: { target: 'es2023', verbatimModuleSyntax: true } }
    const compiled = path.endsWith('.ts')
      ? (
          await transform(text, {
            loader: 'ts',
            format: 'esm',
            target: 'node20',
            sourcefile: path,
            tsconfigRaw,
          })
        ).code
      : text
    const prepared = join(folder, `${at}.mjs`)
    writeFileSync(prepared, compiled)
    sources[pathToFileURL(path).href] = prepared
  }
  return sources
}

/** The files that pass alone and together, the fastest first. */
async function dryRuns(
  room: Room,
  sources: Readonly<Record<string, string>>,
  mutants: number,
  folder: string,
): Promise<readonly DryRun[]> {
  const drop = (file: string, output: string) =>
    complain(`${room.name}: ${file} fails without a change, and notices nothing\n${lastLines(output)}`)
  const alone = await inParallel(testFiles(room), async (file, worker) => {
    const report = join(folder, `${worker}.json`)
    const trial = { files: [file], mutant: null, limit: null, report }
    let { failure, output } = await run(trial, sources, worker, mutants)
    for (let tries = 1; failure !== null && tries < DRY_TRIES; tries++)
      ({ failure, output } = await run(trial, sources, worker, mutants))
    if (failure !== null) {
      drop(file, output)
      return null
    }
    const { covered, ...cost } = JSON.parse(readFileSync(report, 'utf8'))
    return { file, covered: new Set<number>(covered), ...cost } as DryRun
  })
  let dry = alone
    .filter((one) => one !== null && one.covered.size > 0)
    .sort((a, b) => a!.wallMs - b!.wallMs) as DryRun[]
  for (;;) {
    const trial = { files: dry.map(({ file }) => file), mutant: -1, limit: limitOf(dry), report: null }
    const { failure, output } = await run(trial, sources, 0, mutants)
    if (failure === null) return dry
    const culprit = dry.find(({ file }) => failure.startsWith(file))
    drop(culprit?.file ?? `one of ${dry.length} files`, output)
    if (culprit === undefined) return []
    dry = dry.filter((one) => one !== culprit)
  }
}

function testFiles({ tests }: Room): readonly string[] {
  return tests.flatMap((name) => {
    const path = join(ROOT, 'test', name)
    if (!statSync(path).isDirectory()) return [join('test', name)]
    const found = (readdirSync(path, { recursive: true }) as string[]).filter((file) =>
      file.endsWith('.test.ts'),
    )
    return found.sort().map((file) => join('test', name, file))
  })
}

function limitOf(dry: readonly DryRun[]): Trial['limit'] {
  return {
    cpuMs: LEAST_PATIENCE_MS + PATIENCE * dry.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    ticks: Math.ceil(LEAST_PATIENCE_MS / TICK_MS + PATIENCE * dry.reduce((sum, { ticks }) => sum + ticks, 0)),
  }
}

function tryAll(
  mutants: readonly Mutant[],
  dry: readonly DryRun[],
  sources: Readonly<Record<string, string>>,
): Promise<readonly Verdict[]> {
  let done = 0
  return inParallel([...mutants.entries()], async ([id, mutant], worker): Promise<Verdict> => {
    const covering = dry.filter(({ covered }) => covered.has(id))
    const trial = {
      files: covering.map(({ file }) => file),
      mutant: id,
      limit: limitOf(covering),
      report: null,
    }
    const { failure, hung } =
      covering.length === 0
        ? { failure: null, hung: false }
        : await run(trial, sources, worker, mutants.length)
    done++
    if (process.stderr.isTTY)
      process.stderr.write(`\r${done}/${mutants.length}\x1b[K${done === mutants.length ? '\r' : ''}`)
    return { mutant, noticedBy: failure, hung }
  })
}

/** Runs test files in a process of their own, up to the first failure. */
function run(
  { files, mutant, limit, report }: Trial,
  sources: Readonly<Record<string, string>>,
  worker: number,
  mutants: number,
): Promise<TrialResult> {
  const task = {
    files: files.map((file) => join(ROOT, file)),
    sources,
    mutant,
    mutants,
    ticks: limit?.ticks ?? null,
    report,
  }
  const seconds = limit === null ? 'unlimited' : Math.ceil(limit.cpuMs / 1_000)
  const node = [process.execPath, `--import=${LOADER}`, RUNNER, `${worker}`]
  const child = spawn('sh', ['-c', `ulimit -t ${seconds}; exec "$@"`, 'sh', ...node], {
    cwd: ROOT,
    env: { ...process.env, MUTATE: JSON.stringify(task) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child.pid!)
  return new Promise((resolve, reject) => {
    let output = ''
    let failure: string | null = null
    let hung = false
    const stuck = setTimeout(
      () => reject(new Error(`A run neither ends nor turns its loop.\n${lastLines(output)}`)),
      STUCK_MS,
    )
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const from = output.lastIndexOf('\n') + 1
      output += chunk
      if (failure !== null) return
      const end = END.exec(output.slice(from))
      if (end === null) return
      hung = end[0] === HUNG
      failure = `${nameOf(output.slice(0, from + end.index))}${hung ? DOES_NOT_END : ''}`
      killTree(child.pid!)
    })
    child.stderr.setEncoding('utf8').on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(stuck)
      running.delete(child.pid!)
      if (failure === null && signal === 'SIGKILL') {
        hung = true
        failure = `${nameOf(output)}${DOES_NOT_END}`
      } else if (code !== 0) failure ??= `${nameOf(output)}, where the process ends with ${code ?? signal}`
      resolve({ failure, hung, output })
    })
  })
}

/** The file and the test that the output of tap is at. */
function nameOf(output: string): string {
  const [file, name] = [/^# Subtest: (.+)$/gm, /^ {4}# Subtest: (.+)$/gm].map(
    (title) => [...output.matchAll(title)].at(-1)?.[1],
  )
  return file === undefined ? 'the start' : `${relative(ROOT, file)}: ${name}`
}

function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-40).join('\n')
}

/**
 * Ends a process with all that it has started. It has no group of its own, as that needs a session of its own, which
 * does not take part in `nice` where the processor is shared by sessions.
 */
function killTree(pid: number): void {
  const doomed = [pid]
  const end = (one: number, signal: 'SIGSTOP' | 'SIGKILL'): void => {
    try {
      process.kill(one, signal)
    } catch {
      // It has ended.
    }
  }
  // Stopped, it starts no others while they are listed.
  end(pid, 'SIGSTOP')
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=']).toString().trim().split('\n')
  const processes = rows.map((row) => row.trim().split(/ +/).map(Number))
  for (const parent of doomed) for (const [pid, ppid] of processes) if (ppid === parent) doomed.push(pid!)
  for (const one of doomed) end(one, 'SIGKILL')
}

/** As many at a time as there are jobs; each has the number of its worker. */
async function inParallel<T, R>(
  items: readonly T[],
  work: (item: T, worker: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = []
  const left = [...items.entries()]
  const worker = async (number: number): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [at, item] = next
      results[at] = await work(item, number)
    }
  }
  await Promise.all(Array.from({ length: Number(options.jobs) }, (_, number) => worker(number)))
  return results
}

/** Prints the room's line and its survivors, and says whether that is enough. */
function judge(
  { name }: Room,
  verdicts: readonly Verdict[],
  explained: ReadonlyMap<string, Explanation>,
  seconds: number,
): Figures {
  const noticed = verdicts.filter(({ noticedBy }) => noticedBy !== null)
  const survivors = verdicts.filter(({ noticedBy }) => noticedBy === null).map(({ mutant }) => mutant)
  const isEquivalent = ({ key }: Mutant) => explained.get(key)?.kind === 'equivalent'
  const equivalent = survivors.filter(isEquivalent).length
  const unexplained = survivors.filter(({ key }) => !explained.has(key))
  const counted = verdicts.length - equivalent
  const percent = counted === 0 ? 100 : (100 * noticed.length) / counted
  console.log(
    `${name}: ${verdicts.length} mutants, ${noticed.length} killed (${noticed.filter(({ hung }) => hung).length} never ended), ` +
      `${survivors.length - unexplained.length} explained (${equivalent} equivalent), ${unexplained.length} survived, ` +
      `${percent.toFixed(1)} %, ${seconds.toFixed(0)} s`,
  )
  for (const { file, line, before, after } of unexplained)
    complain(`  ${file}:${line}  ${before} → ${after || 'nothing'}`)
  for (const { mutant, noticedBy } of noticed) {
    const row = explained.get(mutant.key)
    if (row !== undefined)
      complain(`  ${mutant.file}:${mutant.line} is explained (${row.reason}), and noticed by ${noticedBy}`)
  }
  if (percent < ENOUGH_PERCENT) complain(`  ${name} notices less than ${ENOUGH_PERCENT} %`)
  return {
    room: name,
    mutants: verdicts.length,
    killed: noticed.length,
    equivalent,
    accepted: survivors.length - unexplained.length - equivalent,
  }
}
