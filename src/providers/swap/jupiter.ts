/**
 * Jupiter, the aggregator of Solana's markets, by one of its two APIs: v1's
 * quote and swap, or v2's order. Both have the same rules for their material.
 *
 * Source: §4.5, §4.6 · jup-ag/docs, Swap API
 */

import { setTimeout as delay } from 'node:timers/promises'
import { proveSolana, type SolanaRules } from '../../proof/solana.ts'
import { refuseMaterial } from '../../proof/verification.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import type { SwapProvider } from '../provider.ts'
import { orderProvider } from './jupiter-order.ts'
import { type Clock, v1Provider } from './jupiter-v1.ts'
import { JUPITER_ROUTER } from './jupiter-wire.ts'

/** 1,000,000 lamports over as few as 20,000 compute units. */
const MAX_COMPUTE_UNIT_PRICE = 50_000_000n

export interface JupiterOptions {
  readonly upstream: Upstream
  readonly api: 'v1' | 'v2-order'
  /** Micro-lamports per compute unit that a transaction may offer. */
  readonly maxComputeUnitPrice?: bigint
  /** See SolanaRules: Jupiter itself has none, the sandbox's desk is one. */
  readonly settlementAccounts?: readonly string[]
  readonly clock?: Clock
}

export interface JupiterProvider extends SwapProvider {
  /** What its material is held to: see proof/solana.ts. */
  readonly rules: SolanaRules
}

const CLOCK: Clock = { sleep: (ms) => delay(ms), now: () => performance.now() }

export function jupiter(options: JupiterOptions): JupiterProvider {
  const { upstream, api, clock = CLOCK } = options
  const { maxComputeUnitPrice = MAX_COMPUTE_UNIT_PRICE, settlementAccounts = [] } = options
  const rules = { programs: [JUPITER_ROUTER], maxComputeUnitPrice, settlementAccounts }
  const provider = api === 'v1' ? v1Provider(upstream, clock) : orderProvider(upstream)
  return {
    ...provider,
    rules,
    prove({ from, tokenIn, amountIn }, _offer, material) {
      if (material.kind !== 'solana') throw refuseMaterial('kind')
      const spends = { mint: tokenIn.isNative ? null : tokenIn.address, amount: amountIn }
      return proveSolana(material.transaction, { from, spends }, rules)
    },
  }
}
