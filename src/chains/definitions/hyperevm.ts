import { evmChain } from '../definition.ts'
import { usdc, usdh, usdt0 } from '../stablecoins.ts'

export const hyperevm = evmChain({
  key: 'hyperevm',
  name: 'HyperEVM',
  chainId: 999,
  native: 'HYPE',
  rpc: ['https://rpc.hyperliquid.xyz/evm', 'https://hyperliquid.drpc.org'],
  explorer: 'https://hyperevmscan.io',
  wrappedNative: '0x5555555555555555555555555555555555555555',
  stablecoins: [
    usdc('0xb88339CB7199b77E23DB6E890353E22632Ba630f'),
    usdt0('0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb'),
    usdh('0x111111a1a0667d36bD57c0A9f569b98057111111'),
  ],
  xprovContract: '0x0a0758d937d1059c356D4714e57F5df0239bce1A',
  listedAs: { defillama: 'hyperliquid', goplus: undefined, velora: undefined },
})
