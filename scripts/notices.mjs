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

/**
 * @param {readonly string[]} inputs  the files that the bundle is made of
 * @param {string} root  that their paths start from
 * @throws Error where a package brings no text, and none is known
 */
export function notices(inputs, root) {
  const folders = new Set(inputs.flatMap((path) => PACKAGE.exec(path)?.[0] ?? []))
  const parts = [...folders].sort().map((folder) => notice(join(root, folder)))
  return ['The programs beside this file hold these packages.\n', ...parts].join(`\n${'-'.repeat(80)}\n\n`)
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const own = readdirSync(folder).filter((file) => TEXTS.test(file))
  const files = [...own.sort().map((file) => join(folder, file)), ...[ELSEWHERE.get(name) ?? []].flat()]
  if (files.length === 0) throw new Error(`${name} ${version} (${license}) has no text of its licence.`)
  const texts = files.map((file) => readFileSync(file, 'utf8').trim())
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`
}
