/**
 * The bridges that the gateway requests, by their names in the cross-chain
 * provider's API and by the family of the source chain: those whose calldata
 * binds both the recipient and the minimum, see facets.ts, ../bridges and proof/sui/mctp.ts. Relay's
 * deposit is missing: its calldata holds the id of an order, and neither recipient nor amount. deBridge
 * could be proved, but the API is not known to have that name.
 *
 * Source: GET /v1/tools · docs.li.fi (mayan is Swift, mayanMCTP is its order over Circle's bridge)
 */
import type { Family } from '../../../chains/definition.ts'

export const PROVABLE_BRIDGES: Readonly<Partial<Record<Family, readonly string[]>>> = {
  evm: ['across', 'arbitrum', 'gnosis', 'mayan', 'polymer', 'polymerStandard', 'stargateV2', 'stargateV2Bus'],
  solana: ['mayan'],
  sui: ['mayanMCTP'],
}
