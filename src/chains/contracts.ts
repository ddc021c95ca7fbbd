/**
 * Contracts with the same address on many chains, and the kinds of routers. A chain's file has only routers
 * that their own project lists. An address may be another contract on another chain, so each chain's file
 * names its own.
 *
 * Source: the projects' own lists of deployments: docs.uniswap.org,
 * developer.pancakeswap.finance, mds1/multicall3 deployments.json ·
 * lifinance/contracts deployments/<network>.json (LiFiDiamond) · ethereum-optimism's
 * specs of predeploys (LegacyERC20ETH)
 */
import type { V2Router } from './definition.ts'

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

/** The cross-chain provider's contract on most of the chains. */
export const LIFI_DIAMOND = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'

/** The native coin as a token of chains that came from Optimism; its transfers revert. */
export const LEGACY_NATIVE = '0xDeadDeAddeAddEAddeadDEaDDEAdDeaDDeAD0000'

export const uniswapV2 = (address: string): V2Router => ({ name: 'Uniswap V2', address })
export const pancakeV2 = (address: string): V2Router => ({ name: 'PancakeSwap V2', address })
