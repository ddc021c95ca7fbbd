/**
 * The licences of what a bundle holds of others: whoever passes the bundle on
 * passes on their packages, which is allowed with their notices only.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^./][^/]*/
const TEXTS = /^(licen[cs]e|copying|notice)/i
/** Texts of their repositories that packages do not bring. */
const ELSEWHERE = new Map(
  Object.entries({
    '@redis/client': 'redis-client.txt',
    'fancy-canvas': 'fancy-canvas.txt',
    'lightweight-charts': 'lightweight-charts-notice.txt',
  }).map(([name, file]) => [name, new URL(`licences/${file}`, import.meta.url)]),
)
/** A package that is one file, made of its dependencies by its author: the file that says some of their licences. */
const BUNDLED = new Map([['rapidoc', 'dist/rapidoc-min.js.LICENSE.txt']])
const RULE = `\n${'-'.repeat(80)}\n\n`

/**
 * @param {readonly string[]} inputs  the files that the bundle is made of
 * @param {string} root  that their paths start from
 * @throws Error where a package brings no text, and none is known
 */
export function notices(inputs, root) {
  const folders = new Set(inputs.flatMap((path) => PACKAGE.exec(path)?.[0] ?? []))
  const parts = [...folders].sort().map((folder) => notice(join(root, folder)))
  return ['The programs beside this file hold these packages.\n', ...parts].join(RULE)
}

function notice(folder) {
  const { name, version, license } = manifestOf(folder)
  const files = [...textsOf(folder), ...[ELSEWHERE.get(name) ?? []].flat()]
  if (files.length === 0) throw new Error(`${name} ${version} (${license}) has no text of its licence.`)
  const texts = files.map((file) => readFileSync(file, 'utf8').trim())
  const whole = `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`
  return BUNDLED.has(name) ? [whole, ...within(folder, BUNDLED.get(name))].join(RULE) : whole
}

/**
 * What a package that is one file may hold of others: which of its dependencies, and in which versions, it does not
 * say. So all of them are named, once for each text.
 */
function within(folder, banner) {
  const names = new Map()
  for (const inner of dependenciesOf(folder)) {
    const { name, license, author } = manifestOf(inner)
    const texts = textsOf(inner).map((file) => readFileSync(file, 'utf8').trim())
    const text = texts.join('\n\n') || `${license}, by ${author?.name ?? author}; it brings no text.`
    names.set(text, [...(names.get(text) ?? []), `${name} (${license})`])
  }
  const { name } = manifestOf(folder)
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

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

function textsOf(folder) {
  const entries = readdirSync(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile() && TEXTS.test(entry.name)).map(({ name }) => name)
  return names.sort().map((name) => join(folder, name))
}
