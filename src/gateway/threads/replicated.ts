/**
 * What is noted in one thread and repeated in the others, so that each has all of it: the counters, and what
 * clients have seen confirmed.
 */
import type { Counts } from '../../http/counts/counts.ts'
import type { Confirmations } from '../../relay/reads/confirmations.ts'

type Replicated = Counts & { readonly confirmations: Confirmations }

/** The methods that note something. Their arguments are plain values. */
const NOTING = {
  funnel: ['count'],
  bakeOff: ['record'],
  deliveries: ['built', 'landed'],
  confirmations: ['note'],
} as const satisfies Partial<Record<keyof Replicated, readonly string[]>>

/** A call of such a method. */
export interface Note {
  readonly of: keyof typeof NOTING
  readonly method: string
  readonly args: readonly unknown[]
}

type Noting = Record<string, (...args: readonly unknown[]) => void>

/**
 * From now on, what is noted here is published.
 * @returns repeats what another thread has noted
 */
export function replicate(here: Replicated, publish: (note: Note) => void): (note: Note) => void {
  const repeated = new Map<string, Noting[string]>()
  for (const [of, methods] of Object.entries(NOTING) as [Note['of'], readonly string[]][]) {
    const noting = here[of] as unknown as Noting
    for (const method of methods) {
      const note = noting[method]!.bind(noting)
      repeated.set(`${of} ${method}`, note)
      noting[method] = (...args) => {
        // Before it is noted here: that may change what the arguments hold.
        publish({ of, method, args })
        note(...args)
      }
    }
  }
  return ({ of, method, args }) => repeated.get(`${of} ${method}`)!(...args)
}
