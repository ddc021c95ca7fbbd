/** Which files share a process. */
import { readFileSync } from 'node:fs'
import { costs } from './costs.mjs'

/** Fixtures that start one server for the process, or build once: files that import the same one share a lane. */
const SHARED = ['browser', 'anvil', 'dist']

/**
 * Packs files by their recorded time, the longest first, into the lane that has least: as many lanes as run at a time,
 * as each loads all that its files import.
 * @param {string[]} files
 * @param {number} jobs  lanes that run at a time
 * @returns {string[][]}
 */
export function lanesOf(files, jobs) {
  const costOf = costs()
  const groups = groupsOf(files)
    .map((group) => ({ files: group, ms: group.reduce((sum, file) => sum + costOf(file), 0) }))
    .sort((a, b) => b.ms - a.ms)
  const lanes = Array.from({ length: Math.min(groups.length, jobs) }, () => ({ ms: 0, groups: [] }))
  for (const group of groups) {
    const least = lanes.reduce((a, b) => (b.ms < a.ms ? b : a))
    least.ms += group.ms
    least.groups.push(group.files)
  }
  return lanes.map((lane) => lane.groups.sort(inOrder).flat())
}

/**
 * By name, and those that share something last: once a browser is driven, Node 20 follows every promise of the process
 * for its driver's AsyncLocalStorage.
 */
function inOrder(a, b) {
  return Math.sign(a.length - 1) - Math.sign(b.length - 1) || (a[0] < b[0] ? -1 : 1)
}

/** Files that stay together. */
function groupsOf(files) {
  const groups = new Map()
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    const shared = SHARED.find((name) => text.includes(`fixtures/${name}.ts'`))
    const key = shared ?? file
    groups.set(key, [...(groups.get(key) ?? []), file])
  }
  return [...groups.values()]
}
