/**
 * What is asked of a place where all instances of a service count together.
 * src/gateway/redis/ has one; without it each instance counts for itself.
 */
import type { BudgetName, ClientKey, Limit } from './budgets.ts'
import type { WindowCounts, WindowDecision } from './fixed-window.ts'

/** How many requests were decided where. */
export interface DecisionCounts {
  /** For all instances together. */
  shared: number
  /** By the instance alone, because there was no answer. */
  local: number
}

export interface SharedWindows {
  readonly decisions: DecisionCounts
  /** Whether it can be asked now. */
  readonly isUp: boolean
  /**
   * Spends one request where both limits have room, in one step for all instances.
   * @param cost  0: spends none, and only tells what is left
   * @param seen  what the instance knows of the window; counts that are lost there are taken from it
   * @returns null where there is no answer in time, so that the instance has to decide
   */
  decide(
    name: BudgetName,
    limit: Limit,
    client: ClientKey,
    cost: 0 | 1,
    seen: WindowCounts,
  ): Promise<WindowDecision | null>
}
