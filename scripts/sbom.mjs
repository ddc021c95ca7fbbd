/**
 * `npm run sbom`: what swapgate runs with, as CycloneDX JSON on stdout, from the
 * lock file. It is what `npm sbom` says of everything, without what only development
 * needs: its own --omit=dev also leaves out what a dev dependency shares with the service.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const FOLDER = 'node_modules/'
const ARGS = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']

const { name, packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
const all = JSON.parse(
  execFileSync('npm', ARGS, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 }),
)
const root = all.metadata.component
// npm calls it by the folder.
root.name = name
const kept = new Set([root['bom-ref']])
for (const [path, { version, dev }] of Object.entries(packages)) {
  if (!dev) kept.add(`${path.slice(path.lastIndexOf(FOLDER) + FOLDER.length)}@${version}`)
}

const components = all.components.filter((component) => kept.has(component['bom-ref']))
const dependencies = all.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((ref) => kept.has(ref)) }))
process.stdout.write(`${JSON.stringify({ ...all, components, dependencies }, null, 2)}\n`)
