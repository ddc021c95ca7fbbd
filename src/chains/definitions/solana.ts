import type { OtherChain } from '../definition.ts'
import { usdc, usdt } from '../stablecoins.ts'

export const solana: OtherChain = {
  key: 'solana',
  family: 'solana',
  name: 'Solana',
  chainId: null,
  native: 'SOL',
  decimals: 9,
  rpc: ['https://api.mainnet-beta.solana.com', 'https://solana-rpc.publicnode.com'],
  explorer: 'https://solscan.io',
  coingeckoId: null,
  stablecoins: [
    usdc('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
    usdt('Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
  ],
  xprovChainId: 1_151_111_081_099_710,
  listedAs: {
    dexscreener: 'solana',
    geckoterminal: 'solana',
    defillama: 'solana',
    goplus: 'solana',
  },
}
