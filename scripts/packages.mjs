/**
 * Installs packages from npm that `npm ci` does not. They stay in node_modules/.cache, each lock once. No script of
 * theirs runs.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CACHE = join(ROOT, 'node_modules/.cache')

/**
 * @param {string} folder  gets it in its node_modules
 * @param {string} spec    a package with its version
 */
export function install(folder, spec) {
  mkdirSync(folder, { recursive: true })
  npm(folder, 'install', '--no-save', '--prefix', folder, spec)
}

/**
 * @param {string} manifest  a folder with a package.json and its lock, from the project's root
 * @returns {string} the folder that has the packages in its node_modules
 */
export function installLocked(manifest) {
  const files = ['package.json', 'package-lock.json']
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(join(ROOT, manifest, file)))
  const folder = join(CACHE, `${basename(manifest)}-${hash.digest('hex').slice(0, 12)}`)
  if (existsSync(folder)) return folder
  // Beside it first: what is there is whole, also where two tests install it at once.
  mkdirSync(CACHE, { recursive: true })
  const made = mkdtempSync(`${folder}.`)
  for (const file of files) copyFileSync(join(ROOT, manifest, file), join(made, file))
  npm(made, 'ci')
  if (existsSync(folder)) rmSync(made, { recursive: true })
  else renameSync(made, folder)
  return folder
}

function npm(cwd, command, ...args) {
  // What npm says goes to stderr: stdout is for the path.
  execFileSync('npm', [command, '--ignore-scripts', '--no-audit', '--no-fund', ...args], {
    cwd,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
}
