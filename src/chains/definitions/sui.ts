import type { OtherChain } from '../definition.ts'
import { usdc, usdt } from '../stablecoins.ts'

export const sui: OtherChain = {
  key: 'sui',
  family: 'sui',
  name: 'Sui',
  chainId: null,
  native: 'SUI',
  decimals: 9,
  // GraphQL: the public JSON-RPC is off since July 2026, and gRPC is not plain HTTP.
  rpc: ['https://graphql.mainnet.sui.io/graphql'],
  explorer: 'https://suivision.xyz',
  coingeckoId: 'sui',
  stablecoins: [
    usdc('0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC'),
    usdt('0xc060006111016b8a020ad5b33834984a437aaa7d3c74c18e09a95d48aceab08c::coin::COIN'),
  ],
  // Above 2^53 - 1, and even: a double holds it exactly, and it prints unrounded.
  xprovChainId: 9_270_000_000_000_000,
  listedAs: {
    dexscreener: 'sui',
    geckoterminal: 'sui-network',
    defillama: 'sui',
    goplus: 'sui',
  },
}
