/**
 * The addresses that the operator refuses, from the files that SANCTIONS_FILE names. A file is an array of
 * strings in JSON, or has one address a line; `#` begins a comment.
 *
 * It fails closed: a file that is empty, was cut, or lost more than half of its addresses is more likely to
 * be half written than to be meant, and serving a refused address is worse than refusing too many.
 */
import { addressKey, type RefusedAddresses } from '../chains/access.ts'
import { parseInPieces } from '../chains/json/parse-pieces.ts'
import { skipSpace } from '../chains/json/tokens.ts'
import type { Logger } from '../runtime/log.ts'
import { shownPath } from '../runtime/shown.ts'
import { type Config, ConfigError } from './config.ts'
import { FromFiles, linesOf, readOperatorFile } from './operator-file.ts'

/** About 300,000 addresses: published lists have a few hundred. */
const MAX_FILE_BYTES = 16 * 1024 * 1024
const NEWLINE = 0x0a
const OPEN_BRACKET = 0x5b

interface RefusedList {
  readonly keys: ReadonlySet<string>
  /** How many addresses each file has. */
  readonly counts: readonly number[]
  /** Entries that are not an address of any known chain. */
  readonly skipped: number
}

/** The addresses, from the last time all files were good. */
export class Sanctions implements RefusedAddresses {
  readonly #files: FromFiles<RefusedList>
  readonly #log: Logger

  /** @throws ConfigError  if a file cannot be read, is malformed, has no address or was cut */
  constructor(config: Pick<Config, 'sanctionsFiles' | 'sanctionsMayShrink'>, log: Logger) {
    this.#log = log
    this.#files = new FromFiles('the addresses to refuse', (before) => readLists(config, before), log)
    this.#logCounts()
  }

  has(key: string): boolean {
    return this.#files.value.keys.has(key)
  }

  /** Reads the files again. If one is bad, the addresses stay as they were and the log says why. */
  async reload(): Promise<void> {
    if (await this.#files.reload()) this.#logCounts()
  }

  /** A mistyped address, or one of an unknown chain, would otherwise go unnoticed. */
  #logCounts(): void {
    const { keys, skipped } = this.#files.value
    this.#log.info({ addresses: keys.size, skipped }, 'the addresses to refuse were read')
  }
}

function* readLists(
  { sanctionsFiles, sanctionsMayShrink }: Pick<Config, 'sanctionsFiles' | 'sanctionsMayShrink'>,
  before: RefusedList | null,
): Generator<void, RefusedList, void> {
  const keys = new Set<string>()
  const counts: number[] = []
  let skipped = 0
  for (const [i, path] of sanctionsFiles.entries()) {
    const least = sanctionsMayShrink ? 0 : Math.max(1, (before?.counts[i] ?? 0) / 2)
    try {
      const list = yield* readList(path, before?.counts[i] ?? 0, least)
      for (const key of list.keys) keys.add(key)
      counts.push(list.keys.length)
      skipped += list.skipped
    } catch (error) {
      throw new ConfigError(`SANCTIONS_FILE: ${shownPath(path)}: ${(error as Error).message}`)
    }
  }
  return { keys, counts, skipped }
}

/**
 * @param before  how many addresses it had at the last reading
 * @param least   how many it must have
 */
function* readList(path: string, before: number, least: number) {
  const bytes = yield* readOperatorFile(path, MAX_FILE_BYTES)
  const isJson = bytes[skipSpace(bytes, 0)] === OPEN_BRACKET
  const entries = yield* isJson ? readArray(bytes) : readLines(bytes)
  const keys: string[] = []
  let isLastKnown = true
  for (const entry of entries) {
    const key = addressKey(entry)
    isLastKnown = key !== null
    if (key !== null) keys.push(key)
    yield
  }
  if (entries.length > 0 && keys.length === 0)
    throw new RangeError('None of its entries is an address of a chain that is known here.')
  const isEnded = isJson || bytes.length === 0 || bytes.at(-1) === NEWLINE
  if (!isEnded && (!isLastKnown || keys.length < before))
    throw new RangeError('Its last line has no end, so the file may be cut. If it is whole, end that line.')
  if (keys.length < least) {
    const but = keys.length === 0 ? 'It has no address' : `It has ${keys.length} addresses, and had ${before}`
    const may = 'SANCTIONS_MAY_SHRINK=on accepts that'
    throw new RangeError(`${but}: ${before === 0 ? may : `${may}, and so does a new start`}.`)
  }
  return { keys, skipped: entries.length - keys.length }
}

function* readLines(bytes: Buffer): Generator<void, readonly string[], void> {
  const entries: string[] = []
  for (const [, line] of linesOf(bytes)) {
    const text = line.toString('utf8')
    const comment = text.indexOf('#')
    const entry = (comment === -1 ? text : text.slice(0, comment)).trim()
    if (entry !== '') entries.push(entry)
    yield
  }
  return entries
}

function* readArray(bytes: Buffer): Generator<void, readonly string[], void> {
  let list: unknown
  try {
    list = yield* parseInPieces(bytes)
  } catch {
    throw new RangeError('It begins as an array in JSON and is none.')
  }
  if (Array.isArray(list) && list.every((entry) => typeof entry === 'string')) return list
  throw new RangeError('Its array must hold strings only.')
}
