/**
 * Jupiter, the aggregator of Solana's markets, by its build API: see jupiter-build.ts.
 *
 * Source: §4.5, §4.6 · jup-ag/docs, Swap API
 */

import { MAX_COMPUTE_UNIT_PRICE } from '../../config/defaults.ts'
import { proveJupiter } from '../../proof/solana/jupiter.ts'
import type { SwapClaim } from '../../proof/solana/swap.ts'
import type { BuildOrder, Token } from '../../proof/terms/order.ts'
import { refuseMaterial } from '../../proof/terms/verification.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import type { Offer, SwapProvider } from '../provider.ts'
import { JupiterBuild } from './jupiter-build.ts'
import { JUPITER } from './jupiter-wire.ts'

/** The market's prices may move further than an older offer allows for: it is quoted again. */
export const FRESH_MS = 30_000

export interface JupiterOptions {
  readonly upstream: Upstream
  /** Micro-lamports per compute unit that a transaction may offer. */
  readonly maxComputeUnitPrice?: bigint
}

export function jupiter(options: JupiterOptions): SwapProvider {
  const { upstream, maxComputeUnitPrice = MAX_COMPUTE_UNIT_PRICE } = options
  const calls = new JupiterBuild(upstream)
  return {
    label: JUPITER,
    freshMs: FRESH_MS,
    chains: new Set(['solana']),
    paysOthers: true,
    quote: (order, call) => calls.quote(order, call),
    build: (order, offer, call) => calls.build(order, offer, call),
    prove(order, offer, material) {
      if (material.kind !== 'solana') throw refuseMaterial('kind')
      return proveJupiter(material.transaction, claimOf(order, offer), { maxComputeUnitPrice })
    },
  }
}

/** What a transaction of Solana has to do for an order. */
export function claimOf(order: BuildOrder, { minOut }: Offer): SwapClaim {
  const { from, tokenIn, tokenOut, amountIn, worth = null, solana, nonce, receiver, guards = false } = order
  const [mintIn, mintOut] = [mintOrSol(tokenIn), mintOrSol(tokenOut)]
  return { from, mintIn, mintOut, amountIn, minOut, worth, guards, solana, nonce, receiver }
}

const mintOrSol = ({ isNative, address }: Token): string | null => (isNative ? null : address)
