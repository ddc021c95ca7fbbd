/** Which tape the code that runs belongs to, and the clock that reads the time from it. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock, Tape } from '../../runtime/clock.ts'
import type { Moment } from './file.ts'

export interface TimedTape extends Tape {
  /** False once the reply is written: what runs on is not recorded. */
  readonly isOpen: boolean
  /** When the last thing arrived that its request waited for: the time stands still in between. */
  readonly at: Moment
  /** As a clock's. */
  after(ms: number, run: () => void): () => void
}

export class Tapes {
  readonly clock: Clock
  readonly #storage = new AsyncLocalStorage<TimedTape | null>()
  readonly #names = new Map<string, object>()
  readonly #named = new Map<object, string>()

  /** @param clock  the time outside requests */
  constructor({ now, date, after }: Clock) {
    const current = (): TimedTape | null => {
      const tape = this.#storage.getStore() ?? null
      return tape?.isOpen ? tape : null
    }
    this.clock = {
      now: () => current()?.at.now ?? now(),
      date: () => current()?.at.date ?? date(),
      after: (ms, run) => (current() ?? { after }).after(ms, run),
      tape: current,
    }
  }

  /** Runs what belongs to a tape, or with null to none. */
  run<T>(tape: TimedTape | null, run: () => T): T {
    return this.#storage.run(tape, run)
  }

  /** Names an object that outlives requests: recordings refer to it. */
  name(name: string, object: object): void {
    this.#names.set(name, object)
    this.#named.set(object, name)
  }

  nameOf(object: object): string | undefined {
    return this.#named.get(object)
  }

  named(name: string): object | undefined {
    return this.#names.get(name)
  }
}
