/**
 * The budgets' windows, counted for all instances together: one hash for each budget, with the window's
 * number, what all clients have spent in it, and what each client has spent. The clock is Redis's own, so
 * that all instances agree on the window. A decision is one script, which runs as one step: no request is
 * admitted beyond a limit, and a refusal spends nothing.
 *
 * Each instance sends what it knows of the window along. A server that lost its data, because it was
 * restarted, replaced or away, continues from there and not from zero.
 */
import type { BudgetName, ClientKey, Limit } from '../../http/limit/budgets.ts'
import {
  MAX_CLIENTS,
  type RefusedBy,
  type WindowCounts,
  type WindowDecision,
} from '../../http/limit/fixed-window.ts'
import type { DecisionCounts, SharedWindows } from '../../http/limit/shared-windows.ts'
import decideWindow from './decide-window.lua'
import fields from './fields.lua'
import { runScript, type ScriptStore } from './run-script.ts'
import { script } from './script.ts'
import type { Store } from './store.ts'

/**
 * Decides like `FixedWindow`, by the same rules. A limit below 0 is lifted.
 *
 * The hash is deleted a second after its window, and otherwise by the first request of the next one. Past
 * `maxClients` of them, clients that are new in a window share the counter \`rest\`.
 */
export const DECIDE = script(`
${fields}
local MAX_COUNT = ${Number.MAX_SAFE_INTEGER}
${decideWindow}`)

/**
 * The script's answer: the refusal, the window's number, what the client and all have spent in it, ms
 * until it ends.
 */
type Decided = readonly [number, number, number, number, number]

const REFUSALS: readonly (RefusedBy | null)[] = [null, 'client', 'global']

/** The part of a store that windows use. */
type WindowsStore = ScriptStore & Pick<Store, 'state'>

export class RedisWindows implements SharedWindows {
  readonly decisions: DecisionCounts = { shared: 0, local: 0 }
  readonly #store: WindowsStore
  readonly #windowMs: number
  readonly #maxClients: string

  constructor(store: WindowsStore, windowMs: number, maxClients = MAX_CLIENTS) {
    this.#store = store
    this.#windowMs = windowMs
    this.#maxClients = String(maxClients)
  }

  get isUp(): boolean {
    return this.#store.state !== 'away'
  }

  async decide(
    name: BudgetName,
    limit: Limit,
    { hi, lo }: ClientKey,
    cost: 0 | 1,
    seen: WindowCounts,
  ): Promise<WindowDecision | null> {
    const decided = await runScript(
      this.#store,
      DECIDE,
      [this.#store.key(name, 'window')],
      [
        `${hi}:${lo}`,
        maxText(limit.client),
        maxText(limit.global),
        String(cost),
        String(this.#windowMs),
        this.#maxClients,
        String(seen.number),
        String(seen.clientSpent),
        String(seen.globalSpent),
      ],
      (reply) => (isDecided(reply) && reply[4] <= 2 * this.#windowMs ? reply : undefined),
    )
    if (decided === undefined) return null
    const [refusal, number, clientSpent, globalSpent, remainingMs] = decided
    return { refusedBy: REFUSALS[refusal]!, number, clientSpent, globalSpent, remainingMs }
  }
}

/** A reply that the script cannot have given decides nothing: other programs may write into Redis. */
function isDecided(reply: unknown): reply is Decided {
  if (!Array.isArray(reply) || reply.length !== 5) return false
  return reply.every((value) => Number.isSafeInteger(value) && value >= 0) && reply[0] < REFUSALS.length
}

const maxText = (max: number): string => (max === Infinity ? '-1' : String(max))
