/**
 * What is noted in one thread and repeated in the others, so that each has all of it: the counters, and what
 * clients have seen confirmed.
 */
import type { Counts } from '../../http/counts/counts.ts'
import type { Confirmations } from '../../relay/reads/confirmations.ts'
import type { Clock } from '../../runtime/clock.ts'

type Replicated = Counts & { readonly confirmations: Confirmations }

/** The methods that note something. Their arguments are plain values. */
const NOTING = {
  funnel: ['count'],
  bakeOff: ['record'],
  deliveries: ['built', 'sharedBuild', 'landed', 'shared'],
  confirmations: ['note'],
} as const satisfies Partial<Record<keyof Replicated, readonly string[]>>

/** A call of such a method. */
export interface Note {
  readonly of: keyof typeof NOTING
  readonly method: string
  readonly args: readonly unknown[]
  /** When, ms epoch: the last argument of a method that counts by time. */
  readonly at: number
}

type Noting = Record<string, (...args: readonly unknown[]) => void>

/**
 * From now on, what is noted here is published.
 * @returns repeats what another thread has noted
 */
export function replicate(
  here: Replicated,
  clock: Clock,
  publish: (note: Note) => void,
): (note: Note) => void {
  const repeated = new Map<string, Noting[string]>()
  for (const [of, methods] of Object.entries(NOTING) as [Note['of'], readonly string[]][]) {
    const noting = here[of] as unknown as Noting
    for (const method of methods) {
      const note = noting[method]!.bind(noting)
      repeated.set(`${of} ${method}`, note)
      noting[method] = (...args) => {
        // Before it is noted here: that may change what the arguments hold.
        const at = clock.date()
        publish({ of, method, args, at })
        note(...args, at)
      }
    }
  }
  return ({ of, method, args, at }) => repeated.get(`${of} ${method}`)!(...args, at)
}
