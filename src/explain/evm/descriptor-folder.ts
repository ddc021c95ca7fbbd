/** The operator's own ERC-7730 descriptors: all JSON files of a folder and of those in it. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseInPieces } from '../../chains/json/parse-pieces.ts'
import { readOperatorFile } from '../../config/operator-file.ts'
import { finishInPieces } from '../../flow/loop-share.ts'
import type { Logger } from '../../runtime/log.ts'
import { shownPath } from '../../runtime/shown.ts'
import type { DescriptorFiles, Descriptors } from './descriptors.ts'

/** Of all files together. */
const MAX_BYTES = 16 * 1024 * 1024
/** Files of all kinds, and folders. */
const MAX_ENTRIES = 16_000

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

  /**
   * Reloads the folder while it is in use. If it is bad, the descriptors stay as they were and the log says
   * why.
   */
  async reload(): Promise<void> {
    const before = this.#current
    if (before === null || this.#folder === null) return
    this.#current = this.#load().then((loaded) => loaded ?? before)
    await this.#current
  }

  /** @returns null if the folder is bad */
  async #load(): Promise<Descriptors | null> {
    try {
      return await described(this.#folder === null ? {} : await finishInPieces(filesOf(this.#folder)))
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

function* filesOf(folder: string): Generator<void, Record<string, Record<string, unknown>>, void> {
  let left = MAX_BYTES
  const files: [name: string, file: Record<string, unknown>][] = []
  for (const name of yield* namesIn(folder)) {
    try {
      const bytes = yield* readOperatorFile(join(folder, name), MAX_BYTES)
      left -= bytes.length
      if (left < 0) throw new RangeError('With it, the files are larger than 16 MiB.')
      const file = (yield* parseInPieces(bytes)) as Record<string, unknown> | null
      // A registry's tests and indexes are next to its descriptors.
      if (typeof file?.display === 'object' || typeof file?.context === 'object') files.push([name, file])
    } catch (error) {
      throw new RangeError(`${shownPath(join(folder, name))}: ${(error as Error).message}`)
    }
  }
  return Object.fromEntries(files)
}

/** The JSON files of the folder and of those in it, by their paths there. */
function* namesIn(folder: string): Generator<void, readonly string[], void> {
  const names: string[] = []
  const folders = ['']
  let seen = 0
  for (const within of folders) {
    for (const entry of readdirSync(join(folder, within), { withFileTypes: true })) {
      const name = join(within, entry.name)
      // A link may lead to a folder.
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && isFolderAt(join(folder, name)))
      if (isFolder) folders.push(name)
      else if (name.endsWith('.json')) names.push(name)
      if (++seen > MAX_ENTRIES)
        throw new RangeError(`${shownPath(folder)} has more than ${MAX_ENTRIES} entries`)
    }
    yield
  }
  return names
}

const isFolderAt = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
