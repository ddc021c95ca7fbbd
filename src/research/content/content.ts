/**
 * The operator's own content, from the last time CONTENT_DIR was valid.
 */
import { FromFiles } from '../../config/operator-file.ts'
import type { Logger } from '../../runtime/log.ts'
import { type Collections, inOrder, NAMES, readCollections, type StoredItem, storedItem } from './files.ts'
import type { CollectionName, SampleContent } from './inventory.ts'

export class Content {
  /** Null if there is no folder. */
  readonly #files: FromFiles<Collections> | null
  readonly #sample: Collections
  readonly #log: Logger

  /**
   * @param folder  null if none is configured
   * @param sample  the content without a folder
   * @throws ConfigError  see readCollections
   */
  constructor(folder: string | null, sample: SampleContent, log: Logger) {
    this.#log = log
    this.#sample = ofSample(folder === null ? sample : {})
    this.#files =
      folder === null ? null : new FromFiles("the operator's content", () => readCollections(folder), log)
  }

  /** A new object after each successful reload. */
  get edition(): object {
    return this.#collections
  }

  /** The items in their listed order. */
  collection(name: CollectionName): readonly StoredItem[] {
    return this.#collections[name]
  }

  /**
   * Reads the folder again while requests continue. If anything in it is invalid, the log says what, and the
   * old content stays.
   */
  async reload(): Promise<void> {
    if (!(await this.#files?.reload())) return
    const items = Object.values(this.#collections).reduce((sum, { length }) => sum + length, 0)
    this.#log.info({ items }, "the operator's content was read")
  }

  get #collections(): Collections {
    return this.#files?.value ?? this.#sample
  }
}

function ofSample(sample: SampleContent): Collections {
  const collections = NAMES.map((name) => [name, inOrder((sample[name] ?? []).map(storedItem))])
  return Object.fromEntries(collections) as Collections
}
