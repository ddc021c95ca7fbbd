/**
 * What a reply depends on besides its request, for RECORD_DIR: each reading of state, randomness or the network passes
 * through a tape, which records it, or in a replay gives what was recorded. Code asks the clock for it, which it has
 * anyway.
 */
import type { Clock, Tape } from './clock.ts'

/** What `read` gives, by way of the tape of the request that this runs for, if it has one. */
export function recorded<T>(clock: Clock, name: string, read: () => T): T {
  const tape = clock.tape?.() ?? null
  return tape === null ? read() : tape.value(name, read)
}

/** The clock of one object: its readings get the object's name, so that no other's are taken for them. */
export function named(clock: Clock, name: string): Clock {
  const { tape } = clock
  if (tape === undefined) return clock
  const own = (): Tape | null => {
    const whole = tape()
    return whole && { value: (what, read) => whole.value(`${name} ${what}`, read) }
  }
  return { ...clock, tape: own }
}

/** The object, with every member read by way of the tape; itself without RECORD_DIR. */
export function taped<T extends object>(clock: Clock, name: string, object: T): T {
  if (clock.tape === undefined) return object
  return new Proxy(object, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target)
      if (typeof member === 'function') {
        return (...args: unknown[]) =>
          recorded(clock, `${name}.${String(key)}${textOf(args)}`, () => member.apply(target, args))
      }
      return recorded(clock, `${name}.${String(key)}`, () => member)
    },
  })
}

/** Arguments that are plain tell two calls apart. */
const textOf = (args: readonly unknown[]): string =>
  args
    .filter((one) => one === null || typeof one !== 'object')
    .map((one) => ` ${String(one)}`)
    .join('')
