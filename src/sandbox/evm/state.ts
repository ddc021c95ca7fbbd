/**
 * The state of every EVM chain of the sandbox, without a virtual machine: blocks that follow the clock, and
 * the wallets' initial balances.
 */
import { parseAmount } from '../../chains/amount.ts'
import { findEvmChain } from '../../chains/find.ts'
import type { Market } from '../market/market.ts'
import { type MarketToken, PRICES } from '../market/tokens.ts'

export const BLOCK_MS = 2_000

/** A chain's gas price, and the wallets' initial balances, in base units; wallets in lower case. */
export interface Terms {
  /** Wei, half of which is the base fee. */
  gasPrice(chain: string): bigint
  native(chain: string, wallet: string): bigint
  token(token: MarketToken, wallet: string): bigint
}

/** Every wallet has plenty of everything. */
const PLENTY: Terms = {
  gasPrice: () => 1_000_000_000n,
  native: () => 10n * 10n ** 18n,
  token: ({ decimals }) => 1_000n * 10n ** BigInt(decimals),
}

/** A new wallet's balances: half an ETH, or the same value of another chain's coin, and USDC. */
const NEW_WEI = parseAmount('0.5', 18, 'evm')
const NEW_USDC = 500n
/** The wallet that the console shows as an example. */
const SAMPLE = '0x52908400098527886e0f7030069857d2e4169ee7'
/** By chain and symbol: some valuable, one more than its pool could take, dust, and one without a price. */
const SAMPLE_HAS: Readonly<Record<string, string>> = {
  'ethereum native': '0.9',
  'ethereum LINK': '118.25',
  'base USDC': '1640.5',
  'base AERO': '1230',
  'base KEYCAT': '4200000',
  'base cbBTC': '0.021',
  'base GHOST': '9000',
  'arbitrum native': '0.000012',
  'polygon native': '0.21',
  'gnosis native': '0.02',
}

/** A few cents a swap on most chains, and half a dollar or more on Ethereum. */
const ETHEREUM_GAS_PRICE = 2_000_000_000n
const SWAP_USD = parseAmount('0.02', 36, 'evm')
const SWAP_GAS = 120_000n
const coinUsd = (chain: string): bigint => PRICES[findEvmChain(chain)!.native]!.usd

/** A new wallet has a little to try with. */
const LIFELIKE: Terms = {
  gasPrice: (chain) => (chain === 'ethereum' ? ETHEREUM_GAS_PRICE : SWAP_USD / SWAP_GAS / coinUsd(chain)),
  native: (chain, wallet) =>
    wallet === SAMPLE ? ofSample(`${chain} native`, 18) : (NEW_WEI * PRICES.ETH!.usd) / coinUsd(chain),
  token({ chain, symbol, decimals }, wallet) {
    if (wallet === SAMPLE) return ofSample(`${chain} ${symbol}`, decimals)
    return symbol === 'USDC' ? NEW_USDC * 10n ** BigInt(decimals) : 0n
  },
}

const ofSample = (name: string, decimals: number): bigint =>
  SAMPLE_HAS[name] === undefined ? 0n : parseAmount(SAMPLE_HAS[name], decimals, 'evm')

export const termsOf = ({ isLifelike }: Pick<Market, 'isLifelike'>): Terms => (isLifelike ? LIFELIKE : PLENTY)

/** @param now  Unix time in ms */
export function blockAt(now: number): bigint {
  return BigInt(Math.floor(now / BLOCK_MS))
}
