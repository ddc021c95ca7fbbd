/** What each file took when `npm test -- --record` last ran: milliseconds from its begin to its end in a lane. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const PATH = new URL('costs.json', import.meta.url)

/** Of a file that nobody has timed yet. */
const USUAL_MS = 1_000

/** @returns {(file: string) => number} */
export function costs() {
  const known = read()
  return (file) => known[file] ?? USUAL_MS
}

/** @param {Record<string, number>} measured  of the files that ran; others keep what they had, unless they are gone */
export function record(measured) {
  const kept = Object.entries(read()).filter(([file]) => existsSync(file))
  const rows = Object.entries({ ...Object.fromEntries(kept), ...measured })
  writeFileSync(
    PATH,
    `${JSON.stringify(Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`,
  )
}

const read = () => JSON.parse(readFileSync(PATH, 'utf8'))
