import { LIFI_DIAMOND, uniswapV2 } from '../contracts.ts'
import { evmChain } from '../definition.ts'
import { usdc, usdt } from '../stablecoins.ts'

export const polygon = evmChain({
  key: 'polygon',
  name: 'Polygon PoS',
  chainId: 137,
  native: 'POL',
  rpc: ['https://polygon-bor-rpc.publicnode.com', 'https://polygon.drpc.org'],
  explorer: 'https://polygonscan.com',
  wrappedNative: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270',
  nativeAliases: ['0x0000000000000000000000000000000000001010'],
  v2Routers: [uniswapV2('0xedf6066a2b290C185783862C7F4776A2C8077AD1')],
  stablecoins: [
    usdc('0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
    usdt('0xc2132D05D31c914a87C6611C10748AEb04B58e8F'),
  ],
  xprovContract: LIFI_DIAMOND,
  listedAs: { geckoterminal: 'polygon_pos' },
})
