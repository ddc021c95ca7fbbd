/**
 * The contracts that take fees in the provider's calls, by chain: a collector, at which integrators claim
 * theirs, and a forwarder, which pays each at once. The forwarder was redeployed twice. Newer ones are read
 * from the chain: see periphery.ts.
 *
 * Source: lifinance/contracts deployments/*.json, 2025-10-30 and 2026-08-21, config/global.json
 * feeCollectorOwner · forwarders of 2026-11-04: a release note of nuanu-ai/agent-payment-node
 */

import type { NamedFeeContracts } from './periphery.ts'

/** The provider's own account: its share of a forwarder's fees. */
export const LIFI_FEE_WALLET = '0xc06ebbefd94032b85424d51906e2a335efae264b'

interface FeeContracts {
  readonly collectors: readonly string[]
  readonly forwarders: readonly string[]
}

/** The forwarders that most chains have, the oldest first. */
const FORWARDERS = [
  '0xc18d9e84b8687a2645447a61e52c455dac1675e1',
  '0xce40449b773a3e6e5e769adb4e567179d4828cbd',
]
const NEWEST = '0xde2b920506ee931a6a2abdf566526220214fbbae'
const OF_THREE = ['0xb401ccda43c36935e6059c02103e9541fba3337e', '0xa5971bd73dbb879aaaa6fecb95dc3fd50c2e3c25']

const row = (collector: string, forwarders: readonly string[] = FORWARDERS): FeeContracts => ({
  collectors: [collector],
  forwarders,
})

/** By chain key; addresses in lower case. */
const CONTRACTS: ReadonlyMap<string, FeeContracts> = new Map([
  [
    'ethereum',
    row('0x3ef238c36035880efbdfa239d218186b79ad1d6f', [
      '0x685527c551cc40ce1f1c9818cd8683307076e4ed',
      FORWARDERS[1]!,
      NEWEST,
    ]),
  ],
  ['base', row('0x0a6d96e7f4d7b96cfe42185df61e64d255c12dff', [...FORWARDERS, NEWEST])],
  ['arbitrum', row('0xb0210de78e28e2633ca200609d9f528c13c26cd9', [...FORWARDERS, NEWEST])],
  ['optimism', row('0x271970ee66c03c9d62d8e8c718b9841f2ea7d817')],
  ['bsc', row('0xbd6c7b0d2f68c2b7805d88388319cfb6ecb50ea9')],
  ['polygon', row('0xbd6c7b0d2f68c2b7805d88388319cfb6ecb50ea9')],
  ['avalanche', row('0xb0210de78e28e2633ca200609d9f528c13c26cd9')],
  [
    'linea',
    row('0xa4a24bdd4608d7dfc496950850f9763b674f0db2', [
      '0xd8b700ced3e486c3c4fc31fc0c3b3590e1a52d7e',
      '0x72015d314542457cbb6bf14318d82464e4d413ec',
    ]),
  ],
  [
    'mantle',
    row('0xf048e5816b0c7951ac179f656c5b86e5a79bd7b5', [
      FORWARDERS[0]!,
      '0x79c3f5b651ee5782ba15d968b088458cd5f1f4ef',
    ]),
  ],
  ['sonic', row('0xafb8cc8fcd71cd768ce117c11eb723119fcdb1f8')],
  ['unichain', row('0x262de706627fe02b46a3643a60948fa6be007f7b', OF_THREE)],
  [
    'berachain',
    row('0x070ec43b4222e0f17eecd2c839cb9d1d5adef73c', [
      '0x135566e8702a377d3f7ec9f0a2bd8009901e8693',
      '0xc431ee11b784960cf6ed6a69f91b93fb565b4d44',
    ]),
  ],
  [
    'hyperevm',
    row('0x7cac679cc2df9c602590ea4965091f54ec32f2fc', [
      '0xb85d6b3dedc688c2ac7c71669f20fdd1ec739e97',
      '0xba072bf218314e51d5c3d254800d799840ae6a25',
    ]),
  ],
  ['monad', row('0x954d55105cdf5371224268691faf6178be5f62f5', OF_THREE)],
  ['plasma', row('0x954d55105cdf5371224268691faf6178be5f62f5', OF_THREE)],
  ['scroll', row('0xf048e5816b0c7951ac179f656c5b86e5a79bd7b5')],
  ['gnosis', row('0xbd6c7b0d2f68c2b7805d88388319cfb6ecb50ea9')],
])

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
