/** The checks of what is hard-coded, and whom they ask. */

import { findChain } from '../chains/find.ts'
import { Call } from '../flow/call.ts'
import { TonContracts } from '../proof/ton/contracts.ts'
import { named } from '../runtime/tape.ts'
import { TableChecks } from '../swap/tables/checks.ts'
import { jitoTips } from '../upstream/nodes/solana/jito-tips.ts'
import type { Environment } from './environment.ts'
import type { Upstreams } from './upstreams.ts'

export function createTables(
  { config, access, clock, log }: Environment,
  { context, solana, providers }: Upstreams,
): TableChecks {
  const { evm, sui, ton, tools, periphery } = providers
  const jito = jitoTips(config.solanaLandingUrls ?? [], context)
  return new TableChecks({
    async loadRows() {
      const { tableRows } = await import('../swap/tables/rows.ts')
      return tableRows().filter(({ chain }) => access.serves(chain))
    },
    sources: {
      evm: (key) => evm(findChain(key)!),
      solana,
      sui,
      ton: new TonContracts(ton, named(clock, 'tables')).within(
        Call.of(clock, 'build', Number.POSITIVE_INFINITY),
      ),
      periphery,
      bridges: tools,
      jitoTips: jito?.accounts ?? null,
    },
    clock,
    log,
    onClose: () => jito?.close(),
  })
}
