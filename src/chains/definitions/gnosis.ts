import { LIFI_DIAMOND } from '../contracts.ts'
import type { EvmChain } from '../definition.ts'
import { usdc } from '../stablecoins.ts'

export const gnosis: EvmChain = {
  key: 'gnosis',
  family: 'evm',
  name: 'Gnosis',
  chainId: 100,
  native: 'XDAI',
  decimals: 18,
  rpc: ['https://rpc.gnosischain.com', 'https://gnosis-rpc.publicnode.com'],
  explorer: 'https://gnosisscan.io',
  wrappedNative: '0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d',
  v2Routers: [],
  stablecoins: [usdc('0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83')],
  xprovChainId: 100,
  xprovContract: LIFI_DIAMOND,
  listedAs: {
    dexscreener: 'gnosischain',
    geckoterminal: 'xdai',
    defillama: 'xdai',
    goplus: '100',
    velora: '100',
  },
}
