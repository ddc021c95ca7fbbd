import { LEGACY_NATIVE, uniswapV2 } from '../contracts.ts'
import { evmChain } from '../definition.ts'
import { usdc } from '../stablecoins.ts'

export const unichain = evmChain({
  key: 'unichain',
  name: 'Unichain',
  chainId: 130,
  hasL1Fee: true,
  native: 'ETH',
  rpc: ['https://mainnet.unichain.org', 'https://unichain-rpc.publicnode.com'],
  explorer: 'https://uniscan.xyz',
  wrappedNative: '0x4200000000000000000000000000000000000006',
  nativeAliases: [LEGACY_NATIVE],
  v2Routers: [uniswapV2('0x284F11109359a7e1306C3e447ef14D38400063FF')],
  stablecoins: [usdc('0x078D782b760474a361dDA0AF3839290b0EF57AD6')],
  xprovContract: '0x864b314D4C5a0399368609581d3E8933a63b9232',
})
