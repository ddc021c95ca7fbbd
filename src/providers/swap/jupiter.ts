/**
 * Jupiter, the aggregator of Solana's markets, by one of its APIs: v1's quote
 * and swap, v2's build, or v2's order. All have the same rules for their material.
 *
 * Source: §4.5, §4.6 · jup-ag/docs, Swap API
 */

import { MAX_COMPUTE_UNIT_PRICE } from '../../config/defaults.ts'
import { type JupiterRules, proveJupiter } from '../../proof/jupiter.ts'
import type { Token } from '../../proof/order.ts'
import { refuseMaterial } from '../../proof/verification.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import type { SwapProvider } from '../provider.ts'
import { JupiterBuild } from './jupiter-build.ts'
import { JupiterOrder } from './jupiter-order.ts'
import { JupiterV1 } from './jupiter-v1.ts'
import { JUPITER, type JupiterCalls } from './jupiter-wire.ts'

/** The market's prices may move further than an older offer allows for: it is quoted again. */
const FRESH_MS = 30_000

export type JupiterApi = 'v1' | 'v2-build' | 'v2-order'

interface JupiterOptions {
  readonly upstream: Upstream
  readonly api: JupiterApi
  /** Micro-lamports per compute unit that a transaction may offer. */
  readonly maxComputeUnitPrice?: bigint
  readonly clock?: Clock
}

interface JupiterProvider extends SwapProvider {
  /** The rules of its proof: see proof/jupiter.ts. */
  readonly rules: JupiterRules
}

export function jupiter(options: JupiterOptions): JupiterProvider {
  const { upstream, api, clock = CLOCK } = options
  const { maxComputeUnitPrice = MAX_COMPUTE_UNIT_PRICE } = options
  const rules = { maxComputeUnitPrice }
  const calls = callsOf(api, upstream, clock)
  return {
    label: JUPITER,
    canBuild: true,
    freshMs: FRESH_MS,
    chains: new Set(['solana']),
    rules,
    quote: (order, call) => calls.quote(order, call),
    build: (order, offer, call) => calls.build(order, offer, call),
    prove({ from, tokenIn, tokenOut, amountIn, worth = null }, offer, material) {
      if (material.kind !== 'solana') throw refuseMaterial('kind')
      const [mintIn, mintOut] = [mintOrSol(tokenIn), mintOrSol(tokenOut)]
      const { minOut } = offer
      const feeBps = calls.feeBpsOf?.(offer) ?? 0
      const claim = { from, mintIn, mintOut, amountIn, minOut, worth, feeBps }
      const { checks, stated, facts, confirm } = proveJupiter(material.transaction, claim, rules)
      return { ...facts, checks, stated, confirm }
    },
  }
}

function callsOf(api: JupiterApi, upstream: Upstream, clock: Clock): JupiterCalls {
  switch (api) {
    case 'v1':
      return new JupiterV1(upstream, clock)
    case 'v2-build':
      return new JupiterBuild(upstream, clock)
    case 'v2-order':
      return new JupiterOrder(upstream)
  }
}

const mintOrSol = ({ isNative, address }: Token): string | null => (isNative ? null : address)
