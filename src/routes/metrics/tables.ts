/** Hard-coded facts that no longer match the chain. */
import type { Registry } from 'prom-client'
import type { TableChecks } from '../../swap/tables/checks.ts'
import { Scraped } from './scraped.ts'

export interface TableReport {
  tables(): Pick<TableChecks, 'tables' | 'stale'>
}

export function measureTables(registers: [Registry], sources: TableReport): void {
  const scraped = new Scraped(registers)
  scraped.gauge('swapgate_table_row_stale', ['table'], async () =>
    [...(await sources.tables().tables())].map(([table, { stale }]) => [{ table }, stale]),
  )
  scraped.gauge('swapgate_table_checked_timestamp_seconds', ['table'], async () =>
    [...(await sources.tables().tables())].map(([table, { checkedAt }]) => [
      { table },
      (checkedAt ?? 0) / 1_000,
    ]),
  )
}
