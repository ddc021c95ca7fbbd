/**
 * Jupiter, the aggregator of Solana's markets, by one of its APIs: v1's quote
 * and swap, v2's build, or v2's order. All have the same rules for their material.
 *
 * Source: §4.5, §4.6 · jup-ag/docs, Swap API
 */

import { setTimeout as delay } from 'node:timers/promises'
import { MAX_COMPUTE_UNIT_PRICE } from '../../config/defaults.ts'
import { type JupiterRules, proveJupiter } from '../../proof/jupiter.ts'
import type { Token } from '../../proof/order.ts'
import { refuseMaterial } from '../../proof/verification.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import type { SwapProvider } from '../provider.ts'
import { buildProvider } from './jupiter-build.ts'
import { orderProvider } from './jupiter-order.ts'
import { v1Provider } from './jupiter-v1.ts'
import type { Sleep } from './jupiter-wire.ts'

export type JupiterApi = 'v1' | 'v2-build' | 'v2-order'

export interface JupiterOptions {
  readonly upstream: Upstream
  readonly api: JupiterApi
  /** Micro-lamports per compute unit that a transaction may offer. */
  readonly maxComputeUnitPrice?: bigint
  readonly clock?: Clock
  readonly sleep?: Sleep
}

export interface JupiterProvider extends SwapProvider {
  /** What its material is held to: see proof/jupiter.ts. */
  readonly rules: JupiterRules
}

export function jupiter(options: JupiterOptions): JupiterProvider {
  const { upstream, api, clock = CLOCK, sleep = delay } = options
  const { maxComputeUnitPrice = MAX_COMPUTE_UNIT_PRICE } = options
  const rules = { maxComputeUnitPrice }
  const provider = openApi(api, upstream, clock, sleep)
  return {
    ...provider,
    rules,
    prove({ from, tokenIn, tokenOut, amountIn }, { minOut }, material) {
      if (material.kind !== 'solana') throw refuseMaterial('kind')
      const claim = { from, mintIn: mintOrSol(tokenIn), mintOut: mintOrSol(tokenOut), amountIn, minOut }
      const { checks, stated, facts } = proveJupiter(material.transaction, claim, rules)
      return { ...facts, checks, stated }
    },
  }
}

function openApi(
  api: JupiterApi,
  upstream: Upstream,
  clock: Clock,
  sleep: Sleep,
): Omit<SwapProvider, 'prove'> {
  switch (api) {
    case 'v1':
      return v1Provider(upstream, clock, sleep)
    case 'v2-build':
      return buildProvider(upstream, clock, sleep)
    case 'v2-order':
      return orderProvider(upstream)
  }
}

const mintOrSol = ({ isNative, address }: Token): string | null => (isNative ? null : address)
