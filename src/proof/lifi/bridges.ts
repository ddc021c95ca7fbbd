/**
 * The bridges that the gateway requests, by their names in the cross-chain
 * provider's API and by the family of the source chain: those whose calldata
 * binds both the recipient and the minimum, see facets.ts, ../svm and ../sui-mctp.ts. The API
 * rejects a request with an unknown name, so deBridge is missing although it
 * could be proved.
 *
 * Source: GET /v1/tools · docs.li.fi (mayan is Swift, mayanMCTP is its order over Circle's bridge)
 */
import type { Family } from '../../chains/definition.ts'

export const PROVABLE_BRIDGES: Readonly<Partial<Record<Family, readonly string[]>>> = {
  evm: ['across', 'arbitrum', 'gnosis', 'mayan', 'polymer', 'polymerStandard', 'stargateV2', 'stargateV2Bus'],
  solana: ['mayan'],
  sui: ['mayanMCTP'],
}
