/**
 * The tokens of each chain that everybody expects to find: its native coin,
 * the wrapped one where it is a token of its own, and the stablecoins.
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

/** Each chain's majors, by chain key; the native coin first. */
export const MAJORS: ReadonlyMap<string, readonly Major[]> = new Map(
  CHAINS.map((chain) => [chain.key, majorsOf(chain)]),
)

/** @param address  canonical. @returns null for a token that the chain's file does not list */
export function findMajor(chainKey: string, address: string): Major | null {
  return MAJORS.get(chainKey)?.find((major) => major.address === address) ?? null
}

/** The wrapped native coin's address for a chain's native one, where markets quote the wrapper; null where they are the same. */
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
