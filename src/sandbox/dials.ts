/**
 * The fault dials: what each server of the sandbox can be told to do wrong, and
 * what it was told.
 *
 * Every server:
 *
 *   latency      answers, but only after so many ms; only so many percent of its answers where told
 *   429          answers a rate limit in the provider's own form
 *   500          answers a server error
 *   hang         takes the request and never answers
 *   garbage      answers 200 with something that is not JSON
 *   stale        stands still at its last answer before the dial was turned
 *   reset        takes the request and resets the connection
 *   401 403 404  answers that it does not know the caller, the right, or the path
 *
 * Who builds:
 *
 *   steal        was taken over: what it builds robs whoever signs it, each time in another way
 *
 * A node:
 *
 *   lag          is so many blocks behind
 *   limited      answers up to the limits of the public Solana node, and refuses the rest
 *   wrongCluster is a node of another chain
 *
 * A node of Solana besides:
 *
 *   unhealthy    refuses every call because it is not well
 *   forget       accepts transactions, and never sends them on
 */

import type { Fields, Thief } from './theft/thief.ts'

export type Fault =
  | 'latency'
  | 'hang'
  | 'garbage'
  | 'stale'
  | 'reset'
  | 'steal'
  | 'limited'
  | 'lag'
  | 'wrongCluster'
  | 'unhealthy'
  | 'forget'
  | '429'
  | StatusFault
/** Those that answer a status, and nothing of the server's own. */
export type StatusFault = '401' | '403' | '404' | '500'

/** A whole number that a fault takes. */
export interface Amount {
  readonly min: number
  readonly max: number
  /** Where none is told; without it the amount may stay away. */
  readonly usual?: number
}

export interface FaultKind {
  readonly fault: Fault
  readonly amounts?: Readonly<Record<string, Amount>>
}

/** Those of every server. */
export const FAULTS: readonly FaultKind[] = [
  {
    fault: 'latency',
    amounts: { ms: { min: 0, max: 600_000, usual: 1_000 }, percent: { min: 1, max: 100 } },
  },
  { fault: '429' },
  { fault: '500' },
  { fault: 'hang' },
  { fault: 'garbage' },
  { fault: 'stale' },
  { fault: 'reset' },
  { fault: '401' },
  { fault: '403' },
  { fault: '404' },
]
/** That of the servers that build. */
export const STEAL: FaultKind = { fault: 'steal' }

/** A fault, the numbers that it takes, and of a thief what it did last. */
export interface Dial {
  readonly fault: Fault
  readonly ms?: number
  readonly percent?: number
  readonly slots?: number
  readonly blocks?: number
  readonly theft?: string | null
}

/** What was told is nothing that the server can do; the message says what is. */
export class DialRefusal extends Error {}

/** Who fails how; all work until they are told otherwise. */
export class Dials {
  readonly #kinds = new Map<string, readonly FaultKind[]>()
  readonly #dials = new Map<string, Dial>()
  /** Thefts since the dial was turned. */
  readonly #thefts = new Map<string, number>()

  /** A server of this name, and what it can do wrong. */
  add(name: string, kinds: readonly FaultKind[]): void {
    this.#kinds.set(name, kinds)
  }

  names(): string[] {
    return [...this.#kinds.keys()]
  }

  /** What the server of this name can do wrong. */
  kindsOf(name: string): readonly FaultKind[] {
    return this.#kinds.get(name) ?? []
  }

  /**
   * @param fault    null: works again
   * @param amounts  by name; those that the fault does not take are refused
   * @throws DialRefusal
   */
  set(name: string, fault: unknown, amounts: Readonly<Record<string, unknown>> = {}): void {
    const kinds = this.#kinds.get(name)
    if (kinds === undefined) throw new DialRefusal(`The name must be one of ${this.names().join(', ')}.`)
    if (fault === null) this.#dials.delete(name)
    else this.#dials.set(name, readDial(kinds, this.#kindOf(kinds, fault), amounts))
    this.#thefts.delete(name)
  }

  /** @returns what the provider answers in place of its honest body; the body itself where there is nothing in it to rob with */
  rob(name: string, thief: Thief, body: Fields): Fields {
    const thefts = thief(body)
    if (thefts.length === 0) return body
    const count = this.#thefts.get(name) ?? 0
    const { what, rob } = thefts[count % thefts.length]!
    this.#thefts.set(name, count + 1)
    // Unless it was turned back meanwhile.
    if (this.get(name)?.fault === 'steal') this.#dials.set(name, { fault: 'steal', theft: what })
    return rob()
  }

  get(name: string): Dial | null {
    return this.#dials.get(name) ?? null
  }

  clear(): void {
    this.#dials.clear()
    this.#thefts.clear()
  }

  /** @throws DialRefusal  of a fault that this server has not; others may */
  #kindOf(kinds: readonly FaultKind[], fault: unknown): FaultKind {
    const kind = find(kinds, fault)
    if (kind !== undefined) return kind
    const accepted = `\`fault\` must be null or one of ${kinds.map((one) => one.fault).join(', ')}.`
    const others = this.names().filter((name) => find(this.#kinds.get(name)!, fault) !== undefined)
    throw new DialRefusal(others.length === 0 ? accepted : `${accepted} That is for ${others.join(', ')}.`)
  }
}

const find = (kinds: readonly FaultKind[], fault: unknown) => kinds.find((kind) => kind.fault === fault)

/** @throws DialRefusal */
function readDial(
  kinds: readonly FaultKind[],
  { fault }: FaultKind,
  amounts: Readonly<Record<string, unknown>>,
): Dial {
  const dial: Record<string, unknown> = fault === 'steal' ? { fault, theft: null } : { fault }
  for (const { fault: taker, amounts: taken = {} } of kinds) {
    for (const [name, { min, max, usual }] of Object.entries(taken)) {
      const value = amounts[name] ?? (taker === fault ? usual : undefined)
      if (value === undefined) continue
      if (taker !== fault || !isWithin(value, min, max)) {
        throw new DialRefusal(
          `\`${name}\` goes with a ${taker}, and must be an integer from ${min} to ${max}.`,
        )
      }
      dial[name] = value
    }
  }
  return dial as unknown as Dial
}

const isWithin = (value: unknown, min: number, max: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
