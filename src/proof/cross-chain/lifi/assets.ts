/**
 * Tokens of equal value, by the chain table alone: a coin and its wrapper, and one
 * stablecoin on two chains. The value of an unlisted token depends on the market,
 * which no calldata proves.
 */
import { MAJORS, wrapperOf } from '../../../chains/majors.ts'
import type { CrossChainOrder, Token } from '../../terms/order.ts'
import { EVM_ZERO_ADDRESS } from './ids.ts'

export interface Asset {
  /** Equal for tokens of equal value. */
  readonly kind: string
  readonly decimals: number
}

/** Gnosis's native coin is bridged DAI; USDT0 is backed by USDT locked on Ethereum. */
const KINDS: Readonly<Record<string, string>> = { XDAI: 'DAI', USDT0: 'USDT' }

/** By chain key and address in lower case. */
const ASSETS: ReadonlyMap<string, Asset> = new Map(
  [...MAJORS].flatMap(([key, majors]) => {
    const native = majors.find(({ kind }) => kind === 'native')!.symbol
    return majors.map(({ address, symbol, decimals, kind }): [string, Asset] => {
      const name = kind === 'stablecoin' ? symbol : native
      return [`${key} ${address.toLowerCase()}`, { kind: KINDS[name] ?? name, decimals }]
    })
  }),
)

/** @returns null for a token that the chain table does not list */
export function lifiAsset(chainKey: string, { address }: Pick<Token, 'address'>): Asset | null {
  return ASSETS.get(`${chainKey} ${address.toLowerCase()}`) ?? null
}

/** @returns the decimals of the requested token; null if neither the chain table nor two sources know them */
export function decimalsWanted({ toChain, tokenOut, decimalsOut }: CrossChainOrder): number | null {
  return lifiAsset(toChain.key, tokenOut)?.decimals ?? decimalsOut ?? null
}

/** @param address  in the provider contract's notation: zero is the native coin */
export function assetAt(chainKey: string, address: string): Asset | null {
  if (address !== EVM_ZERO_ADDRESS) return lifiAsset(chainKey, { address })
  const native = MAJORS.get(chainKey)?.find(({ kind }) => kind === 'native')
  return native === undefined ? null : lifiAsset(chainKey, native)
}

/** An EVM token in the provider contract's notation. */
export const tokenAt = ({ address, isNative }: Pick<Token, 'address' | 'isNative'>): string =>
  isNative ? EVM_ZERO_ADDRESS : address.toLowerCase()

/** The wrapped native coin in lower case; null if none is known. */
export const wrapperAt = (chainKey: string): string | null => wrapperOf(chainKey)?.toLowerCase() ?? null

/** The same amount in other decimals, rounded down. */
export function rescale(amount: bigint, from: number, to: number): bigint {
  return to >= from ? amount * 10n ** BigInt(to - from) : amount / 10n ** BigInt(from - to)
}
