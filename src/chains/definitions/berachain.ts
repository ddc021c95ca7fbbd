import type { EvmChain } from '../definition.ts'

export const berachain: EvmChain = {
  key: 'berachain',
  family: 'evm',
  name: 'Berachain',
  chainId: 80_094,
  native: 'BERA',
  decimals: 18,
  rpc: ['https://rpc.berachain.com'],
  explorer: 'https://berascan.com',
  wrappedNative: '0x6969696969696969696969696969696969696969',
  v2Routers: [],
  stablecoins: [],
  xprovChainId: 80_094,
  xprovContract: '0xf909c4Ae16622898b885B89d7F839E0244851c66',
  listedAs: {
    dexscreener: 'berachain',
    geckoterminal: 'berachain',
    defillama: 'berachain',
    goplus: '80094',
    kyberswap: 'berachain',
  },
}
