import { LIFI_DIAMOND } from '../contracts.ts'
import { evmChain } from '../definition.ts'
import { usdc } from '../stablecoins.ts'

export const gnosis = evmChain({
  key: 'gnosis',
  name: 'Gnosis',
  chainId: 100,
  native: 'XDAI',
  rpc: ['https://rpc.gnosischain.com', 'https://gnosis-rpc.publicnode.com'],
  explorer: 'https://gnosisscan.io',
  wrappedNative: '0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d',
  stablecoins: [usdc('0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83')],
  xprovContract: LIFI_DIAMOND,
  listedAs: { dexscreener: 'gnosischain', geckoterminal: 'xdai', defillama: 'xdai', kyberswap: undefined },
})
