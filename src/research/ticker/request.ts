/**
 * Parses the tokens of a price stream: a list of `chain:address`. A token that is listed twice, in any
 * spelling, counts once.
 *
 * Source: §4.10
 */
import { parseToken } from '../../chains/address.ts'
import { findChain } from '../../chains/find.ts'
import { idOf, type TokenId } from '../../providers/market/market.ts'
import { GatewayError } from '../../runtime/errors.ts'

export const MAX_TOKENS = 50

/**
 * @returns each token once, with its canonical address, in the order of first occurrence
 * @throws GatewayError  400, which names the bad entry and the reason
 */
export function parseTokens(text: string): readonly TokenId[] {
  const entries = text.split(',')
  const tokens = new Map<string, TokenId>()
  for (const [index, entry] of entries.entries()) {
    const token = parseEntry(entry, index)
    const id = idOf(token)
    tokens.set(id, tokens.get(id) ?? token)
    if (tokens.size > MAX_TOKENS) {
      throw refusal(`\`tokens\` must name at most ${MAX_TOKENS} tokens. Open another stream for the others.`)
    }
  }
  return [...tokens.values()]
}

function parseEntry(entry: string, index: number): TokenId {
  const which = `Entry ${index + 1} of \`tokens\``
  // The address may hold colons itself: Sui's `0x2::sui::SUI`.
  const colon = entry.indexOf(':')
  if (colon === -1) throw refusal(`${which} must be a chain key, a colon and an address.`, index)
  const chain = findChain(entry.slice(0, colon))
  if (chain === null) {
    throw refusal(`${which} must begin with a chain key that GET /api/chains lists.`, index)
  }
  const token = parseToken(chain, entry.slice(colon + 1))
  if (token === null) {
    throw refusal(`${which} must hold the address of a token on ${chain.name}, or native.`, index)
  }
  return { chain: chain.key, address: token.address }
}

/** @param index  the bad entry, counted from 0; absent if the whole list is */
function refusal(message: string, index?: number): GatewayError {
  return new GatewayError('invalid_parameter', message, {
    field: 'tokens',
    ...(index !== undefined && { index }),
  })
}
