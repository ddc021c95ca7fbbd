/**
 * Contracts with the same address on many chains.
 *
 * Source: mds1/multicall3 deployments.json
 */
import multiSends from './multi-sends.json' with { type: 'json' }

/** At this address on every EVM chain of the list. */
export const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** Safe's MultiSend and MultiSendCallOnly of versions 1.3.0 (two deployments), 1.4.1 and 1.5.0, in lower case. */
export const MULTI_SENDS: ReadonlySet<string> = new Set(multiSends)
