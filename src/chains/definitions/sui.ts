import type { OtherChain } from '../definition.ts'
import { usdc, usdt } from '../stablecoins.ts'
import { SUI_ADDRESSES } from '../sui-address.ts'

const USDC = '0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC'
const USDT = '0xc060006111016b8a020ad5b33834984a437aaa7d3c74c18e09a95d48aceab08c::coin::COIN'

export const sui: OtherChain = {
  key: 'sui',
  family: 'sui',
  name: 'Sui',
  chainId: null,
  native: 'SUI',
  decimals: 9,
  // GraphQL: the public JSON-RPC is off since July 2026, and gRPC is not plain HTTP. The Foundation's, and Triton's,
  // which MystenLabs/sui#27979 found to answer without a key.
  rpc: ['https://graphql.mainnet.sui.io/graphql', 'https://mainnet.sui.rpcpool.com/graphql'],
  explorer: 'https://suivision.xyz',
  coingeckoId: 'sui',
  stablecoins: [usdc(USDC), usdt(USDT)],
  // Each in the lists of several protocols on Sui: Scallop, Cetus, Bucket.
  coinMetadata: {
    [SUI_ADDRESSES.native]: '0x9258181f5ceac8dbffb7030890243caed69a9599d2886d957a9cb7656af3bdb3',
    [USDC]: '0x69b7a7c3c200439c1b5f3b19d7d495d5966d5f08de66c69276152f8db3992ec6',
    [USDT]: '0xfb0e3eb97dd158a5ae979dddfa24348063843c5b20eb8381dd5fa7c93699e45c',
  },
  // Above 2^53 - 1, and even: a double holds it exactly, and it prints unrounded.
  xprovChainId: 9_270_000_000_000_000,
  listedAs: {
    dexscreener: 'sui',
    geckoterminal: 'sui-network',
    defillama: 'sui',
    goplus: 'sui',
  },
}
