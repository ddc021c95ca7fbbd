/** Hard-coded facts that no longer match the chain. */
import type { Registry } from 'prom-client'
import type { TableChecks } from '../../swap/tables/checks.ts'
import { Scraped } from './scraped.ts'

export interface TableReport {
  tables(): Pick<TableChecks, 'tables' | 'stale'>
}

export function measureTables(registers: [Registry], sources: TableReport): void {
  const scraped = new Scraped(registers)
  scraped.gauge(
    'swapgate_table_row_stale',
    'Rows of a table of addresses that the chain contradicts, as in /api/diagnostics',
    ['table'],
    async () => [...(await sources.tables().tables())].map(([table, { stale }]) => [{ table }, stale]),
  )
  scraped.gauge(
    'swapgate_table_checked_timestamp_seconds',
    'When a row of the table was last answered, Unix time; 0 before',
    ['table'],
    async () =>
      [...(await sources.tables().tables())].map(([table, { checkedAt }]) => [
        { table },
        (checkedAt ?? 0) / 1_000,
      ]),
  )
}
