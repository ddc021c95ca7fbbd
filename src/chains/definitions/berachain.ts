import { evmChain } from '../definition.ts'
import { honey, usdt0 } from '../stablecoins.ts'

export const berachain = evmChain({
  key: 'berachain',
  name: 'Berachain',
  chainId: 80_094,
  native: 'BERA',
  rpc: ['https://rpc.berachain.com', 'https://berachain-rpc.publicnode.com'],
  explorer: 'https://berascan.com',
  wrappedNative: '0x6969696969696969696969696969696969696969',
  stablecoins: [
    usdt0('0x779Ded0c9e1022225f8E0630b35a9b54bE713736'),
    honey('0xFCBD14DC51f0A4d49d5E53C2E0950e0bC26d0Dce'),
  ],
  xprovContract: '0xf909c4Ae16622898b885B89d7F839E0244851c66',
  listedAs: { velora: undefined },
})
