import { LIFI_DIAMOND, pancakeV2, uniswapV2 } from '../contracts.ts'
import { evmChain } from '../definition.ts'
import { usdc, usdt } from '../stablecoins.ts'

export const bsc = evmChain({
  key: 'bsc',
  name: 'BNB Chain',
  chainId: 56,
  native: 'BNB',
  rpc: [
    'https://bsc-dataseed.bnbchain.org',
    'https://bsc-rpc.publicnode.com',
    'https://bsc-dataseed1.defibit.io',
  ],
  explorer: 'https://bscscan.com',
  wrappedNative: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
  v2Routers: [
    pancakeV2('0x10ED43C718714eb63d5aA57B78B54704E256024E'),
    uniswapV2('0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24'),
  ],
  stablecoins: [
    usdc('0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18),
    usdt('0x55d398326f99059fF775485246999027B3197955', 18),
  ],
  xprovContract: LIFI_DIAMOND,
})
