/** Which files share a process. */
import { readFileSync } from 'node:fs'
import { costs } from './costs.mjs'

/** What a process's own start is worth, beside the memory that its files leave behind. */
const LANE_MS = 60_000

/** Fixtures that start one server for the process: files that import the same one share a lane. */
const SHARED = ['browser', 'anvil']

/**
 * Packs files by their recorded time, the longest first, each into the lane that has least.
 * @param {string[]} files
 * @param {number} jobs  lanes that run at a time
 * @returns {string[][]}  the longest lane first
 */
export function lanesOf(files, jobs) {
  const costOf = costs()
  const groups = groupsOf(files)
    .map((group) => ({ files: group, ms: group.reduce((sum, file) => sum + costOf(file), 0) }))
    .sort((a, b) => b.ms - a.ms)
  const total = groups.reduce((sum, { ms }) => sum + ms, 0)
  const rounds = Math.max(1, Math.round(total / jobs / LANE_MS))
  const lanes = Array.from({ length: Math.min(groups.length, jobs * rounds) }, () => ({ ms: 0, files: [] }))
  for (const group of groups) {
    const least = lanes.reduce((a, b) => (b.ms < a.ms ? b : a))
    least.ms += group.ms
    least.files.push(...group.files)
  }
  return lanes.sort((a, b) => b.ms - a.ms).map((lane) => lane.files.sort())
}

/** Files that stay together. */
function groupsOf(files) {
  const groups = new Map()
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    const key = SHARED.find((name) => text.includes(`fixtures/${name}.ts'`)) ?? file
    groups.set(key, [...(groups.get(key) ?? []), file])
  }
  return [...groups.values()]
}
