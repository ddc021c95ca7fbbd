/**
 * The instances that share one Redis. Every few seconds each writes that it is there into a field of one
 * hash, and in the same step reads who else is. The clock is Redis's own. No request waits for it.
 */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { InstanceSeen } from '../../routes/metrics/admin.ts'
import beat from './beat.lua'
import { listOf, runScript } from './run-script.ts'
import { script } from './script.ts'
import type { Store } from './store.ts'

const BEAT_MS = 5_000
/** An instance that missed this many beats has left. */
const MISSED = 3
const BEAT = script(beat)

interface RedisInstancesOptions {
  readonly store: Store
  readonly isDraining: () => boolean
  readonly beatMs?: number
}

export class RedisInstances {
  readonly #options: RedisInstancesOptions
  readonly #name = `${hostname()} ${randomBytes(4).toString('hex')}`
  #seen: readonly InstanceSeen[] | null = null

  constructor(options: RedisInstancesOptions) {
    this.#options = options
    const { store, beatMs = BEAT_MS } = options
    // If a beat fails, it isn't known who else is there.
    store.every(beatMs, () => void this.#beat().catch(() => (this.#seen = null)))
  }

  /** As of the last beat; null if Redis does not answer. */
  get seen(): readonly InstanceSeen[] | null {
    return this.#seen
  }

  async #beat(): Promise<void> {
    const { store, isDraining, beatMs = BEAT_MS } = this.#options
    const words = [this.#name, isDraining() ? 'draining' : 'ready', String(MISSED * beatMs)]
    const found = await runScript(store, BEAT, [store.key('instances', 'beats')], words, listOf(isBeat))
    const seen = found?.map(([name, state, agoMs]) => ({ name, state, agoMs, isThis: name === this.#name }))
    this.#seen = seen?.sort((a, b) => (a.name < b.name ? -1 : 1)) ?? null
  }
}

type Beat = readonly [name: string, state: string, agoMs: number]

function isBeat(value: unknown): value is Beat {
  if (!Array.isArray(value)) return false
  const [name, state, agoMs] = value
  return typeof name === 'string' && typeof state === 'string' && Number.isSafeInteger(agoMs)
}
