/** Which files a run has. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folders that start servers by the dozen, replay the sandbox, run a chain, drive a browser or try attacks by the thousand. */
const NOT_UNIT = new Set([
  'clients',
  'conformance',
  'docs',
  'hostile',
  'nodes',
  'openapi',
  'programs',
  'providers',
  'redis',
  'routes',
  'sandbox',
  'siege',
  'simulation',
])
/** Who starts whole gateways is no unit either. */
const GATEWAY = "fixtures/gateway.ts'"

/**
 * @param {{ unit: boolean, long: boolean }} which
 * @param {string[]} named  files or folders; all where it is empty
 * @returns {string[]}  paths from the root, such as `test/http/router.test.ts`
 */
export function filesOf(which, named) {
  if (named.length === 0) return filesIn('test').filter((path) => isOf(which, path))
  const paths = named.filter((path) => existsSync(path))
  return [...new Set(paths.flatMap((path) => (path.endsWith('.test.ts') ? [path] : filesIn(path))))].sort()
}

function isOf({ unit, long }, path) {
  const folders = path.split('/').slice(1, -1)
  if (!unit) return (folders[0] === 'long') === long
  const isApart = folders.length === 0 || folders.some((folder) => folder === 'long' || NOT_UNIT.has(folder))
  return !isApart && !readFileSync(path, 'utf8').includes(GATEWAY)
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.test.ts'))
    .sort()
}
