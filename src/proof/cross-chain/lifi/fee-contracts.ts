/**
 * The contracts that take fees in the provider's calls, by chain: a collector, at which integrators claim
 * theirs, and a forwarder, which pays each at once. The forwarder was redeployed twice. Newer ones are read
 * from the chain: see periphery.ts.
 *
 * Source: lifinance/contracts deployments/*.json, 2025-10-30 and 2026-08-21, config/global.json
 * feeCollectorOwner · forwarders of 2026-11-04: a release note of nuanu-ai/agent-payment-node
 */

import deployed from './fee-deployments.json' with { type: 'json' }
import type { NamedFeeContracts } from './periphery.ts'

/** The provider's own account: its share of a forwarder's fees. */
export const LIFI_FEE_WALLET = '0xc06ebbefd94032b85424d51906e2a335efae264b'

interface FeeContracts {
  readonly collectors: readonly string[]
  /** The oldest first. */
  readonly forwarders: readonly string[]
}

/** By chain key; addresses in lower case. */
const CONTRACTS: ReadonlyMap<string, FeeContracts> = new Map(Object.entries(deployed))

const NONE: FeeContracts = { collectors: [], forwarders: [] }

/** @param named  by the chain's own registry */
export function feeContractsOf(chainKey: string, named?: NamedFeeContracts | null): FeeContracts {
  const { collectors, forwarders } = CONTRACTS.get(chainKey) ?? NONE
  if (!named) return { collectors, forwarders }
  const { collector, forwarder } = named
  return {
    collectors: collector === null ? collectors : [...collectors, collector],
    forwarders: forwarder === null ? forwarders : [...forwarders, forwarder],
  }
}
