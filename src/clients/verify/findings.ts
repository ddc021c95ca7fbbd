/** The findings on a trade's file: its text is a stranger's, and reaches terminals cut and on one line. */
import { printable } from '../../runtime/shown.ts'
import type { Broken, Judgement, SignedChange } from './types.ts'

const MAX_SHOWN = 300

export class Findings {
  readonly broken: Broken[] = []
  readonly changes: SignedChange[] = []
  readonly #notes = new Map<string, string[]>()

  /** Notes a rule that does not hold. */
  expect(holds: boolean, part: Broken['part'], rule: string, expected: unknown, found: unknown): void {
    if (!holds) this.broken.push({ part, rule, expected: inWords(expected), found: inWords(found) })
  }

  leave(part: string, why: string): void {
    const name = printable(part)
    this.#notes.set(name, [...(this.#notes.get(name) ?? []), why])
  }

  /** Names the members that nothing is checked against. @param names  of the others, separated by spaces */
  only(part: string, value: object, names: string, why: string): void {
    const others = Object.keys(value).filter((name) => !names.split(' ').includes(name))
    if (others.length > 0) this.leave(part, `${why} ${printable(others.join(', '), MAX_SHOWN)}`)
  }

  get notBound(): Judgement['notBound'] {
    return [...this.#notes].map(([part, why]) => ({ part, why: why.join(', and ') }))
  }
}

export const inWords = (value: unknown): string =>
  printable(typeof value === 'string' ? value : (JSON.stringify(value ?? undefined) ?? 'nothing'), MAX_SHOWN)
