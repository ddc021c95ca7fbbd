import { pancakeV2 } from '../contracts.ts'
import { evmChain } from '../definition.ts'
import { usdc } from '../stablecoins.ts'

export const linea = evmChain({
  key: 'linea',
  name: 'Linea',
  chainId: 59_144,
  native: 'ETH',
  rpc: ['https://rpc.linea.build', 'https://linea-rpc.publicnode.com'],
  explorer: 'https://lineascan.build',
  wrappedNative: '0xe5D7C2a44FfDDf6b295A15c148167daaAf5Cf34f',
  v2Routers: [pancakeV2('0x8cFe327CEc66d1C090Dd72bd0FF11d690C33a2Eb')],
  stablecoins: [usdc('0x176211869cA2b568f2A7D4EE941E073a821EE1ff')],
  xprovContract: '0xDE1E598b81620773454588B85D6b5D4eEC32573e',
  listedAs: { velora: undefined },
})
