/**
 * The majors of each chain: its native coin, the wrapped coin if it is a separate token, and the stablecoins.
 */
import { nativeAddress } from './address.ts'
import { CHAINS } from './chains.ts'
import type { ChainDefinition } from './definition.ts'
import { findEvmChain } from './find.ts'

export interface Major {
  /** Canonical, see address.ts. */
  readonly address: string
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly kind: 'native' | 'wrapped' | 'stablecoin'
}

/** Each chain's majors by chain key, the native coin first. */
export const MAJORS: ReadonlyMap<string, readonly Major[]> = new Map(
  CHAINS.map((chain) => [chain.key, majorsOf(chain)]),
)

/** @param address  canonical. @returns null if the token is not a major of the chain */
export function findMajor(chainKey: string, address: string): Major | null {
  return MAJORS.get(chainKey)?.find((major) => major.address === address) ?? null
}

/** The address of the wrapped native coin, for which markets list prices; null on a chain without an EVM. */
export function wrapperOf(chainKey: string): string | null {
  return findEvmChain(chainKey)?.wrappedNative ?? null
}

function majorsOf(chain: ChainDefinition): readonly Major[] {
  const { native, name, decimals } = chain
  const majors: Major[] = [{ address: nativeAddress(chain), symbol: native, name, decimals, kind: 'native' }]
  if (chain.family === 'evm') {
    const address = chain.wrappedNative
    majors.push({ address, symbol: `W${native}`, name: `Wrapped ${native}`, decimals, kind: 'wrapped' })
  }
  return [...majors, ...chain.stablecoins.map((coin) => ({ ...coin, kind: 'stablecoin' as const }))]
}
