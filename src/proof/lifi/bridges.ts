/**
 * The bridges that are asked for, by the names that the cross-chain provider's
 * API has for them: those whose calldata binds both the recipient and the
 * minimum, see facets.ts. A name that the API does not know would refuse the
 * whole request, so that deBridge, which could be proved, is not among them.
 *
 * Source: GET /v1/tools
 */
export const PROVABLE_BRIDGES: readonly string[] = [
  'across',
  'arbitrum',
  'gnosis',
  'mayan',
  'polymer',
  'polymerStandard',
  'stargateV2',
  'stargateV2Bus',
]
