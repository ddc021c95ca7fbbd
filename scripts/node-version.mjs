/**
 * Installs another version of Node.js from npm and prints the path of its program:
 *
 *   PATH="$(dirname "$(node scripts/node-version.mjs 22)"):$PATH" npm test
 *
 * Without a version it is the one that the image runs. It stays in node_modules/.cache. The package holds the
 * program, so that no script of it runs.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from './packages.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const [version = versionOfImage()] = process.argv.slice(2)
if (!/^\d+(\.\d+){0,2}$/.test(version)) {
  process.stderr.write(`node-version.mjs: "${version}" is not a version of Node.js, such as 24 or 24.21.0\n`)
  process.exit(1)
}
const folder = join(ROOT, 'node_modules/.cache', `node-${version}`)
const name = packageName()
const program = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
if (!existsSync(program)) install(folder, `${name}@${version}`)
process.stdout.write(`${program}\n`)

function versionOfImage() {
  return /^ARG NODE=node:([\d.]+)-/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))[1]
}

function packageName() {
  const { platform, arch } = process
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'
  return [prefix, platform === 'win32' ? 'win' : platform, arch].join('-')
}
