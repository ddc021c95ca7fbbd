import { LEGACY_NATIVE, LIFI_DIAMOND, pancakeV2, uniswapV2 } from '../contracts.ts'
import { evmChain } from '../definition.ts'
import { usdc } from '../stablecoins.ts'

export const base = evmChain({
  key: 'base',
  name: 'Base',
  chainId: 8_453,
  hasL1Fee: true,
  native: 'ETH',
  rpc: ['https://mainnet.base.org', 'https://base-rpc.publicnode.com', 'https://base.drpc.org'],
  explorer: 'https://basescan.org',
  wrappedNative: '0x4200000000000000000000000000000000000006',
  nativeAliases: [LEGACY_NATIVE],
  v2Routers: [
    uniswapV2('0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24'),
    pancakeV2('0x8cFe327CEc66d1C090Dd72bd0FF11d690C33a2Eb'),
  ],
  stablecoins: [usdc('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')],
  xprovContract: LIFI_DIAMOND,
})
