/**
 * The chain table: the one place where a chain is added.
 *
 * Source: §2 Chain, §4.3 · ethereum-lists/chains and DefiLlama/chainlist (names,
 * ids, explorers and public RPC candidates) · LI.FI's GET /v1/chains
 */
import type { Chain } from '../resources.ts'

/** Numeric ids of the cross-chain provider for chains that have none of their own. */
const XPROV_SOLANA = 1_151_111_081_099_710
// Above 2^53 - 1, and even: a double holds it exactly, and it prints as it stands.
const XPROV_SUI = 9_270_000_000_000_000

function evm(
  key: string,
  name: string,
  chainId: number,
  native: string,
  explorer: string,
  rpc: readonly string[],
  aggregator = 'kyberswap',
): Chain {
  return {
    key,
    evm: true,
    sui: false,
    ton: false,
    chainId,
    chainIdHex: `0x${chainId.toString(16)}`,
    name,
    native,
    decimals: 18,
    rpc: [...rpc],
    explorer,
    aggregator,
    xprovChainId: chainId,
  }
}

/** A chain without an EVM: it has no chain id, and coins of nine decimals. */
function other(
  key: 'solana' | 'sui' | 'ton',
  name: string,
  native: string,
  explorer: string,
  rpc: readonly string[],
  aggregator: string,
  xprovChainId: number | null,
): Chain {
  return {
    key,
    evm: false,
    sui: key === 'sui',
    ton: key === 'ton',
    chainId: null,
    chainIdHex: null,
    name,
    native,
    decimals: 9,
    rpc: [...rpc],
    explorer,
    aggregator,
    xprovChainId,
  }
}

export const CHAINS: readonly Chain[] = [
  evm('ethereum', 'Ethereum', 1, 'ETH', 'https://etherscan.io', [
    'https://ethereum-rpc.publicnode.com',
    'https://eth.drpc.org',
    'https://ethereum-rpc.kyberswap.com',
  ]),
  evm('bsc', 'BNB Chain', 56, 'BNB', 'https://bscscan.com', [
    'https://bsc-dataseed.bnbchain.org',
    'https://bsc-rpc.publicnode.com',
    'https://bsc-dataseed1.defibit.io',
  ]),
  evm('base', 'Base', 8_453, 'ETH', 'https://basescan.org', [
    'https://mainnet.base.org',
    'https://base-rpc.publicnode.com',
    'https://base.drpc.org',
  ]),
  evm('arbitrum', 'Arbitrum One', 42_161, 'ETH', 'https://arbiscan.io', [
    'https://arb1.arbitrum.io/rpc',
    'https://arbitrum-one-rpc.publicnode.com',
    'https://arbitrum.drpc.org',
  ]),
  evm('optimism', 'OP Mainnet', 10, 'ETH', 'https://optimistic.etherscan.io', [
    'https://mainnet.optimism.io',
    'https://optimism-rpc.publicnode.com',
    'https://optimism.drpc.org',
  ]),
  evm('polygon', 'Polygon PoS', 137, 'POL', 'https://polygonscan.com', [
    'https://polygon-bor-rpc.publicnode.com',
    'https://polygon.drpc.org',
  ]),
  evm('avalanche', 'Avalanche C', 43_114, 'AVAX', 'https://snowscan.xyz', [
    'https://api.avax.network/ext/bc/C/rpc',
    'https://avalanche-c-chain-rpc.publicnode.com',
  ]),
  evm('linea', 'Linea', 59_144, 'ETH', 'https://lineascan.build', ['https://rpc.linea.build']),
  evm('mantle', 'Mantle', 5_000, 'MNT', 'https://mantlescan.xyz', [
    'https://rpc.mantle.xyz',
    'https://mantle-rpc.publicnode.com',
  ]),
  evm('sonic', 'Sonic', 146, 'S', 'https://sonicscan.org', [
    'https://rpc.soniclabs.com',
    'https://sonic.drpc.org',
  ]),
  evm('unichain', 'Unichain', 130, 'ETH', 'https://uniscan.xyz', ['https://mainnet.unichain.org']),
  evm('berachain', 'Berachain', 80_094, 'BERA', 'https://berascan.com', ['https://rpc.berachain.com']),
  evm('hyperevm', 'HyperEVM', 999, 'HYPE', 'https://hyperevmscan.io', [
    'https://rpc.hyperliquid.xyz/evm',
    'https://hyperliquid.drpc.org',
  ]),
  evm('monad', 'Monad', 143, 'MON', 'https://monadscan.com', [
    'https://rpc.monad.xyz',
    'https://rpc1.monad.xyz',
  ]),
  evm('plasma', 'Plasma', 9_745, 'XPL', 'https://plasmascan.to', ['https://rpc.plasma.to']),
  evm('scroll', 'Scroll', 534_352, 'ETH', 'https://scrollscan.com', [
    'https://rpc.scroll.io',
    'https://scroll.drpc.org',
  ]),
  evm(
    'gnosis',
    'Gnosis',
    100,
    'XDAI',
    'https://gnosisscan.io',
    ['https://rpc.gnosischain.com', 'https://gnosis-rpc.publicnode.com'],
    'velora',
  ),
  other(
    'solana',
    'Solana',
    'SOL',
    'https://solscan.io',
    ['https://api.mainnet-beta.solana.com', 'https://solana-rpc.publicnode.com'],
    'jupiter',
    XPROV_SOLANA,
  ),
  other(
    'sui',
    'Sui',
    'SUI',
    'https://suivision.xyz',
    ['https://fullnode.mainnet.sui.io:443'],
    'xprov',
    XPROV_SUI,
  ),
  other(
    'ton',
    'TON',
    'TON',
    'https://tonviewer.com',
    ['https://toncenter.com/api/v2/jsonRPC'],
    'swapcoffee',
    null,
  ),
]
