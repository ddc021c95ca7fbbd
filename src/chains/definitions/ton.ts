import type { OtherChain } from '../definition.ts'
import { usdt } from '../stablecoins.ts'

export const ton: OtherChain = {
  key: 'ton',
  family: 'ton',
  name: 'TON',
  chainId: null,
  // Gram since June 2026; before, the coin had the name of the chain.
  native: 'GRAM',
  decimals: 9,
  rpc: ['https://toncenter.com/api/v2/jsonRPC', 'https://tonapi.io/v2'],
  explorer: 'https://tonviewer.com',
  coingeckoId: 'the-open-network',
  stablecoins: [usdt('EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs')],
  xprovChainId: null,
  listedAs: {
    dexscreener: 'ton',
    geckoterminal: 'ton',
    defillama: 'ton',
  },
}
