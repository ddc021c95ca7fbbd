/**
 * The landed swaps of all instances, which judge providers together: a stream to which each appends what it counts, and from
 * which it counts what the others append. The stream stays when an instance restarts, which then has all rows again.
 *
 *   <mac> {"row":{..},"client":7,"builtAt":1795305590000}
 *
 * An attacker who can write into Redis can add no swap: a row without a MAC by the instances' secret is ignored, and one
 * that is repeated counts once. By removing or reordering rows he can choose what an instance sees that starts later.
 */
import { Type } from 'typebox'
import { jsonReader } from '../../chains/json/reader.ts'
import type { CountedSwap, Deliveries } from '../../http/counts/deliveries.ts'
import { TruthRow } from '../../http/counts/truth.ts'
import type { Clock } from '../../runtime/clock.ts'
import { Mac } from '../../runtime/mac.ts'
import exchangeRows from './exchange-rows.lua'
import { listOf, runScript, type ScriptStore } from './run-script.ts'
import { script } from './script.ts'

const EXCHANGE = script(exchangeRows)
const EVERY_MS = 5_000
/** Rows sent and read in one round trip: about a millisecond's work. */
const PAGE = 100
const MAX_ROWS = 5_000
/** A day more than they count. */
const KEEP_MS = 8 * 86_400_000
const MAC_BYTES = 16
const FIRST = '0-0'

const readSwap = jsonReader(Type.Object({ row: TruthRow, client: Type.Integer(), builtAt: Type.Number() }))

interface RedisRowsOptions {
  readonly store: ScriptStore
  /** The same for all instances. */
  readonly secret: string
  readonly clock: Clock
  readonly everyMs?: number
}

type Counting = Pick<Deliveries, 'onCounted' | 'hasCounted' | 'shared'>

export class RedisRows {
  readonly #options: RedisRowsOptions
  readonly #mac: Mac
  #unsent: string[] = []
  /** The id of the last row that was read. */
  #last = FIRST
  #callOff = (): void => {}

  constructor(options: RedisRowsOptions) {
    this.#options = options
    this.#mac = Mac.for('rows of landed swaps', options.secret)
  }

  /** From now on, what counts here counts at all instances, and the other way round. */
  start(deliveries: Counting): void {
    deliveries.onCounted = (swap) => {
      const text = JSON.stringify(swap)
      this.#unsent.push(`${this.#mac.of(text).subarray(0, MAC_BYTES).toString('base64url')} ${text}`)
      void this.#exchange(deliveries)
    }
    void this.#follow(deliveries)
  }

  close(): void {
    this.#callOff()
  }

  async #follow(deliveries: Counting): Promise<void> {
    const { clock, everyMs = EVERY_MS } = this.#options
    this.#callOff = clock.after(everyMs, () => void this.#follow(deliveries))
    for (let rows = 0; rows < MAX_ROWS; rows += PAGE) {
      if ((await this.#exchange(deliveries)) < PAGE) return
    }
  }

  /** @returns how many rows were read; what Redis doesn't take is sent again later */
  async #exchange(deliveries: Counting): Promise<number> {
    const { store } = this.#options
    const sent = this.#unsent.splice(0, PAGE)
    const bounds = [PAGE, MAX_ROWS, KEEP_MS].map(String)
    const words = [this.#last, ...bounds, ...sent]
    const found = await runScript(store, EXCHANGE, [store.key('rows', 'landed')], words, listOf(isRow))
    if (found === undefined) this.#unsent = [...sent, ...this.#unsent].slice(-MAX_ROWS)
    for (const [id, text] of found ?? []) {
      this.#last = id
      const swap = this.#read(text)
      if (swap !== null && !deliveries.hasCounted(swap.row)) deliveries.shared(swap)
    }
    return found?.length ?? 0
  }

  /** @returns null for a text that isn't one of our rows, or is that of a version with other members */
  #read(text: string): CountedSwap | null {
    const [, mac = '', json = ''] = /^([\w-]{22}) (.*)$/.exec(text) ?? []
    return this.#mac.isOf(Buffer.from(mac, 'base64url'), MAC_BYTES, json) ? readSwap(json) : null
  }
}

type Row = readonly [id: string, text: string]

const isRow = (value: unknown): value is Row =>
  Array.isArray(value) && /^\d{1,20}-\d{1,20}$/.test(value[0]) && typeof value[1] === 'string'
