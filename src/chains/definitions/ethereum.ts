import { LIFI_DIAMOND, uniswapV2 } from '../contracts.ts'
import { evmChain } from '../definition.ts'
import { dai, usdc, usdt } from '../stablecoins.ts'

export const ethereum = evmChain({
  key: 'ethereum',
  name: 'Ethereum',
  chainId: 1,
  native: 'ETH',
  rpc: ['https://ethereum-rpc.publicnode.com', 'https://eth.drpc.org', 'https://ethereum-rpc.kyberswap.com'],
  explorer: 'https://etherscan.io',
  wrappedNative: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  v2Routers: [uniswapV2('0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D')],
  stablecoins: [
    usdc('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
    usdt('0xdAC17F958D2ee523a2206206994597C13D831ec7'),
    dai('0x6B175474E89094C44Da98b954EedeAC495271d0F'),
  ],
  xprovContract: LIFI_DIAMOND,
  listedAs: { geckoterminal: 'eth' },
})
