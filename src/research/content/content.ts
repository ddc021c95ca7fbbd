/**
 * The operator's own content, from the last time CONTENT_DIR was valid.
 */
import { comparePositions, type ListPosition } from '../../runtime/cursor.ts'
import type { Logger } from '../../runtime/log.ts'
import { inPieces } from '../../runtime/loop-share.ts'
import { type Collections, NAMES, readCollections, type StoredItem, storedItem } from './files.ts'
import type { CollectionName, SampleContent } from './inventory.ts'

export class Content {
  readonly #folder: string | null
  readonly #log: Logger
  #collections: Collections
  /** The last reload that was requested: reloads run one after the other. */
  #reading: Promise<void> = Promise.resolve()

  /**
   * @param folder  null if none is configured
   * @param sample  the content without a folder
   * @throws ConfigError  see readCollections
   */
  constructor(folder: string | null, sample: SampleContent, log: Logger) {
    this.#folder = folder
    this.#log = log
    this.#collections = folder === null ? ofSample(sample) : finish(readInOrder(folder))
  }

  /** A new object after each successful reload. */
  get edition(): object {
    return this.#collections
  }

  /** The items in the order in which they are listed. */
  collection(name: CollectionName): readonly StoredItem[] {
    return this.#collections[name]
  }

  /**
   * Reads the folder again while requests go on. If anything in it is invalid, the log says what, and the old
   * content stays.
   */
  reload(): Promise<void> {
    const folder = this.#folder
    if (folder !== null) this.#reading = this.#reading.then(() => this.#read(folder))
    return this.#reading
  }

  async #read(folder: string): Promise<void> {
    try {
      this.#collections = await finishInPieces(readInOrder(folder))
      const items = Object.values(this.#collections).reduce((sum, { length }) => sum + length, 0)
      this.#log.info({ items }, "the operator's content was read")
    } catch (error) {
      const why = (error as Error).message
      this.#log.error({ why }, "the operator's content could not be read; what was there before stays")
    }
  }
}

/** An item's place in its list: the newest first, or the highest score. */
export function placeOf({ item: { at, score, id } }: StoredItem): ListPosition {
  return [at ?? score ?? 0, id]
}

function* readInOrder(folder: string): Generator<void, Collections, void> {
  const read = yield* readCollections(folder)
  const collections: [name: CollectionName, items: readonly StoredItem[]][] = []
  for (const name of NAMES) {
    yield
    collections.push([name, inOrder(read[name])])
  }
  return Object.fromEntries(collections) as Collections
}

function ofSample(sample: SampleContent): Collections {
  const collections = NAMES.map((name) => [name, inOrder((sample[name] ?? []).map(storedItem))])
  return Object.fromEntries(collections) as Collections
}

function inOrder(items: readonly StoredItem[]): readonly StoredItem[] {
  const isOrdered = items.some(({ item: { at, score } }) => at !== undefined || score !== undefined)
  return isOrdered ? [...items].sort((a, b) => comparePositions(placeOf(a), placeOf(b))) : items
}

/** Runs all pieces at once: at start-up no request is waiting. */
function finish<T>(pieces: Generator<void, T, void>): T {
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
  }
}

async function finishInPieces<T>(pieces: Generator<void, T, void>): Promise<T> {
  let last = pieces.next()
  await inPieces(() => {
    if (!last.done) last = pieces.next()
    return !last.done
  })
  return (last as IteratorReturnResult<T>).value
}
