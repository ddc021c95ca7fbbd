/** The operator's own ERC-7730 descriptors: all JSON files of a folder and of those in it. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../runtime/log.ts'
import type { DescriptorFiles, Descriptors } from './descriptors.ts'

const MAX_BYTES = 16 * 1024 * 1024
const MAX_FILES = 4_000

/** The descriptors that come with the library and those of the operator's folder, which is read at their first use. */
export class DescriptorFolder {
  readonly #folder: string | null
  readonly #log: Pick<Logger, 'error'>
  #current: Promise<Descriptors> | null = null

  constructor(folder: string | null, log: Pick<Logger, 'error'>) {
    this.#folder = folder
    this.#log = log
  }

  /** From the last time all files could be read; those of the library alone until then. */
  current(): Promise<Descriptors> {
    this.#current ??= this.#load().then((loaded) => loaded ?? described({}))
    return this.#current
  }

  /** Reads the folder again where it is in use. If it is bad, the descriptors stay as they were and the log says why. */
  async reload(): Promise<void> {
    const before = this.#current
    if (before === null || this.#folder === null) return
    this.#current = this.#load().then((loaded) => loaded ?? before)
    await this.#current
  }

  /** @returns null where the folder is bad */
  async #load(): Promise<Descriptors | null> {
    try {
      return await described(this.#folder === null ? {} : filesOf(this.#folder))
    } catch (error) {
      const why = (error as Error).message
      this.#log.error({ why }, 'DESCRIPTORS_DIR could not be read; the descriptors from before stay')
      return null
    }
  }
}

async function described(files: DescriptorFiles): Promise<Descriptors> {
  const { Descriptors } = await import('./descriptors.ts')
  return new Descriptors(files)
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
