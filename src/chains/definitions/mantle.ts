import { LEGACY_NATIVE, LIFI_DIAMOND } from '../contracts.ts'
import { evmChain } from '../definition.ts'
import { usdc } from '../stablecoins.ts'

export const mantle = evmChain({
  key: 'mantle',
  name: 'Mantle',
  chainId: 5_000,
  hasL1Fee: true,
  native: 'MNT',
  rpc: ['https://rpc.mantle.xyz', 'https://mantle-rpc.publicnode.com'],
  explorer: 'https://mantlescan.xyz',
  wrappedNative: '0x78c1b0C915c4FAA5FffA6CAbf0219DA63d7f4cb8',
  nativeAliases: [LEGACY_NATIVE],
  stablecoins: [usdc('0x09Bc4E0D864854c6aFB6eB9A9cdF58aC190D0dF9')],
  xprovContract: LIFI_DIAMOND,
  listedAs: { velora: undefined },
})
