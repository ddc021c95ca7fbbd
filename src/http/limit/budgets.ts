/**
 * The budgets of spec §8 as data, and their response headers.
 *
 * Source: spec §8 · draft-ietf-httpapi-ratelimit-headers-10
 */
import { randomSeed } from './client-ring.ts'
import { clientsOf, FixedWindow } from './fixed-window.ts'
import { WindowMemory } from './window-memory.ts'

/** Requests per window, or for `refused` units of `REFUSED_UNIT_BYTES`; `Infinity` lifts a limit. */
export interface Limit {
  readonly client: number
  readonly global: number
}

/**
 * Spec §8, row by row; `explain` and `logo`, whose routes are our own; and `refused`, which pays for refused
 * bodies: enough for a client to find its mistake, and without a global limit, so that a flood from other
 * clients does not use it up.
 */
export const DEFAULT_BUDGETS = {
  swap: { client: 60, global: 1_200 },
  portfolio: { client: 12, global: 300 },
  rpcRead: { client: 60, global: 1_200 },
  rpcSend: { client: 6, global: 120 },
  rpcBatch: { client: 2, global: 20 },
  explain: { client: 30, global: 600 },
  logo: { client: 240, global: 1_200 },
  refused: { client: 200, global: Infinity },
} as const satisfies Record<string, Limit>

export type BudgetName = keyof typeof DEFAULT_BUDGETS
export type Budgets = Readonly<Record<BudgetName, Budget>>
export type Limits = Readonly<Record<BudgetName, Limit>>

/** One unit of `refused`: a refused body costs one unit for each part of this length. */
export const REFUSED_UNIT_BYTES = 20_480

/** Length of a window, spec §8. */
export const WINDOW_MS = 60_000

/** The highest limit: far above any use, and a count that still fits 31 bits. */
const MAX_LIMIT = 1_000_000_000

/** The client that a budget counts: 64 bits in two words, see http/client/client.ts. */
export interface ClientKey {
  readonly hi: number
  readonly lo: number
}

/**
 * One row of the table, which is its current window.
 *
 * The details of a decision are kept in the instance: read them in the same turn
 * of the event loop as the `take`, `peek` or `adopt` that they are about.
 */
export class Budget extends FixedWindow {
  readonly name: BudgetName
  /** The value of `RateLimit-Policy`; null if the budget is lifted, which sends no header. */
  readonly rateLimitPolicy: string | null
  readonly limit: Limit
  readonly #clientItem: string | null
  readonly #globalItem: string | null

  /** @throws TypeError if a limit is out of range */
  constructor(
    name: BudgetName,
    limit: Limit,
    seed: Int32Array = randomSeed(),
    windowMs: number = WINDOW_MS,
    memory: WindowMemory | null = null,
  ) {
    super({ ...sizeOf(limit), windowMs, seed, memory })
    this.name = name
    this.limit = limit
    this.#clientItem = limit.client === Infinity ? null : `"${name}-client"`
    this.#globalItem = limit.global === Infinity ? null : `"${name}-global"`
    const window = `w=${windowMs / 1_000}`
    this.rateLimitPolicy = join(
      this.#clientItem && `${this.#clientItem};q=${limit.client};${window}`,
      this.#globalItem && `${this.#globalItem};q=${limit.global};${window}`,
    )
  }

  /** The value of `RateLimit`: what remains, and whole seconds until the window ends; null if the budget is lifted. */
  rateLimit(): string | null {
    const { clientRemaining, globalRemaining } = this
    const reset = `t=${this.retryAfterSeconds()}`
    return join(
      this.#clientItem && `${this.#clientItem};r=${clientRemaining};${reset}`,
      this.#globalItem && `${this.#globalItem};r=${globalRemaining};${reset}`,
    )
  }

  /** Milliseconds, rounded up, until both counters restart: at least 1. */
  retryAfterMs(): number {
    return Math.ceil(this.remainingMs)
  }

  /** The value of `Retry-After`: the same in seconds, rounded up. */
  retryAfterSeconds(): number {
    return Math.ceil(this.remainingMs / 1_000)
  }
}

/** How far a budget is used up, for operators. */
export type BudgetUse = Readonly<ReturnType<typeof budgetUse>[number]>

/** The use of each budget, in the order of the table. @param nowMs  monotonic clock */
export function budgetUse(budgets: Budgets, nowMs: number) {
  return Object.values(budgets).map((budget) => ({
    name: budget.name,
    spent: budget.at(nowMs).globalSpent(),
    limit: budget.limit.global,
  }))
}

/** What several threads of one process count in. */
export interface BudgetsMemory {
  readonly seed: Int32Array
  readonly windows: Readonly<Record<BudgetName, SharedArrayBuffer>>
}

/** The same budgets in each thread. */
interface ThreadBudgets {
  readonly memory: BudgetsMemory
  /** At least 1, and no other thread's. */
  readonly thread: number
}

const NAMES = Object.keys(DEFAULT_BUDGETS) as BudgetName[]

const sizeOf = ({ client, global }: Limit) => ({ clientMax: client, globalMax: global })

/** One budget per row, with one seed for all. @throws TypeError when a limit is out of range */
export function createBudgets(
  limits: Limits,
  seed: Int32Array = randomSeed(),
  windowMs: number = WINDOW_MS,
  shared: ThreadBudgets | null = null,
): Budgets {
  const budgets = NAMES.map((name) => {
    const memory = shared && new WindowMemory(shared.memory.windows[name], shared.thread)
    return [name, new Budget(name, limits[name], shared?.memory.seed ?? seed, windowMs, memory)]
  })
  return Object.fromEntries(budgets) as Budgets
}

/** Memory for budgets of these limits. */
export function allocateBudgets(limits: Limits): BudgetsMemory {
  const windows = NAMES.map((name) => [name, WindowMemory.allocate(clientsOf(sizeOf(limits[name])))])
  return { seed: randomSeed(), windows: Object.fromEntries(windows) }
}

/** Releases what a thread that has ended held. */
export function releaseBudgets({ windows }: BudgetsMemory, thread: number): void {
  for (const window of Object.values(windows)) WindowMemory.releaseOf(window, thread)
}

/**
 * The defaults with the overrides of the variable LIMITS, such as
 * `swap=120/2400,portfolio=12/off,rpcRead=off`: per client, a slash, global.
 *
 * @param text an empty one overrides nothing
 * @throws TypeError that says which entry is wrong, and what is accepted
 */
export function parseLimits(text: string): Limits {
  const limits: Record<BudgetName, Limit> = { ...DEFAULT_BUDGETS }
  if (text.trim() === '') return limits
  const seen = new Set<string>()
  for (const [index, entry] of text.split(',').entries()) {
    const nth = `Entry ${index + 1} of the limits`
    const [name, value, ...rest] = entry.split('=').map((part) => part.trim())
    if (value === undefined || rest.length > 0) {
      throw new TypeError(`${nth} must be a name, an equals sign and a limit, such as swap=60/1200.`)
    }
    if (!isBudgetName(name!)) {
      throw new TypeError(`${nth} names no budget; the names are ${Object.keys(DEFAULT_BUDGETS).join(', ')}.`)
    }
    if (seen.has(name)) throw new TypeError(`${nth} sets ${name} a second time; set each budget once.`)
    seen.add(name)
    limits[name] = parseLimit(value, nth)
  }
  return limits
}

/** The limits in the form of the variable LIMITS. */
export function limitsText(limits: Limits): string {
  return Object.entries(limits)
    .map(([name, limit]) => `${name}=${limitText(limit)}`)
    .join(',')
}

/** A limit in the form that `parseLimit` reads. */
export function limitText({ client, global }: Limit): string {
  return `${countText(client)}/${countText(global)}`
}

const countText = (count: number): string => (count === Infinity ? 'off' : String(count))

/**
 * Two counts separated by a slash, or `off`.
 * @param nth  how the message refers to it
 * @throws TypeError
 */
export function parseLimit(text: string, nth: string): Limit {
  if (text === 'off') return { client: Infinity, global: Infinity }
  const [client, global, ...rest] = text.split('/').map((part) => parseCount(part.trim()))
  if (client === undefined || global === undefined || rest.length > 0) {
    throw new TypeError(`${nth} must be two counts, per client and global, such as 60/1200, or off.`)
  }
  if (client === null || global === null) {
    throw new TypeError(`${nth} must count in integers from 1 to ${MAX_LIMIT}; off lifts a limit.`)
  }
  if (client !== Infinity && client > global) {
    throw new TypeError(
      `${nth} lets one client have more than all together; the first count must not be above the second.`,
    )
  }
  return { client, global }
}

/** The count, `Infinity` for `off`, or null. */
function parseCount(text: string): number | null {
  if (text === 'off') return Infinity
  const count = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Infinity
  return count <= MAX_LIMIT ? count : null
}

function isBudgetName(name: string): name is BudgetName {
  return Object.hasOwn(DEFAULT_BUDGETS, name)
}

function join(client: string | null, global: string | null): string | null {
  return client !== null && global !== null ? `${client}, ${global}` : (client ?? global)
}
