/** The operator's own ERC-7730 descriptors: all JSON files of a folder and of those in it. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../runtime/log.ts'
import { Descriptors } from './descriptors.ts'

const MAX_BYTES = 16 * 1024 * 1024
const MAX_FILES = 4_000

/** @returns those that come with the library alone, where the folder is bad: the log says why */
export function openDescriptors(folder: string | null, log: Pick<Logger, 'error'>): Descriptors {
  if (folder !== null) {
    try {
      return new Descriptors(filesOf(folder))
    } catch (error) {
      log.error({ why: (error as Error).message }, 'DESCRIPTORS_DIR could not be read; it is left out')
    }
  }
  return new Descriptors()
}

function filesOf(folder: string): Record<string, Record<string, unknown>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.json'),
  )
  if (names.length > MAX_FILES) throw new RangeError(`there are more than ${MAX_FILES} files`)
  let left = MAX_BYTES
  const files = names.map((name) => {
    left -= statSync(join(folder, name)).size
    if (left < 0) throw new RangeError('the files are larger than 16 MiB')
    return [name, JSON.parse(readFileSync(join(folder, name), 'utf8'))] as const
  })
  // Tests and indexes of a registry stand beside its descriptors.
  return Object.fromEntries(
    files.filter(([, file]) => typeof file?.display === 'object' || typeof file?.context === 'object'),
  )
}
