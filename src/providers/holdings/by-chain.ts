/**
 * The holdings provider of each chain, created on first use.
 */

import type { ChainDefinition } from '../../chains/definition.ts'
import type { Clock } from '../../runtime/clock.ts'
import { getOrInsert } from '../../runtime/lists.ts'
import type { EvmRpc } from '../../upstream/nodes/evm/rpc.ts'
import type { SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'
import { EvmHoldings } from './evm.ts'
import type { HoldingsProvider } from './holdings.ts'
import { SolanaHoldings } from './solana.ts'

interface HoldingsByChainOptions {
  readonly evm: (chain: ChainDefinition) => EvmRpc
  readonly solana: SolanaRpc
  readonly clock: Clock
}

/** @returns a look-up for EVM chains and Solana that always returns the same provider for a chain */
export function holdingsByChain({ evm, solana, clock }: HoldingsByChainOptions) {
  const ofSolana = new SolanaHoldings(solana)
  const ofEvm = new Map<string, HoldingsProvider>()
  return (chain: ChainDefinition): HoldingsProvider =>
    chain.family === 'evm'
      ? getOrInsert(ofEvm, chain.key, () => new EvmHoldings({ chain, rpc: evm(chain), clock }))
      : ofSolana
}
