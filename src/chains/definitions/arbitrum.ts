import { LIFI_DIAMOND, pancakeV2, uniswapV2 } from '../contracts.ts'
import { evmChain } from '../definition.ts'
import { usdc, usdt } from '../stablecoins.ts'

export const arbitrum = evmChain({
  key: 'arbitrum',
  name: 'Arbitrum One',
  chainId: 42_161,
  native: 'ETH',
  rpc: [
    'https://arb1.arbitrum.io/rpc',
    'https://arbitrum-one-rpc.publicnode.com',
    'https://arbitrum.drpc.org',
  ],
  explorer: 'https://arbiscan.io',
  wrappedNative: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
  v2Routers: [
    uniswapV2('0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24'),
    pancakeV2('0x8cFe327CEc66d1C090Dd72bd0FF11d690C33a2Eb'),
  ],
  stablecoins: [
    usdc('0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
    usdt('0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'),
  ],
  xprovContract: LIFI_DIAMOND,
})
