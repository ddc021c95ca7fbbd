/**
 * A stream of what all instances find out: each appends its own, and takes what the others append. It stays when an
 * instance restarts, which then has all of it again.
 *
 *   <mac> {"row":{..},"client":7,"builtAt":1795305590000}
 *
 * An attacker who can write into Redis can add nothing: an entry without a MAC by the instances' secret is ignored. By
 * removing or reordering entries he can choose what an instance sees that starts later.
 */
import { joined } from '../../runtime/joined.ts'
import { Mac } from '../../runtime/mac.ts'
import exchangeEntries from './exchange-entries.lua'
import { listOf, runScript } from './run-script.ts'
import { script } from './script.ts'
import type { Store } from './store.ts'

const EXCHANGE = script(exchangeEntries)
const EVERY_MS = 5_000
/** Entries sent and read in one round trip: about a millisecond's work. */
const PAGE = 100
const MAC_BYTES = 16
const FIRST = '0-0'

export interface StreamOptions<Item> {
  readonly store: Store
  /** The same for all instances. */
  readonly secret: string
  readonly everyMs?: number
  readonly tag: string
  readonly name: string
  /** Of its MACs. */
  readonly purpose: string
  /** Entries that Redis keeps, and that wait here while it is away. */
  readonly max: number
  readonly keepMs: number
  /** @returns null for a text that is none of ours, or is that of a version with other members */
  readonly read: (json: string) => Item | null
  /** Called with what any instance appends, in their order. */
  readonly take: (item: Item) => void
}

export class SharedStream<Item> {
  readonly #options: StreamOptions<Item>
  readonly #mac: Mac
  #unsent: string[] = []
  /** The id of the last entry that was read. */
  #last = FIRST

  constructor(options: StreamOptions<Item>) {
    const { store, secret, purpose, everyMs = EVERY_MS } = options
    this.#options = options
    this.#mac = Mac.for(purpose, secret)
    store.every(everyMs, () => void this.catchUp())
  }

  append(item: Item): void {
    const text = JSON.stringify(item)
    this.#unsent.push(`${this.#mac.of(text).subarray(0, MAC_BYTES).toString('base64url')} ${text}`)
    void this.catchUp()
  }

  /** Resolves once all is taken that Redis has by now, or Redis does not answer. */
  readonly catchUp = joined(async () => {
    for (let taken = 0; taken < this.#options.max; taken += PAGE) {
      if ((await this.#exchange()) < PAGE) return
    }
  })

  /** @returns how many entries were read; what Redis doesn't take is sent again later */
  async #exchange(): Promise<number> {
    const { store, tag, name, max, keepMs, read, take } = this.#options
    const sent = this.#unsent.splice(0, PAGE)
    const words = [this.#last, ...[PAGE, max, keepMs].map(String), ...sent]
    const found = await runScript(store, EXCHANGE, [store.key(tag, name)], words, listOf(isEntry))
    if (found === undefined) this.#unsent = [...sent, ...this.#unsent].slice(-max)
    for (const [id, text] of found ?? []) {
      this.#last = id
      const [, mac = '', json = ''] = /^([\w-]{22}) (.*)$/.exec(text) ?? []
      const item = this.#mac.isOf(Buffer.from(mac, 'base64url'), MAC_BYTES, json) ? read(json) : null
      if (item !== null) take(item)
    }
    return found?.length ?? 0
  }
}

type Entry = readonly [id: string, text: string]

const isEntry = (value: unknown): value is Entry =>
  Array.isArray(value) && /^\d{1,20}-\d{1,20}$/.test(value[0]) && typeof value[1] === 'string'
