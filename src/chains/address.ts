/**
 * Addresses, checked by the rules of the chain's family before any upstream is asked. Each address has one
 * canonical spelling, which comparisons, caches and answers use:
 *
 *   EVM     0x and 40 digits, in EIP-55's mixed case
 *   Solana  base58 of 32 bytes
 *   Sui     0x and 64 lower-case digits; a coin has its type, `address::module::NAME`
 *   TON     friendly, base64url, bounceable, of the main network: EQ...
 *
 * The native coin is a token, too. It may be written as `native`, or as any provider of the family writes it;
 * `nativeAddress` has its canonical spelling.
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

/** @returns the wallet's canonical address; null if the text is not a wallet's address on this chain */
export function parseAddress(chain: ChainDefinition, text: string): string | null {
  return FORMATS[chain.family].parseWallet(text)
}

/** @returns the wallet's canonical address in the first family that accepts it; null if none does */
export function parseAnyAddress(text: string): string | null {
  for (const format of Object.values(FORMATS)) {
    const address = format.parseWallet(text)
    if (address !== null) return address
  }
  return null
}

/** @returns the token's canonical address; null if the text is not a token's address on this chain */
export function parseToken(chain: ChainDefinition, text: string) {
  const { native, parseToken } = FORMATS[chain.family]
  const address = text === 'native' ? native : parseToken(text)
  return address === null ? null : { address, isNative: address === native }
}

/** The canonical spelling of the chain's native coin. */
export function nativeAddress(chain: ChainDefinition): string {
  return FORMATS[chain.family].native
}

/** The canonical spelling of a token or wallet, for lookups; the text itself if it is neither. */
export function canonicalAddress(chainKey: string, text: string): string {
  const chain = findChain(chainKey)
  if (chain === null) return text
  return parseToken(chain, text)?.address ?? parseAddress(chain, text) ?? text
}
