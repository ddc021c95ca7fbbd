/** Reads a file of the operator's. */
import { readFileSync, statSync } from 'node:fs'

/**
 * @returns its text
 * @throws RangeError  which says why it cannot be read, and repeats nothing of it
 */
export function readOperatorFile(path: string, maxBytes: number): string {
  try {
    if (statSync(path).size <= maxBytes) return readFileSync(path, 'utf8')
  } catch (error) {
    throw new RangeError(`The file cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  throw new RangeError(`The file is larger than ${maxBytes / 1_048_576} MiB.`)
}
