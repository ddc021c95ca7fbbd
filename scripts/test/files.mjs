/** Which files a run has. */
import { existsSync, readdirSync } from 'node:fs'
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

/**
 * @param {{ unit: boolean, long: boolean }} which
 * @param {string[]} named  files or folders; all where it is empty
 * @returns {string[]}  paths from the root, such as `test/http/router.test.ts`
 */
export function filesOf(which, named) {
  if (named.length === 0) return filesIn('test').filter((path) => isOf(which, path.split('/').slice(1, -1)))
  const paths = named.filter((path) => existsSync(path))
  return [...new Set(paths.flatMap((path) => (path.endsWith('.test.ts') ? [path] : filesIn(path))))].sort()
}

function isOf({ unit, long }, folders) {
  if (!unit) return (folders[0] === 'long') === long
  return folders.length > 0 && !folders.some((folder) => folder === 'long' || NOT_UNIT.has(folder))
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.test.ts'))
    .sort()
}
