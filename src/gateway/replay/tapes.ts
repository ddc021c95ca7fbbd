/** Which tape the code that runs belongs to, and the clock that reads the time from it. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { CHAINS } from '../../chains/chains.ts'
import type { SwapProviders } from '../../providers/proved.ts'
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
  /** What outlives requests, so that recordings refer to it. */
  readonly #named = new Map<string, object>(CHAINS.map((chain) => [`chain ${chain.key}`, chain]))
  #names: Map<object, string> | null = null

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

  name(swaps: SwapProviders): void {
    for (const [chain, providers] of swaps)
      for (const provider of providers) this.#named.set(`${provider.label} on ${chain}`, provider)
  }

  nameOf(object: object): string | undefined {
    this.#names ??= new Map([...this.#named].map(([name, one]) => [one, name]))
    return this.#names.get(object)
  }

  named(name: string): object | undefined {
    return this.#named.get(name)
  }
}
