/**
 * A Token List, the format in which wallets and exchanges publish tokens:
 *
 *   { "name": "…", "timestamp": "…", "version": { … }, "tokens": [
 *     { "chainId": 8453, "address": "0x…", "symbol": "FOO", "name": "Foo", "decimals": 18 } ] }
 *
 * Real lists break its rules with empty symbols and wrong checksums, and have
 * tokens of chains that are not served. Such a token is skipped and counted; the
 * others are read.
 *
 * Source: tokenlists.org · Uniswap/token-lists src/tokenlist.schema.json
 */
import { CHAINS } from '../../chains/chains.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { fieldsOf } from '../../chains/json/fields.ts'
import { knownToken } from '../../providers/tokens/known-token.ts'
import type { KnownToken } from '../../providers/tokens/token-source.ts'

/** The standard's own maximum. */
const MAX_TOKENS = 10_000

/** Solana has no EVM chain id: these are the ones that Uniswap, CoW Swap and the Solana Foundation use. */
const SOLANA_IDS = [501_000_101, 1_000_000_001, 101]

const CHAIN_BY_ID: ReadonlyMap<unknown, ChainDefinition> = new Map(
  CHAINS.flatMap((chain) => {
    const ids = [chain.chainId, chain.xprovChainId, ...(chain.family === 'solana' ? SOLANA_IDS : [])]
    return ids.filter((id) => id !== null).map((id): [number, ChainDefinition] => [id, chain])
  }),
)

interface PublishedList {
  readonly tokens: readonly KnownToken[]
  /** Tokens on other chains, and malformed ones. */
  readonly skipped: number
}

/** Whether a document is meant as a Token List, valid or not. */
export function isPublishedList(document: unknown): boolean {
  const { version, timestamp, tokens } = fieldsOf(document)
  if (version !== undefined || timestamp !== undefined) return true
  return Array.isArray(tokens) && tokens.some((token) => fieldsOf(token).chainId !== undefined)
}

/** Reads in pieces. @returns the list, or a message that says why none of it can be used */
export function* readPublishedList(document: unknown): Generator<void, PublishedList | string, void> {
  const { tokens } = fieldsOf(document)
  if (!Array.isArray(tokens) || tokens.length > MAX_TOKENS) {
    return `\`file.tokens\` must be an array of at most ${MAX_TOKENS} tokens, in a Token List.`
  }
  const read: KnownToken[] = []
  for (const item of tokens) {
    const token = tokenOf(item)
    if (token !== null) read.push(token)
    yield
  }
  if (read.length === 0) {
    return '`file.tokens` has no token of a chain of GET /api/chains that has an address, a symbol and decimals.'
  }
  return { tokens: read, skipped: tokens.length - read.length }
}

/** The operator chose the list and so vouches for its tokens. */
function tokenOf(item: unknown): KnownToken | null {
  const token = fieldsOf(item)
  const chain = CHAIN_BY_ID.get(token.chainId)
  return chain === undefined ? null : knownToken(chain, token, true)
}
