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

/** By chain key; addresses in lower case, the oldest forwarder first. */
const CONTRACTS = new Map(Object.entries(deployed))

/** @param named  by the chain's own registry */
export function feeContractsOf(chainKey: string, named?: NamedFeeContracts | null) {
  const { collectors, forwarders } = CONTRACTS.get(chainKey) ?? { collectors: [], forwarders: [] }
  return {
    collectors: [...collectors, ...(named?.collector ? [named.collector] : [])],
    forwarders: [...forwarders, ...(named?.forwarder ? [named.forwarder] : [])],
  }
}
