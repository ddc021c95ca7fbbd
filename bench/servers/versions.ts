/**
 * The versions of Node.js that are measured. A run is on the image's, which is what users run; `--node=20` runs it on
 * another. Both are installed from npm below node_modules/.cache, as CI's are.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const OPTION = '--node='
/** The version after the image's, which some tables have a column for. */
export const NEXT = '26'

/** @param version  such as 26; empty for the image's @returns the path of its program */
export function nodeOf(version: string): string {
  const words = ['scripts/node-version.mjs', ...(version === '' ? [] : [version])]
  const { stdout, status } = spawnSync(process.execPath, words, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Error(`Node.js ${version} could not be installed.`)
  return stdout.trim()
}

/**
 * Runs this program on the version that the words name, or on the image's.
 * @param words  of the command line
 * @returns the words without the option, if this process is to go on
 */
export function onVersion(words: readonly string[]): readonly string[] {
  const option = words.find((word) => word.startsWith(OPTION))
  const rest = words.filter((word) => word !== option)
  if (process.env.BENCH_NODE === 'chosen') return rest
  const program = nodeOf(option?.slice(OPTION.length) ?? '')
  // Its code cache is of the version that runs it.
  spawnSync(program, ['scripts/build.mjs', '--image', 'dist/image'], { cwd: ROOT, stdio: 'inherit' })
  const { status } = spawnSync(program, [...process.execArgv, process.argv[1]!, ...words], {
    env: { ...process.env, BENCH_NODE: 'chosen' },
    stdio: 'inherit',
  })
  process.exit(status ?? 1)
}
