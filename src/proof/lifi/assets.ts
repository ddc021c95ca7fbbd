/**
 * Which tokens are worth the same, by the chain table alone: a coin and its
 * wrapper, and a stablecoin on two chains. What the table does not list is
 * worth whatever the market says, which no calldata proves.
 */
import { MAJORS, wrapperOf } from '../../chains/majors.ts'
import type { CrossChainOrder, Token } from '../order.ts'
import { ZERO_ADDRESS } from './ids.ts'

export interface Asset {
  /** The same for tokens that are worth the same. */
  readonly kind: string
  readonly decimals: number
}

/** Gnosis's coin is what its bridge makes of DAI; USDT0 is USDT that is locked on Ethereum. */
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

/** @returns null for what the chain table does not list */
export function assetOf(chainKey: string, { address }: Pick<Token, 'address'>): Asset | null {
  return ASSETS.get(`${chainKey} ${address.toLowerCase()}`) ?? null
}

/** Of the token that was asked for; null where neither the chain table nor two sources tell. */
export function decimalsWanted({ toChain, tokenOut, decimalsOut }: CrossChainOrder): number | null {
  return assetOf(toChain.key, tokenOut)?.decimals ?? decimalsOut ?? null
}

/** @param address  as the provider's contract writes it: the native coin is zero */
export function assetAt(chainKey: string, address: string): Asset | null {
  if (address !== ZERO_ADDRESS) return assetOf(chainKey, { address })
  const native = MAJORS.get(chainKey)?.find(({ kind }) => kind === 'native')
  return native === undefined ? null : assetOf(chainKey, native)
}

/** A token of an EVM chain as the provider's contract writes it. */
export const tokenAt = ({ address, isNative }: Pick<Token, 'address' | 'isNative'>): string =>
  isNative ? ZERO_ADDRESS : address.toLowerCase()

/** The wrapped native coin, in lower case; null where none is known. */
export const wrapperAt = (chainKey: string): string | null => wrapperOf(chainKey)?.toLowerCase() ?? null

/** The same amount in other decimals, rounded down. */
export function rescale(amount: bigint, from: number, to: number): bigint {
  return to >= from ? amount * 10n ** BigInt(to - from) : amount / 10n ** BigInt(from - to)
}
