/**
 * The store in which all instances of a service count requests together.
 * src/gateway/redis/ implements it; without it each instance counts for itself.
 */
import type { BudgetName, ClientKey, Limit } from './budgets.ts'
import type { WindowCounts, WindowDecision } from './fixed-window.ts'

/** How many requests were decided by the store, and how many by this instance. */
export interface DecisionCounts {
  /** For all instances together. */
  shared: number
  /** By this instance alone, because the store did not answer. */
  local: number
}

export interface SharedWindows {
  readonly decisions: DecisionCounts
  /** Whether the store can be asked now. */
  readonly isUp: boolean
  /**
   * Spends one request if both limits have room, in one step for all instances.
   * @param cost  0: spends nothing, and only reads what is left
   * @param seen  what this instance knows of the window, which replaces counts that the store has lost
   * @returns null without an answer in time: this instance then decides
   */
  decide(
    name: BudgetName,
    limit: Limit,
    client: ClientKey,
    cost: 0 | 1,
    seen: WindowCounts,
  ): Promise<WindowDecision | null>
}
