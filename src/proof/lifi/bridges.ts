/**
 * The bridges that are asked for, by the names that the cross-chain provider's
 * API has for them, and by the family of the chain that a cross-chain swap starts on:
 * those whose calldata binds both the recipient and the minimum, see facets.ts
 * and ../svm. A name that the API does not know would refuse the whole request,
 * so that deBridge, which could be proved, is not among them.
 *
 * Source: GET /v1/tools
 */
import type { Family } from '../../chains/definition.ts'

export const PROVABLE_BRIDGES: Readonly<Partial<Record<Family, readonly string[]>>> = {
  evm: ['across', 'arbitrum', 'gnosis', 'mayan', 'polymer', 'polymerStandard', 'stargateV2', 'stargateV2Bus'],
  solana: ['mayan'],
}
