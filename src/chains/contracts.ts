/**
 * Contracts with the same address on many chains.
 *
 * Source: mds1/multicall3 deployments.json
 */

/** At this address on every EVM chain of the list. */
export const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** Safe's MultiSend and MultiSendCallOnly of versions 1.3.0 (two deployments), 1.4.1 and 1.5.0, in lower case. */
export const MULTI_SENDS: ReadonlySet<string> = new Set([
  '0xa238cbeb142c10ef7ad8442c6d1f9e89e07e7761',
  '0x40a2accbd92bca938b02010e17a5b8929b49130d',
  '0x38869bf66a61cf6bdb996a6ae40d5853fd43b526',
  '0x998739bfdaadde7c933b942a68053933098f9eda',
  '0xa1dabef33b3b82c7814b6d82a79e50f4ac44102b',
  '0x9641d764fc13c8b624c04430c7356c1c7c8102e2',
  '0x218543288004cd07832472d464648173c77d7eb7',
  '0xa83c336b20401af773b6219ba5027174338d1836',
])
