/** What the primary thread starts a worker with. */
import type { BudgetsMemory } from '../../http/limit/budgets.ts'
import type { SandboxUrls } from '../../providers/index.ts'

/** Plain values. */
export interface WorkerStart {
  /** Its number, from 1; that of one which has ended is not used again. */
  readonly number: number
  /** How many workers there are. */
  readonly workers: number
  readonly budgets: BudgetsMemory
  /** The primary's monotonic time, less that of the process, ms. */
  readonly sinceMs: number
  /** Since when the counts are whole that it is told of, ms epoch. */
  readonly since: number
  /** In place of a QUOTE_SECRET that is not set. */
  readonly secret: string
  /** Under which clients are named in the log. */
  readonly nameKey: string
  /** Null in live mode. */
  readonly sandbox: SandboxServers | null
  /** The ports that are listened on; null for none. */
  readonly ports: { readonly http: number; readonly ws: number | null }
  readonly isTerminal: boolean
}

/** Where the sandbox's servers listen. */
export interface SandboxServers extends SandboxUrls {
  readonly solanaUrl: string
  readonly controlUrl: string
}
