/** Cleans an item of a provider's token list for search and display. */
import { parseToken } from '../../chains/address.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import type { Fields } from '../../chains/json/fields.ts'
import * as clean from '../market/clean.ts'
import type { KnownToken } from './token-source.ts'

const MAX_SYMBOL = 32
const MAX_NAME = 64
/** No legitimate token has more. */
const MAX_DECIMALS = 36
/** Each takes memory for the life of the process. */
const MAX_LOGO_LENGTH = 256

/**
 * @returns null unless the item is a token of the chain, other than the native coin, with a symbol and
 * decimals
 */
export function knownToken(chain: ChainDefinition, item: Fields, isVouched: boolean): KnownToken | null {
  const { address, decimals } = item
  const parsed = typeof address === 'string' ? parseToken(chain, address) : null
  const symbol = clean.text(item.symbol, MAX_SYMBOL)
  if (parsed === null || parsed.isNative || symbol === null || !isDecimals(decimals)) return null
  const name = clean.text(item.name, MAX_NAME) ?? symbol
  const logo = clean.link(item.logoURI ?? item.icon)
  const token = { chain: chain.key, address: parsed.address, symbol, name, decimals, isVouched }
  return logo === null || logo.length > MAX_LOGO_LENGTH ? token : { ...token, logo }
}

function isDecimals(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_DECIMALS
}
