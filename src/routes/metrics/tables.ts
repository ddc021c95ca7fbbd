/** Hard-coded facts that no longer match the chain. */
import { Gauge, type Registry } from 'prom-client'
import type { TableChecks } from '../../swap/tables/checks.ts'

export interface TableSources {
  tables(): Pick<TableChecks, 'tables' | 'stale'>
}

export function measureTables(registers: [Registry], sources: TableSources): void {
  new Gauge({
    name: 'swapgate_table_row_stale',
    help: 'Rows of a table of addresses that the chain contradicts, as in /api/diagnostics',
    labelNames: ['table'] as const,
    registers,
    async collect() {
      for (const [table, { stale }] of await sources.tables().tables()) this.set({ table }, stale)
    },
  })
  new Gauge({
    name: 'swapgate_table_checked_timestamp_seconds',
    help: 'When a row of the table was last answered, Unix time; 0 before',
    labelNames: ['table'] as const,
    registers,
    async collect() {
      for (const [table, { checkedAt }] of await sources.tables().tables())
        this.set({ table }, (checkedAt ?? 0) / 1_000)
    },
  })
}
