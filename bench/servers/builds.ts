/** Builds another commit in a folder of its own, below node_modules/.cache. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describeCommit, ROOT } from '../figures/write.ts'
import { GATEWAY } from './process.ts'

const CACHE = join(ROOT, 'node_modules/.cache/compare')

/** A build of the service. */
export interface Build {
  readonly name: string
  /** Its program, as `npm start` runs it. */
  readonly main: string
}

/** The build of the files as they are, which the command that runs this has made. */
export const currentBuild = (): Build => ({ name: describeCommit(), main: GATEWAY })

/** @returns the full name of a commit; null if the clone does not have it */
export function findCommit(name: string, clone = ROOT): string | null {
  const { status, stdout } = run('git', ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], clone)
  return status === 0 ? stdout.trim() : null
}

/** @param commit  its full name @throws Error where it cannot be built */
export function buildOf(commit: string): Build {
  const folder = join(CACHE, commit)
  const built = join(folder, 'built')
  if (!existsSync(built)) {
    // One build is kept.
    rmSync(CACHE, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const archive = join(CACHE, 'files.tar')
    must('git', ['archive', '--output', archive, commit])
    must('tar', ['-xf', archive, '-C', folder])
    install(folder)
    must(process.execPath, ['scripts/build.mjs'], folder)
    writeFileSync(built, '')
  }
  return { name: commit.slice(0, 7), main: join(folder, 'dist/main.js') }
}

/** The packages are those of this clone where the lock file is the same: as hard links, without the caches of builds. */
function install(folder: string): void {
  const lockIn = (root: string): string => readFileSync(join(root, 'package-lock.json'), 'utf8')
  if (lockIn(folder) !== lockIn(ROOT)) {
    must('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
    return
  }
  const modules = join(ROOT, 'node_modules')
  const packages = readdirSync(modules).filter((name) => name !== '.cache')
  mkdirSync(join(folder, 'node_modules'))
  must('cp', ['-al', '-t', join(folder, 'node_modules'), ...packages.map((name) => join(modules, name))])
}

/** Whether two builds are the same service, whatever pages they serve: those are not built alike in every folder. */
export const areSame = (one: Build, other: Build): boolean => programOf(one) === programOf(other)

function programOf({ main }: Build): string {
  const folder = dirname(main)
  const names = readdirSync(folder).filter((name) => name.endsWith('.js') && !name.startsWith('pages-'))
  const texts = names.sort().map((name) => name + readFileSync(join(folder, name), 'utf8'))
  return texts.join('').replaceAll(/\bpages-[\w-]+\.js/g, 'pages.js')
}

function must(command: string, args: readonly string[], cwd = ROOT): void {
  const { status, stderr } = run(command, args, cwd)
  if (status !== 0) throw new Error(`${command} ${args[0]} failed in ${cwd}: ${stderr.trim().slice(-2_000)}`)
}

const run = (command: string, args: readonly string[], cwd = ROOT) =>
  spawnSync(command, args, { cwd, encoding: 'utf8' })
