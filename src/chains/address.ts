/**
 * Addresses, checked by the rules of their chain's family before anything is
 * asked upstream. Each has one canonical spelling, in which it is compared,
 * cached and answered:
 *
 *   EVM     0x and 40 digits, in EIP-55's mixed case
 *   Solana  base58 of 32 bytes
 *   Sui     0x and 64 lower-case digits; of a coin, its type `address::module::NAME`
 *   TON     friendly, base64url, bounceable, of the main network: EQ...
 *
 * The native coin is a token too. It may be written `native` or in any way
 * that the family's providers write it; its canonical spelling is the one
 * that `nativeAddress` tells.
 *
 * Source: §2, §4.5, §4.7
 */
import type { AddressFormat } from './address-format.ts'
import type { ChainDefinition, Family } from './definition.ts'
import { EVM_ADDRESSES } from './evm-address.ts'
import { findChain } from './find.ts'
import { SOLANA_ADDRESSES } from './solana-address.ts'
import { SUI_ADDRESSES } from './sui-address.ts'
import { TON_ADDRESSES } from './ton-address.ts'

const FORMATS: Readonly<Record<Family, AddressFormat>> = {
  evm: EVM_ADDRESSES,
  solana: SOLANA_ADDRESSES,
  sui: SUI_ADDRESSES,
  ton: TON_ADDRESSES,
}

/** @returns the wallet's canonical address; null when the text is none on this chain */
export function parseAddress(chain: ChainDefinition, text: string): string | null {
  return FORMATS[chain.family].parseWallet(text)
}

/** @returns the wallet's canonical address on whichever chains have it; null when the text is none on any */
export function parseAnyAddress(text: string): string | null {
  for (const format of Object.values(FORMATS)) {
    const address = format.parseWallet(text)
    if (address !== null) return address
  }
  return null
}

/** @returns the token's canonical address; null when the text is none on this chain */
export function parseToken(
  chain: ChainDefinition,
  text: string,
): { address: string; isNative: boolean } | null {
  const { native, parseToken } = FORMATS[chain.family]
  const address = text === 'native' ? native : parseToken(text)
  return address === null ? null : { address, isNative: address === native }
}

/** The canonical spelling of the chain's native coin. */
export function nativeAddress(chain: ChainDefinition): string {
  return FORMATS[chain.family].native
}

/** The canonical spelling of a token or wallet, for lookups; the text itself where it is neither. */
export function canonicalAddress(chainKey: string, text: string): string {
  const chain = findChain(chainKey)
  if (chain === null) return text
  return parseToken(chain, text)?.address ?? parseAddress(chain, text) ?? text
}
