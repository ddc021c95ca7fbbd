/**
 * The licences of what a bundle holds of others: whoever passes the bundle on
 * passes on their packages, which is allowed with their notices only.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

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
/** Packages that are one file each, made of others by their authors: scripts/licences/within.mjs lists the others. */
const BUNDLED = new Set(['rapidoc'])
export const RULE = `\n${'-'.repeat(80)}\n\n`

/**
 * @param {readonly string[]} inputs  the files that the bundle is made of
 * @param {string} root  that their paths start from
 * @throws Error where a package brings no text and none is known, or what a new version holds is not listed
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
  return BUNDLED.has(name) ? [whole, readFileSync(listOf(name, version), 'utf8')].join(RULE) : whole
}

/** @returns the file that lists what a package holds of others: of this version, as the next one may hold others */
export const listOf = (name, version) => new URL(`licences/${name}-${version}.txt`, import.meta.url)

export const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

export function textsOf(folder) {
  const entries = readdirSync(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile() && TEXTS.test(entry.name)).map(({ name }) => name)
  return names.sort().map((name) => join(folder, name))
}
