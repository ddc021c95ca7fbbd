/**
 * The licences of the packages that a bundle contains: it may be passed on
 * only with their notices.
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
const RULE = `\n${'-'.repeat(80)}\n\n`

/**
 * The packages that a bundle holds.
 * @param {readonly string[]} inputs  the files that the bundle is made of
 * @param {string} root  that their paths start from
 * @returns {{ name: string, version: string, license: string, folder: string }[]}
 */
export function packagesOf(inputs, root) {
  const folders = [...new Set(inputs.flatMap((path) => PACKAGE.exec(path)?.[0] ?? []))].sort()
  return folders.map((path) => {
    const folder = join(root, path)
    return { ...JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), folder }
  })
}

/**
 * @param {readonly string[]} inputs
 * @param {string} root
 * @throws Error where a package brings no text and none is known
 */
export function notices(inputs, root) {
  const parts = packagesOf(inputs, root).map(noticeOf)
  return ['The programs beside this file hold these packages.\n', ...parts].join(RULE)
}

function noticeOf({ name, version, license, folder }) {
  const files = [...textsOf(folder), ...[ELSEWHERE.get(name) ?? []].flat()]
  if (files.length === 0) throw new Error(`${name} ${version} (${license}) has no text of its licence.`)
  const texts = files.map((file) => readFileSync(file, 'utf8').trim())
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`
}

function textsOf(folder) {
  const entries = readdirSync(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile() && TEXTS.test(entry.name)).map(({ name }) => name)
  return names.sort().map((name) => join(folder, name))
}
