import { LIFI_DIAMOND } from '../contracts.ts'
import { evmChain } from '../definition.ts'
import { usdc } from '../stablecoins.ts'

export const sonic = evmChain({
  key: 'sonic',
  name: 'Sonic',
  chainId: 146,
  native: 'S',
  rpc: ['https://rpc.soniclabs.com', 'https://sonic.drpc.org'],
  explorer: 'https://sonicscan.org',
  wrappedNative: '0x039e2fB66102314Ce7b64Ce5Ce3E5183bc94aD38',
  stablecoins: [usdc('0x29219dd400f2Bf60E5a23d13Be72B486D4038894')],
  xprovContract: LIFI_DIAMOND,
})
