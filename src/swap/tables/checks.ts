/**
 * Asks the chains, in the background, whether the addresses in the gateway's tables are still what the tables
 * say: soon after the start and hourly, one row after another. See rows.ts.
 */
import { type Clock, sleep } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/log.ts'
import type { TableRow, TableSources } from './rows.ts'

/** Clients' first requests come before. */
const FIRST_MS = 30_000
const EVERY_MS = 3_600_000
/** Between two rows: public nodes take one call a second. */
const PAUSE_MS = 2_000

export interface StaleRow extends Omit<TableRow, 'check'> {
  /** What differs. */
  readonly why: string
  /** When that was found, Unix ms. */
  readonly since: number
}

export interface TableState {
  readonly rows: number
  readonly stale: number
  /** When a row of it was last answered, Unix ms; null before. */
  readonly checkedAt: number | null
}

interface TableChecksOptions {
  /** Called once, when first needed: it loads the calldata readers. */
  readonly loadRows: () => Promise<readonly TableRow[]>
  readonly sources: TableSources
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly onClose?: () => unknown
}

export class TableChecks {
  readonly #options: TableChecksOptions
  readonly #stale = new Map<TableRow, StaleRow>()
  /** By table, Unix ms. */
  readonly #checkedAt = new Map<string, number>()
  #rows: Promise<readonly TableRow[]> | null = null
  #cancel: () => void = () => {}
  #isClosed = false

  constructor(options: TableChecksOptions) {
    this.#options = options
  }

  get stale(): readonly StaleRow[] {
    return [...this.#stale.values()]
  }

  /** By the tables' names. */
  async tables(): Promise<ReadonlyMap<string, TableState>> {
    const states = new Map<string, TableState>()
    for (const row of await this.#loaded()) {
      const { table } = row
      const { rows = 0, stale = 0 } = states.get(table) ?? {}
      const isStale = this.#stale.has(row)
      const checkedAt = this.#checkedAt.get(table) ?? null
      states.set(table, { rows: rows + 1, stale: stale + Number(isStale), checkedAt })
    }
    return states
  }

  start(): void {
    this.#cancel = this.#options.clock.after(FIRST_MS, () => void this.#rounds())
  }

  close(): void {
    this.#isClosed = true
    this.#cancel()
    this.#options.onClose?.()
  }

  /** Checks each row once. */
  async round(pauseMs = 0): Promise<void> {
    for (const row of await this.#loaded()) {
      if (this.#isClosed) return
      await this.#check(row)
      if (pauseMs > 0) await sleep(this.#options.clock, pauseMs)
    }
  }

  #loaded(): Promise<readonly TableRow[]> {
    return (this.#rows ??= this.#options.loadRows())
  }

  async #rounds(): Promise<void> {
    await this.round(PAUSE_MS)
    if (!this.#isClosed) this.#cancel = this.#options.clock.after(EVERY_MS, () => void this.#rounds())
  }

  async #check(row: TableRow): Promise<void> {
    const { sources, clock, log } = this.#options
    const { table, chain, key } = row
    try {
      const why = await row.check(sources)
      const known = this.#stale.get(row)
      const now = clock.date()
      this.#checkedAt.set(table, now)
      if (why === null) {
        if (this.#stale.delete(row)) log.info({ table, chain, key }, 'a row of a table is right again')
        return
      }
      if (known?.why === why) return
      this.#stale.set(row, { table, chain, key, why, since: known?.since ?? now })
      log.warn({ table, chain, key, why }, 'a row of a table is stale')
    } catch (error) {
      // Nobody answered: the result stays as it was.
      if (!(error instanceof GatewayError)) log.error({ err: error, table, chain, key }, 'fault')
    }
  }
}
