/** Which files share a process. */
import { readFileSync } from 'node:fs'
import { costs } from './costs.mjs'

/** What a process's own start is worth, beside the memory that its files leave behind. */
const LANE_MS = 120_000

/** Fixtures that start one server for the process: files that import the same one share a lane. */
const SHARED = ['browser', 'anvil']

/**
 * Packs files by their recorded time, the longest first, for the worker that has least; what a worker has is
 * split into lanes.
 * @param {string[]} files
 * @param {number} jobs  lanes that run at a time
 * @returns {string[][][]}  for each worker, its lanes
 */
export function lanesOf(files, jobs) {
  const costOf = costs()
  const groups = groupsOf(files)
    .map((group) => ({ files: group, ms: group.reduce((sum, file) => sum + costOf(file), 0) }))
    .sort((a, b) => b.ms - a.ms)
  const workers = packed(groups, Math.min(groups.length, jobs))
  return workers.map(({ ms, groups }) =>
    packed(groups, Math.min(groups.length, Math.max(1, Math.round(ms / LANE_MS)))).map((lane) =>
      lane.groups.flatMap((group) => group.files).sort(),
    ),
  )
}

/** @param groups  the longest first */
function packed(groups, count) {
  const bins = Array.from({ length: count }, () => ({ ms: 0, groups: [] }))
  for (const group of groups) {
    const least = bins.reduce((a, b) => (b.ms < a.ms ? b : a))
    least.ms += group.ms
    least.groups.push(group)
  }
  return bins
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
