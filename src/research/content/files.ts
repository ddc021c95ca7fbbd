/**
 * Reads CONTENT_DIR to collections: `<collection>.jsonl` holds one item per line. Every fault is reported with its
 * file and line; values are never repeated.
 *
 * Source: RFC 8259 · https://jsonlines.org
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseAnyAddress } from '../../chains/address.ts'
import { parsedOrNone } from '../../chains/json/parse.ts'
import { ConfigError } from '../../config/config.ts'
import { linesOf, readOperatorFile } from '../../config/operator-file.ts'
import { comparePositions, type ListPosition } from '../../runtime/cursor.ts'
import { nearest } from '../../runtime/nearest.ts'
import { shownPath } from '../../runtime/shown.ts'
import { compile, refuseInput, type Validator } from '../../runtime/validate.ts'
import { COLLECTIONS, type CollectionName, type ContentItem, reservedIds } from './inventory.ts'

export const MAX_FILE_BYTES = 1_048_576
export const MAX_ITEMS = 1_000
/** The most faults in one report: the others follow once these are fixed. */
const MAX_FAULTS = 20

const EXTENSION = '.jsonl'

/** An item, and its JSON text, from which answers are assembled. */
export type StoredItem = Readonly<ReturnType<typeof storedItem>>

export type Collections = Readonly<Record<CollectionName, readonly StoredItem[]>>

export const storedItem = (item: ContentItem) => ({ item, text: JSON.stringify(item) })

export const NAMES = Object.keys(COLLECTIONS) as CollectionName[]

/** An item's place in its list: the newest first, or the highest score. */
export function placeOf({ item: { at, score, id } }: StoredItem): ListPosition {
  return [at ?? score ?? 0, id]
}

export function inOrder(items: readonly StoredItem[]): readonly StoredItem[] {
  const isOrdered = items.some(({ item: { at, score } }) => at !== undefined || score !== undefined)
  return isOrdered ? [...items].sort((a, b) => comparePositions(placeOf(a), placeOf(b))) : items
}

/**
 * Reads in pieces of well below a millisecond.
 * @returns the items in their listed order; empty if a collection has no file
 * @throws ConfigError  which lists the faults, one per line
 */
export function* readCollections(folder: string): Generator<void, Collections, void> {
  const faults: string[] = []
  const names = namesIn(folder, faults)
  const collections: [name: CollectionName, items: readonly StoredItem[]][] = []
  for (const name of NAMES) {
    const items = names.has(name) ? yield* readFile(folder, name, faults) : []
    yield
    collections.push([name, inOrder(items)])
  }
  if (faults.length > 0) throw new ConfigError(messageOf(faults))
  return Object.fromEntries(collections) as Collections
}

function messageOf(faults: readonly string[]): string {
  const more = faults.length - MAX_FAULTS
  const shown = more > 0 ? [...faults.slice(0, MAX_FAULTS), `and ${more} more`] : faults
  return `CONTENT_DIR: ${shown.join('\n  ')}`
}

/** The collections that have a file. Files of other kinds, such as a README, are ignored. */
function namesIn(folder: string, faults: string[]): ReadonlySet<string> {
  let files: readonly string[]
  try {
    files = readdirSync(folder)
  } catch (error) {
    throw new ConfigError(
      `CONTENT_DIR: ${shownPath(folder)}: The folder cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
  const names = files
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length))
  for (const name of names) {
    if (Object.hasOwn(COLLECTIONS, name)) continue
    const meant = nearest(name, NAMES)
    const hint = meant === null ? `they are ${NAMES.join(', ')}` : `you probably mean ${meant}${EXTENSION}`
    faults.push(`${name}${EXTENSION}: No collection has this name; ${hint}.`)
  }
  return new Set(names)
}

function* readFile(
  folder: string,
  name: CollectionName,
  faults: string[],
): Generator<void, readonly StoredItem[], void> {
  const file = `${name}${EXTENSION}`
  let bytes: Buffer
  try {
    bytes = yield* readOperatorFile(join(folder, file), MAX_FILE_BYTES)
  } catch (error) {
    faults.push(`${file}: ${(error as Error).message}`)
    return []
  }
  const read = itemReader(name)
  const items: StoredItem[] = []
  for (const [line, json] of linesOf(bytes)) {
    yield
    const item = read(json, line)
    if (typeof item !== 'string') items.push(storedItem(item))
    else faults.push(`${file}:${line}: ${item}`)
    if (items.length > MAX_ITEMS) {
      faults.push(`${file}:${line}: A collection holds at most ${MAX_ITEMS} items.`)
      break
    }
  }
  return items
}

/**
 * Reads the items of one collection, each id once.
 * @returns a function that gives the item of a line, or a message that says what is wrong with it
 */
function itemReader(name: CollectionName): (json: Buffer, line: number) => ContentItem | string {
  const validator: Validator = compile(COLLECTIONS[name])
  const reserved = reservedIds(name)
  /** The line of each id. */
  const seen = new Map<string, number>()
  return (json, line) => {
    const value = parsedOrNone(json)
    if (value === undefined) return 'The line must be one JSON object in UTF-8.'
    if (!validator.Check(value)) return refuseInput(validator, value, 'item').message
    const item = value as ContentItem
    if (reserved.has(item.id))
      return '`item.id` is reserved for another path of this collection; choose another.'
    const first = seen.get(item.id)
    if (first !== undefined) return `\`item.id\` is already used in line ${first}; each id must be unique.`
    seen.set(item.id, line)
    return withWallet(item) ?? '`item.wallet` must be an address on a chain of GET /api/chains.'
  }
}

/** The item with its wallet in canonical spelling; null if the wallet is not an address. */
function withWallet<T extends { readonly wallet?: string }>(item: T): T | null {
  if (item.wallet === undefined) return item
  const wallet = parseAnyAddress(item.wallet)
  return wallet === null ? null : { ...item, wallet }
}
