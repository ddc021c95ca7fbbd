import { LEGACY_NATIVE, LIFI_DIAMOND, uniswapV2 } from '../contracts.ts'
import { evmChain } from '../definition.ts'
import { usdc, usdt } from '../stablecoins.ts'

export const optimism = evmChain({
  key: 'optimism',
  name: 'OP Mainnet',
  chainId: 10,
  hasL1Fee: true,
  native: 'ETH',
  rpc: ['https://mainnet.optimism.io', 'https://optimism-rpc.publicnode.com', 'https://optimism.drpc.org'],
  explorer: 'https://optimistic.etherscan.io',
  wrappedNative: '0x4200000000000000000000000000000000000006',
  nativeAliases: [LEGACY_NATIVE],
  v2Routers: [uniswapV2('0x4A7b5Da61326A6379179b40d00F57E5bbDC962c2')],
  stablecoins: [
    usdc('0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'),
    usdt('0x94b008aA00579c1307B0EF2c499aD98a8ce58e58'),
  ],
  xprovContract: LIFI_DIAMOND,
})
