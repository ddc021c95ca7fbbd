import { LIFI_DIAMOND } from '../contracts.ts'
import type { EvmChain } from '../definition.ts'
import { usdc } from '../stablecoins.ts'

export const sonic: EvmChain = {
  key: 'sonic',
  family: 'evm',
  name: 'Sonic',
  chainId: 146,
  native: 'S',
  decimals: 18,
  rpc: ['https://rpc.soniclabs.com', 'https://sonic.drpc.org'],
  explorer: 'https://sonicscan.org',
  wrappedNative: '0x039e2fB66102314Ce7b64Ce5Ce3E5183bc94aD38',
  v2Routers: [],
  stablecoins: [usdc('0x29219dd400f2Bf60E5a23d13Be72B486D4038894')],
  xprovChainId: 146,
  xprovContract: LIFI_DIAMOND,
  listedAs: {
    dexscreener: 'sonic',
    geckoterminal: 'sonic',
    defillama: 'sonic',
    goplus: '146',
    kyberswap: 'sonic',
    velora: '146',
  },
}
