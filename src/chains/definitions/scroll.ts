import { LIFI_DIAMOND } from '../contracts.ts'
import { evmChain } from '../definition.ts'
import { usdc } from '../stablecoins.ts'

export const scroll = evmChain({
  key: 'scroll',
  name: 'Scroll',
  chainId: 534_352,
  hasL1Fee: true,
  native: 'ETH',
  rpc: ['https://rpc.scroll.io', 'https://scroll.drpc.org'],
  explorer: 'https://scrollscan.com',
  wrappedNative: '0x5300000000000000000000000000000000000004',
  stablecoins: [usdc('0x06eFdBFf2a14a7c8E15944D1F4A48F9F95F663A4')],
  xprovContract: LIFI_DIAMOND,
  listedAs: { kyberswap: undefined, velora: undefined },
})
