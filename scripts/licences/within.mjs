/**
 * Writes which packages a package of one file may hold, with their licences: `node scripts/licences/within.mjs rapidoc`
 * after its version in package.json has changed. It does not say which of its dependencies are in it: so all are named,
 * once for each text. They are installed for this alone; `npm ci` leaves them out (`overrides` in package.json).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { listOf, manifestOf, RULE, textsOf } from '../notices.mjs'
import { install } from '../packages.mjs'

/** The file that says some of their licences. */
const BANNERS = { rapidoc: 'dist/rapidoc-min.js.LICENSE.txt' }

const [, , name = ''] = process.argv
const { devDependencies } = manifestOf(join(import.meta.dirname, '../..'))
const version = devDependencies[name]
const root = install(`within-${name}-${version}`, [`${name}@${version}`])
const parts = within(join(root, 'node_modules', name), BANNERS[name])
writeFileSync(listOf(name, version), parts.join(RULE))

function within(folder, banner) {
  const names = new Map()
  for (const inner of dependenciesOf(folder)) {
    const { name, license, author } = manifestOf(inner)
    const texts = textsOf(inner).map((file) => readFileSync(file, 'utf8').trim())
    const text = texts.join('\n\n') || `${license}, by ${author?.name ?? author}; it brings no text.`
    names.set(text, [...(names.get(text) ?? []), `${name} (${license})`])
  }
  return [
    `What the file of ${name} says of the packages in it:\n\n${readFileSync(join(folder, banner), 'utf8').trim()}\n`,
    ...[...names].map(([text, held]) => `Within ${name}: ${held.sort().join(', ')}\n\n${text}\n`),
  ]
}

/** @returns the folders of all that it depends on, at last, as they are installed */
function dependenciesOf(folder, found = new Set()) {
  for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
    const inner = resolve(folder, name)
    if (inner === null || found.has(inner)) continue
    found.add(inner)
    dependenciesOf(inner, found)
  }
  return found
}

/** As Node.js does: the next folder upwards that has it. */
function resolve(from, name) {
  const folder = join(from, 'node_modules', name)
  if (existsSync(join(folder, 'package.json'))) return folder
  return dirname(from) === from ? null : resolve(dirname(from), name)
}
