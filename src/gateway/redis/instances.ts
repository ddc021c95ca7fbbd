/**
 * The instances that share one Redis. Each says every few seconds that it is there, in a field of one hash, and
 * learns in the same step who else is. The clock is Redis's own. No request waits for it.
 */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { InstanceSeen } from '../../routes/metrics/admin.ts'
import type { Clock } from '../../runtime/clock.ts'
import beat from './beat.lua'
import { script } from './script.ts'
import type { Store } from './store.ts'

const BEAT_MS = 5_000
/** An instance that missed so many has left. */
const MISSED = 3
const BEAT = script(beat)

interface RedisInstancesOptions {
  readonly store: Pick<Store, 'key' | 'run'>
  readonly clock: Clock
  readonly isDraining: () => boolean
  readonly beatMs?: number
}

export class RedisInstances {
  readonly #options: RedisInstancesOptions
  readonly #name = `${hostname()} ${randomBytes(4).toString('hex')}`
  #seen: readonly InstanceSeen[] | null = null
  #callOff = (): void => {}

  constructor(options: RedisInstancesOptions) {
    this.#options = options
    void this.#beat()
  }

  /** As of the last beat; null while Redis does not say. */
  get seen(): readonly InstanceSeen[] | null {
    return this.#seen
  }

  close(): void {
    this.#callOff()
  }

  async #beat(): Promise<void> {
    const { store, clock, isDraining, beatMs = BEAT_MS } = this.#options
    this.#callOff = clock.after(beatMs, () => void this.#beat())
    const words = [this.#name, isDraining() ? 'draining' : 'ready', String(MISSED * beatMs)]
    const reply = await store.run(BEAT, [store.key('instances', 'beats')], words)
    const found = reply as readonly (readonly [string, string, number])[] | undefined
    const seen = found?.map(([name, state, agoMs]) => ({ name, state, agoMs, isThis: name === this.#name }))
    this.#seen = seen?.sort((a, b) => (a.name < b.name ? -1 : 1)) ?? null
  }
}
