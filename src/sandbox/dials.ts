/**
 * The fault dials: the faults that each server of the sandbox can have, and the one
 * that is set.
 *
 * Every server:
 *
 *   latency      answers after a delay in ms, optionally for a percentage of its answers only
 *   429          answers with a rate limit in the provider's own format
 *   500          answers with a server error
 *   hang         accepts the request and never answers
 *   garbage      answers 200 with something that is not JSON
 *   stale        keeps answering as of the time when the fault was set
 *   reset        accepts the request and resets the connection
 *   401 403 404  answers that the credentials, the permission or the path is wrong
 *
 * A provider that builds transactions:
 *
 *   steal        is compromised: each transaction it builds robs the signer in another way
 *   cheap        offers one part in this many of what the market gives, and builds with a minimum of that
 *   shave        states so much that this many bps less arrive: always, or only on one day of the week (UTC, Sunday is 0), or
 *                only of swaps that are worth this many dollars. On EVM chains of a lifelike sandbox, where what arrives
 *                depends on the market
 *
 * The cross-chain provider:
 *
 *   renamed      has another name for one of its bridges
 *
 * The registry of the cross-chain provider's contracts, a dial of its own:
 *
 *   moved        names new addresses in this many rows
 *
 * A source of prices:
 *
 *   lies         reports prices multiplied by ten to the given power
 *
 * The hosts of logos:
 *
 *   forged       answer what hostile hosts would: scripts, bombs, redirects into the local network
 *
 * A node:
 *
 *   lag          is the given number of blocks behind
 *   limited      refuses requests beyond the limits of the public Solana node
 *   wrongCluster belongs to another chain
 *   nodeError    answers 200 with an error about itself, of the given code: a limit, a refused key, a fault
 *
 * A Solana node, in addition:
 *
 *   unhealthy    refuses every call as unhealthy
 *   forget       accepts transactions and never forwards them
 *   drop         forwards only some of the transactions that it accepts
 *
 * The Solana cluster, by dials of their own:
 *
 *   pace         a slot takes this many ms
 *   alpenglow    the cluster migrates to Alpenglow, over this many slots
 *   busy         blocks are full: the least bid that leaders take cycles up to this price per compute unit
 *   prices       lamports of rent for a byte of an account, and for a signature
 */

import type { Fields } from '../chains/json/fields.ts'
import type { Thief } from './theft.ts'

export type Fault =
  | 'latency'
  | 'hang'
  | 'garbage'
  | 'stale'
  | 'reset'
  | 'steal'
  | 'cheap'
  | 'shave'
  | 'lies'
  | 'renamed'
  | 'moved'
  | 'forged'
  | 'limited'
  | 'lag'
  | 'wrongCluster'
  | 'nodeError'
  | 'unhealthy'
  | 'forget'
  | 'drop'
  | 'pace'
  | 'alpenglow'
  | 'busy'
  | 'prices'
  | '429'
  | StatusFault
/** Faults that answer with a status instead of the server's own answer. */
export type StatusFault = '401' | '403' | '404' | '500'

/** An integer parameter of a fault. */
interface Amount {
  readonly min: number
  readonly max: number
  /** The default; without one the amount is optional. */
  readonly usual?: number
}

export interface FaultKind {
  readonly fault: Fault
  readonly amounts?: Readonly<Record<string, Amount>>
}

/** The faults of every server. */
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
/** The faults of providers that build transactions. */
export const HOSTILE: readonly FaultKind[] = [
  { fault: 'steal' },
  { fault: 'cheap', amounts: { parts: { min: 2, max: 1_000_000, usual: 100 } } },
]
/** The fault of those whose swaps get what the market gives at their block. */
export const SHAVE: FaultKind = {
  fault: 'shave',
  amounts: {
    bps: { min: 1, max: 1_000, usual: 20 },
    weekday: { min: 0, max: 6 },
    fromUsd: { min: 1, max: 1_000_000 },
  },
}
/** The fault of sources of prices. */
export const LIES: FaultKind = { fault: 'lies', amounts: { power: { min: -18, max: 18, usual: -2 } } }

/** The fault of nodes that answer 200 with an error about themselves, as the proxies before them do. */
export const NODE_ERROR: FaultKind = {
  fault: 'nodeError',
  amounts: { code: { min: -32_999, max: 599, usual: -32_429 } },
}

/** A fault with its amounts; for a thief, also the last theft. */
export interface Dial {
  readonly fault: Fault
  readonly ms?: number
  readonly percent?: number
  readonly slots?: number
  readonly blocks?: number
  readonly parts?: number
  readonly bps?: number
  readonly weekday?: number
  readonly fromUsd?: number
  readonly power?: number
  readonly price?: number
  readonly perByte?: number
  readonly perSignature?: number
  readonly share?: number
  readonly code?: number
  readonly rows?: number
  readonly theft?: string | null
}

/** The server does not support the requested fault; the message lists what it supports. */
export class DialRefusal extends Error {}

/** The dials of all servers, by name. Initially no fault is set. */
export class Dials {
  readonly #kinds = new Map<string, readonly FaultKind[]>()
  readonly #onTurned = new Map<string, (dial: Dial | null) => void>()
  readonly #dials = new Map<string, Dial>()
  /** The last theft since the fault was set, by its number, and the request for it. */
  readonly #thefts = new Map<string, { readonly count: number; readonly asked: string }>()

  /**
   * Adds a server with its faults.
   * @param onTurned  called with each fault that is set, and with null if it is cleared
   */
  add(name: string, kinds: readonly FaultKind[], onTurned?: (dial: Dial | null) => void): void {
    this.#kinds.set(name, kinds)
    if (onTurned !== undefined) this.#onTurned.set(name, onTurned)
  }

  names(): string[] {
    return [...this.#kinds.keys()]
  }

  /** The faults of the named server. */
  kindsOf(name: string): readonly FaultKind[] {
    return this.#kinds.get(name) ?? []
  }

  /**
   * @param fault    null: clears the fault
   * @param amounts  by name; amounts that the fault does not take are refused
   * @throws DialRefusal
   */
  set(name: string, fault: unknown, amounts: Readonly<Record<string, unknown>> = {}): void {
    const kinds = this.#kinds.get(name)
    if (kinds === undefined) throw new DialRefusal(`The name must be one of ${this.names().join(', ')}.`)
    if (fault === null) this.#dials.delete(name)
    else this.#dials.set(name, readDial(kinds, this.#kindOf(kinds, fault), amounts))
    this.#thefts.delete(name)
    this.#onTurned.get(name)?.(this.get(name))
  }

  /**
   * @param asked  the request: one that differs from the last only in its slippage is the same build, repeated, and
   *   is robbed the same way
   * @returns the provider's answer with a theft in it; the honest body if it offers no way to steal
   */
  rob(name: string, thief: Thief, body: Fields, asked: string): Fields | string {
    const thefts = thief(body)
    if (thefts.length === 0) return body
    const last = this.#thefts.get(name)
    const count = last === undefined ? 0 : last.count + (isOnceMore(last.asked, asked) ? 0 : 1)
    const { what, rob } = thefts[count % thefts.length]!
    this.#thefts.set(name, { count, asked })
    // The fault may have been cleared meanwhile.
    if (this.get(name)?.fault === 'steal') this.#dials.set(name, { fault: 'steal', theft: what })
    return rob()
  }

  get(name: string): Dial | null {
    return this.#dials.get(name) ?? null
  }

  clear(): void {
    this.#dials.clear()
    this.#thefts.clear()
    for (const onTurned of this.#onTurned.values()) onTurned(null)
  }

  /** @throws DialRefusal  for a fault that this server does not support */
  #kindOf(kinds: readonly FaultKind[], fault: unknown): FaultKind {
    const kind = find(kinds, fault)
    if (kind !== undefined) return kind
    const accepted = `\`fault\` must be null or one of ${kinds.map((one) => one.fault).join(', ')}.`
    const others = this.names().filter((name) => find(this.#kinds.get(name)!, fault) !== undefined)
    throw new DialRefusal(others.length === 0 ? accepted : `${accepted} That is for ${others.join(', ')}.`)
  }
}

/** The gateway asks again with less slippage if the market fell after the quote. */
function isOnceMore(last: string, asked: string): boolean {
  const [before, after] = [last, asked].map((text) => text.replace(/(slippage\w*"?[=:]"?)[\d.]+/gi, '$1'))
  return before === after && last !== asked
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
