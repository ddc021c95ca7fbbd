/**
 * The addresses that the operator refuses, from the files that SANCTIONS_FILE names. A file is an array of
 * strings in JSON, or has one address a line; `#` begins a comment.
 */
import { addressKey, type RefusedAddresses } from '../chains/access.ts'
import type { Logger } from '../runtime/log.ts'
import { ConfigError } from './config.ts'
import { readOperatorFile } from './operator-file.ts'

/** Some 300,000 addresses: published lists have some hundred. */
const MAX_FILE_BYTES = 16 * 1024 * 1024

/** The addresses, from the last time all files could be read. */
export class Sanctions implements RefusedAddresses {
  readonly #paths: readonly string[]
  readonly #log: Logger
  #keys: ReadonlySet<string> = new Set()

  /**
   * @param paths  at least one
   * @throws ConfigError  where a file cannot be read, is malformed or has no address
   */
  constructor(paths: readonly string[], log: Logger) {
    this.#paths = paths
    this.#log = log
    this.#load()
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  /** Reads the files again. If one is bad, the addresses stay as they were and the log says why. */
  reload(): void {
    try {
      this.#load()
    } catch (error) {
      const why = (error as Error).message
      this.#log.error({ why }, 'the addresses to refuse could not be read; the ones from before stay')
    }
  }

  #load(): void {
    const keys = new Set<string>()
    let skipped = 0
    for (const [i, path] of this.#paths.entries()) {
      const entries = entriesOf(path, i)
      const known = entries.flatMap((entry) => addressKey(entry) ?? [])
      if (entries.length > 0 && known.length === 0) {
        throw bad(i, 'None of its entries is an address of a chain that is known here.')
      }
      for (const key of known) keys.add(key)
      skipped += entries.length - known.length
    }
    this.#keys = keys
    // An address with a typing mistake, or of a chain that is not known here, would otherwise go unnoticed.
    this.#log.info({ addresses: keys.size, skipped }, 'the addresses to refuse were read')
  }
}

/** @param i  the file's place in the list */
function entriesOf(path: string, i: number): readonly string[] {
  const text = textOf(path, i)
  if (!text.trimStart().startsWith('[')) {
    return text
      .split('\n')
      .map((line) => line.replace(/#.*/, '').trim())
      .filter((line) => line !== '')
  }
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    throw bad(i, 'It begins as an array in JSON and is none.')
  }
  if (Array.isArray(list) && list.every((entry) => typeof entry === 'string')) return list
  throw bad(i, 'Its array must hold strings only.')
}

function textOf(path: string, i: number): string {
  try {
    return readOperatorFile(path, MAX_FILE_BYTES)
  } catch (error) {
    throw bad(i, (error as Error).message)
  }
}

function bad(i: number, why: string): ConfigError {
  return new ConfigError(`SANCTIONS_FILE: file ${i + 1}: ${why}`)
}
