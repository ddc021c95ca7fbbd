/**
 * The operator's own content, as it was when CONTENT_DIR was last good.
 */
import { comparePlaces, type Place } from '../cursor.ts'
import type { Logger } from '../log.ts'
import { type Collections, type Item, NAMES, readCollections } from './files.ts'
import type { CollectionName, Sample } from './inventory.ts'

/** An item, and the text that answers are put together from. */
export interface Kept {
  readonly item: Item
  /** JSON. */
  readonly text: string
}

export class Content {
  readonly #folder: string | null
  readonly #log: Logger
  #kept: ReadonlyMap<CollectionName, readonly Kept[]>

  /**
   * @param folder  null where there is none
   * @param sample  what is served then
   * @throws ConfigError  see readCollections
   */
  constructor(folder: string | null, sample: Sample, log: Logger) {
    this.#folder = folder
    this.#log = log
    this.#kept = keep(folder === null ? sample : readCollections(folder))
  }

  /** Another object after each reading that was good. */
  get edition(): object {
    return this.#kept
  }

  /** In the order in which it is listed. */
  collection(name: CollectionName): readonly Kept[] {
    return this.#kept.get(name)!
  }

  /** Reads the folder again; where anything in it is bad now, the log says what and all stays as it was. */
  reload(): void {
    if (this.#folder === null) return
    try {
      this.#kept = keep(readCollections(this.#folder))
      const items = [...this.#kept.values()].reduce((sum, { length }) => sum + length, 0)
      this.#log.info({ items }, "the operator's content was read")
    } catch (error) {
      const why = (error as Error).message
      this.#log.error({ why }, "the operator's content could not be read; what was there before stays")
    }
  }
}

function keep(collections: Partial<Collections>): ReadonlyMap<CollectionName, readonly Kept[]> {
  return new Map(NAMES.map((name) => [name, inOrder(collections[name] ?? [])]))
}

/** Where an item stands in a list: the newest first, or the highest score. */
export function placeOf({ item: { at, score, id } }: Kept): Place {
  return [at ?? score ?? 0, id]
}

function inOrder(items: readonly Item[]): readonly Kept[] {
  const kept = items.map((item) => ({ item, text: JSON.stringify(item) }))
  const isOrdered = kept.some(({ item: { at, score } }) => at !== undefined || score !== undefined)
  return isOrdered ? kept.sort((a, b) => comparePlaces(placeOf(a), placeOf(b))) : kept
}
