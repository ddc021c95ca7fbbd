/**
 * The interpretations of a text, by its form alone: an address of a family of
 * chains, a coin type, or a transaction. One form may have several.
 *
 *   0x, 40 hex digits       EVM address
 *   0x, 64 hex digits       Sui address; EVM transaction
 *   base58 of 32 bytes      Solana address; Sui transaction
 *   base58 of 64 bytes      Solana transaction
 *   friendly, or 0: and 64 hex digits            TON address
 *   64 hex digits, or base64 of 32 bytes         TON transaction
 *
 * Source: §4.10 `/api/discover/lookup` · chains/address.ts
 */
import { parseAddress, parseToken } from '../../chains/address.ts'
import { CHAINS } from '../../chains/chains.ts'
import type { ChainDefinition, Family } from '../../chains/definition.ts'
import { isBase58Of } from '../../chains/solana/base58.ts'
import { invalidParameter } from '../../runtime/errors.ts'

export const TEXT_FORMS = ['address', 'coin_type', 'transaction'] as const
type TextForm = (typeof TEXT_FORMS)[number]

export interface Interpretation {
  readonly family: Family
  readonly form: TextForm
  /** In canonical spelling; a transaction as the client wrote it. */
  readonly text: string
}

const HASH = /^0x[0-9a-fA-F]{64}$/
const TON_HASH = /^(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=)$/
const EVM_FORM = /^0x[0-9a-fA-F]{40}$/

/**
 * @param field  the parameter that the text came in, for the error
 * @returns at least one, the likeliest first
 * @throws GatewayError  400 invalid_parameter, if the text has none of these forms
 */
export function interpretationsOf(text: string, field = 'address'): readonly Interpretation[] {
  const interpretations = [...addresses(text), ...transactions(text)]
  if (interpretations.length > 0) return interpretations
  const message = EVM_FORM.test(text)
    ? `\`${field}\` fails its EIP-55 checksum: a character or its case is wrong.`
    : `\`${field}\` must be an address, a coin type or a transaction of a chain that GET /api/chains lists.`
  throw invalidParameter(field, message)
}

function addresses(text: string): Interpretation[] {
  if (text === 'native') return []
  return FAMILIES.flatMap(([family, chain]): Interpretation[] => {
    const token = parseToken(chain, text)?.address
    if (token !== undefined)
      return [{ family, form: family === 'sui' ? 'coin_type' : 'address', text: token }]
    const address = parseAddress(chain, text)
    return address === null ? [] : [{ family, form: 'address', text: address }]
  })
}

function transactions(text: string): Interpretation[] {
  const families: Family[] = [
    ...(HASH.test(text) ? (['evm'] as const) : []),
    ...(isBase58Of(text, 64) ? (['solana'] as const) : []),
    ...(isBase58Of(text, 32) ? (['sui'] as const) : []),
    ...(TON_HASH.test(text) ? (['ton'] as const) : []),
  ]
  return families.map((family) => ({ family, form: 'transaction', text }))
}

/** One chain per family: all chains of a family spell addresses alike. */
const FAMILIES: readonly (readonly [Family, ChainDefinition])[] = [
  ...new Map(CHAINS.toReversed().map((chain) => [chain.family, chain])),
].toReversed()
