/** An item of somebody's list of tokens, made fit to be looked for and shown. */
import { parseToken } from '../../chains/address.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { cleanText } from '../market/clean.ts'
import type { Fields } from '../market/fields.ts'
import type { KnownToken } from './token-source.ts'

const MAX_SYMBOL = 32
const MAX_NAME = 64
/** No token of worth has more. */
const MAX_DECIMALS = 36

/** @returns null for what is no token of the chain, or the native coin, and for one without symbol or decimals */
export function knownToken(chain: ChainDefinition, item: Fields, isVouched: boolean): KnownToken | null {
  const { address, decimals } = item
  const parsed = typeof address === 'string' ? parseToken(chain, address) : null
  const symbol = cleanText(item.symbol, MAX_SYMBOL)
  if (parsed === null || parsed.isNative || symbol === null || !isDecimals(decimals)) return null
  const name = cleanText(item.name, MAX_NAME) ?? symbol
  return { chain: chain.key, address: parsed.address, symbol, name, decimals, isVouched }
}

function isDecimals(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_DECIMALS
}
