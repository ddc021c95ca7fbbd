import { LIFI_DIAMOND, uniswapV2 } from '../contracts.ts'
import { evmChain } from '../definition.ts'
import { usdc, usdt } from '../stablecoins.ts'

export const avalanche = evmChain({
  key: 'avalanche',
  name: 'Avalanche C',
  chainId: 43_114,
  native: 'AVAX',
  rpc: ['https://api.avax.network/ext/bc/C/rpc', 'https://avalanche-c-chain-rpc.publicnode.com'],
  explorer: 'https://snowscan.xyz',
  wrappedNative: '0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7',
  v2Routers: [uniswapV2('0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24')],
  stablecoins: [
    usdc('0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
    usdt('0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7'),
  ],
  xprovContract: LIFI_DIAMOND,
  listedAs: { geckoterminal: 'avax', defillama: 'avax' },
})
