/**
 * The state of every EVM chain of the sandbox, without a virtual machine: blocks that
 * follow the clock, and what wallets have at first.
 */
import { parseAmount } from '../../chains/amount.ts'
import type { Market } from '../market/market.ts'
import type { MarketToken } from '../market/tokens.ts'

export const BLOCK_MS = 2_000

/** What wallets have before their first transaction, in base units; wallets in lower case. */
export interface Balances {
  native(chain: string, wallet: string): bigint
  token(token: MarketToken, wallet: string): bigint
}

/** Every wallet has plenty of everything. */
const PLENTY: Balances = {
  native: () => 10n * 10n ** 18n,
  token: ({ decimals }) => 1_000n * 10n ** BigInt(decimals),
}

/** What a new wallet has of each chain's coin, and of its USDC. */
const NEW_NATIVE = parseAmount('0.5', 18, 'evm')
const NEW_USDC = 500n
/** The wallet that the console shows as an example. */
const SAMPLE = '0x52908400098527886e0f7030069857d2e4169ee7'
/** By chain and symbol: a deep one and dust, one that its pool is too small for, and one without a price. */
const SAMPLE_HAS: Readonly<Record<string, string>> = {
  'ethereum native': '1.2',
  'ethereum LINK': '118.25',
  'base USDC': '3140.5',
  'base AERO': '2430',
  'base DUST': '1',
  'base GHOST': '9000',
  'arbitrum native': '0.000012',
  'polygon native': '0.21',
  'gnosis native': '0.02',
}

/** A new wallet has a little to try with. */
const LIFELIKE: Balances = {
  native: (chain, wallet) => (wallet === SAMPLE ? ofSample(`${chain} native`, 18) : NEW_NATIVE),
  token({ chain, symbol, decimals }, wallet) {
    if (wallet === SAMPLE) return ofSample(`${chain} ${symbol}`, decimals)
    return symbol === 'USDC' ? NEW_USDC * 10n ** BigInt(decimals) : 0n
  },
}

const ofSample = (name: string, decimals: number): bigint =>
  SAMPLE_HAS[name] === undefined ? 0n : parseAmount(SAMPLE_HAS[name], decimals, 'evm')

export const balancesOf = ({ isLifelike }: Pick<Market, 'isLifelike'>): Balances =>
  isLifelike ? LIFELIKE : PLENTY

/** @param now  Unix time in ms */
export function blockAt(now: number): bigint {
  return BigInt(Math.floor(now / BLOCK_MS))
}
