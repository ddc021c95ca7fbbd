/**
 * Which code each part of RESULTS.md measures, so that a part says when it is older than that
 * code. A run records digests of the files that its programs are made of, without their comments
 * and types; they are summed up by folder. Git's history would not do: a shallow clone has none,
 * and a commit may change comments alone.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The modules of each part, in bench/. What they import and start is measured, too. */
export const PARTS = {
  micro: ['parser', 'base58', 'verifier', 'pieces', 'limit', 'swaps'],
  proofs: ['proofs'],
  explain: ['explain'],
  http: ['http'],
  added: ['added'],
  bots: ['bots'],
  submissions: ['submissions'],
  landing: ['landing'],
  rows: ['rows'],
  research: ['tokens', 'portfolio'],
  holdings: ['holdings'],
  streams: ['streams'],
  overload: ['overload'],
  startup: ['startup'],
  scale: ['scale'],
  instances: ['instances'],
  siege: ['siege'],
  soak: ['soak'],
  restarts: ['soak'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type PartName = keyof typeof PARTS

type Modules = Readonly<Record<string, readonly string[]>>

/** A digest of what is measured of each folder, by the folder. */
export type Sources = ReadonlyMap<string, string>

/** Words of a bench's module that say which programs it starts (bench/process.ts). */
const STARTED: readonly (readonly [RegExp, string])[] = [
  [/\b(GATEWAY|IMAGE)\b/, 'src/main.ts'],
  [/\bSANDBOX\b/, 'src/sandbox/main.ts'],
  [/\bMODE: [^,\n]*'sandbox'/, 'src/sandbox/index.ts'],
]
/** The program of all other servers, and how a bench's module starts one of them. */
const SERVE = 'bench/serve.ts'
const PEER = /\bpeer\('(\w+)'\)/g
const SERVERS = 'bench/servers/'
/** The module of these words' own. */
const STARTER = 'bench/process.ts'
/** What words and writes figures changes none of them. */
const NOT_MEASURED = new Set(['report', 'results', 'measured', 'write'].map((name) => `bench/${name}.ts`))
/** The folder that versions of packages are summed up under. */
const PACKAGES = 'package.json'
const DIGITS = 8

interface Graph {
  /** The files that a file imports. */
  readonly files: ReadonlyMap<string, readonly string[]>
  /** The packages that a file imports. */
  readonly packages: ReadonlyMap<string, readonly string[]>
}

/** @param root  of the project @param parts  their modules, in bench/ */
export async function sourcesOfParts(
  root: string,
  parts: Modules = PARTS,
): Promise<ReadonlyMap<string, Sources>> {
  const graph = await graphOf(root, Object.values(parts).flat())
  const reached = new Map(
    Object.entries(parts).map(([name, modules]) => [
      name,
      reach(
        graph,
        modules.map((module) => `bench/${module}.ts`),
        root,
      ),
    ]),
  )
  const digests = await digestsOf(root, [...new Set([...reached.values()].flat())])
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>
  const versions = { ...devDependencies, ...optionalDependencies, ...dependencies }
  const sourcesOf = (files: readonly string[]): Sources => {
    const byFolder = new Map<string, string[]>()
    const add = (folder: string, line: string) =>
      byFolder.set(folder, [...(byFolder.get(folder) ?? []), line])
    for (const file of files) add(folderOf(file), `${file} ${digests.get(file)}`)
    for (const name of new Set(files.flatMap((file) => graph.packages.get(file) ?? []))) {
      add(PACKAGES, `${name} ${versions[name]}`)
    }
    return new Map(
      [...byFolder]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([folder, lines]) => [folder, digest(lines.sort().join('\n'))]),
    )
  }
  return new Map([...reached].map(([name, files]) => [name, sourcesOf(files)]))
}

/** @returns the folders of which anything changed */
export function changedFolders(before: Sources, now: Sources): string[] {
  const folders = new Set([...before.keys(), ...now.keys()])
  return [...folders].filter((folder) => before.get(folder) !== now.get(folder)).sort()
}

/** All files that the modules import or start, themselves included. */
function reach(graph: Graph, modules: readonly string[], root: string): string[] {
  const reached = new Set(modules)
  // The set grows while it is walked.
  for (const file of reached) {
    const imported = graph.files.get(file) ?? []
    for (const to of imported) if (isAlways(file, to)) reached.add(to)
    if (file.startsWith('bench/') && file !== STARTER && !NOT_MEASURED.has(file)) {
      for (const program of startedBy(readFileSync(join(root, file), 'utf8'), root)) reached.add(program)
    }
  }
  return [...reached].filter((file) => !NOT_MEASURED.has(file))
}

/** Whether a file that imports another runs it: the gateway loads the sandbox in one mode, and each server is a mode. */
function isAlways(from: string, to: string): boolean {
  if (from === SERVE) return !to.startsWith(SERVERS)
  return from.startsWith('bench/') || from.startsWith('src/sandbox/') || !to.startsWith('src/sandbox/')
}

function startedBy(text: string, root: string): string[] {
  const programs = STARTED.flatMap(([word, program]) => (word.test(text) ? program : []))
  const modes = [...text.matchAll(PEER)].map(([, mode]) => mode!)
  if (modes.length === 0) return programs
  const serve = readFileSync(join(root, SERVE), 'utf8')
  // A mode without a file of its own is in the program itself.
  const servers = modes.flatMap((mode) => {
    const file = new RegExp(`\\b${mode}: [^,]*import\\('\\./servers/(\\w+\\.ts)'\\)`).exec(serve)?.[1]
    return file === undefined ? [] : `${SERVERS}${file}`
  })
  return [...programs, SERVE, ...servers]
}

async function graphOf(root: string, modules: readonly string[]): Promise<Graph> {
  const { metafile } = await (await esbuild(root)).build({
    absWorkingDir: root,
    entryPoints: [
      ...new Set(modules.map((module) => `bench/${module}.ts`)),
      ...STARTED.map(([, program]) => program),
      SERVE,
    ],
    outdir: 'unwritten',
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    // What browsers get is built from src/clients/console, and costs the service nothing.
    external: ['#pages'],
    loader: DATA,
    logLevel: 'error',
  })
  const inputs = Object.entries(metafile.inputs)
  const importsOf = (isExternal: boolean) =>
    new Map(
      inputs.map(([file, { imports }]) => [
        file,
        imports.filter(({ external = false }) => external === isExternal).map(({ path }) => path),
      ]),
    )
  const packages = [...importsOf(true)].map(([file, paths]) => [file, paths.flatMap(packageOf)] as const)
  return { files: importsOf(false), packages: new Map(packages) }
}

const DATA = { '.lua': 'text', '.tsv': 'text' } as const

function packageOf(path: string): string[] {
  if (path.startsWith('node:') || path.startsWith('#')) return []
  return [/^(@[^/]+\/)?[^/]+/.exec(path)![0]]
}

/** `src/relay` of `src/relay/submissions/batch.ts`, `bench` of `bench/http.ts`, `src` of `src/main.ts`. */
function folderOf(file: string): string {
  const [top, ...path] = file.split('/')
  return top === 'bench' || path.length === 1 ? top! : `${top}/${path[0]}`
}

/** Of what is run: TypeScript without types and comments, data as it is. */
async function digestsOf(root: string, files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const isCode = (file: string): boolean => file.endsWith('.ts')
  const { outputFiles } = await (await esbuild(root)).build({
    absWorkingDir: root,
    entryPoints: files.filter(isCode),
    outdir: 'unwritten',
    outbase: root,
    outExtension: { '.js': '.ts' },
    write: false,
    minifyWhitespace: true,
    legalComments: 'none',
    format: 'esm',
    target: 'es2023',
    logLevel: 'error',
  })
  const folder = join(root, 'unwritten/')
  return new Map([
    ...outputFiles.map(({ path, text }) => [path.slice(folder.length), digest(text)] as const),
    ...files
      .filter((file) => !isCode(file))
      .map((file) => [file, digest(readFileSync(join(root, file)))] as const),
  ])
}

const digest = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex').slice(0, DIGITS)

/** The native bundler or its stand-in; this file may itself be in a bundle. */
async function esbuild(root: string): Promise<typeof import('esbuild')> {
  return import(pathToFileURL(join(root, 'scripts/esbuild.mjs')).href)
}
