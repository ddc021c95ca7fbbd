/** What tells whether a file that was made is up to date: hashes of the files that it was made of. */
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 12)
}

/** @returns the file's text; null if there is none */
export function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** @returns each path with the hash of what stands there; null if nothing does */
export function hashesOf(base, paths) {
  return Object.fromEntries(paths.map((path) => [path, hashOf(join(base, path))]))
}

function hashOf(path) {
  try {
    return sha256(readFileSync(path))
  } catch {
    return null
  }
}

/** Whether the files still have these hashes. */
export const isSame = (base, hashes) =>
  JSON.stringify(hashesOf(base, Object.keys(hashes))) === JSON.stringify(hashes)

/** Renamed into place: two processes may write the same file at once. */
export function write(path, text) {
  const partial = `${path}.${process.pid}`
  writeFileSync(partial, text)
  renameSync(partial, path)
}
