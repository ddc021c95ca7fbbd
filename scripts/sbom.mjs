/**
 * `npm run sbom`: the packages that the built programs hold, as CycloneDX JSON on stdout: what `npm sbom` says of the
 * lock file, without the packages that only build and test.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inputs } from './build.mjs'
import { packagesOf } from './notices.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const ARGS = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']

const all = JSON.parse(
  execFileSync('npm', ARGS, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 }),
)
const root = all.metadata.component
// npm calls it by the folder.
root.name = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).name
const held = packagesOf(await inputs(), ROOT)
const kept = new Set([root['bom-ref'], ...held.map(({ name, version }) => `${name}@${version}`)])

const components = all.components.filter((component) => kept.has(component['bom-ref']))
const dependencies = all.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((ref) => kept.has(ref)) }))
process.stdout.write(`${JSON.stringify({ ...all, components, dependencies }, null, 2)}\n`)
