/**
 * Searches the token list by name and address. Nothing is asked upstream: only
 * tokens of the list are found. The ranks, best first:
 *
 *   address                 0   the whole of it
 *   symbol                  1   the same, or a confusable one
 *   beginning of a symbol   2
 *   name                    3
 *   beginning of a word     4   of a name
 *   part of either          5
 *   part of the address     6
 *
 * A token that only reads like a major comes after all others, whatever its rank.
 *
 * Source: §4.10 `/api/discover/tokens`
 */
import { type Static, Type } from 'typebox'
import { parseToken } from '../../chains/address.ts'
import { CHAINS } from '../../chains/chains.ts'
import { skeletonOf } from '../../chains/confusable.ts'
import type { Family } from '../../chains/definition.ts'
import { findChain } from '../../chains/find.ts'
import { findMajor } from '../../chains/majors.ts'
import { integer, nullable } from '../../runtime/resources/shared.ts'
import { BOOK_NAMES } from '../list/books.ts'
import type { LiveTokenList } from '../list/token-list.ts'
import texts from '../texts.json' with { type: 'json' }
import { DiscoverToken, toToken } from './discover-token.ts'
import { TIER_BOUNDS, TIER_NAMES } from './tiers.ts'

const { discover: text } = texts

/** The most tokens in an answer. */
export const MAX_FOUND = 100
/** Fewer characters would match most addresses. */
const MIN_ADDRESS_PART = 4

/** The list's books, the kinds of majors, and tokens that the risk filter rejects. */
export const CATEGORIES = [...BOOK_NAMES, 'native', 'wrapped', 'stablecoin', 'gated'] as const

export const SearchResult = Type.Object({
  tokens: Type.Array(DiscoverToken, { description: `the first ${MAX_FOUND}` }),
  total: integer('how many match'),
  updatedAt: nullable(integer('when the list was built, ms epoch')),
})
export type SearchResult = Static<typeof SearchResult>

export const SearchQuery = Type.Object({
  category: Type.Optional(Type.Enum([...CATEGORIES], { description: text.category })),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: '\\S',
      title: 'a part of a symbol, a name or an address',
      description: 'whole symbols come first',
    }),
  ),
  scope: Type.Optional(
    Type.Enum([...BOOK_NAMES, ...CHAINS.map(({ key }) => key)], {
      description: 'only rows of this book or chain',
    }),
  ),
  tier: Type.Optional(Type.Enum([...TIER_NAMES], { description: `how deep its pools are: ${TIER_BOUNDS}` })),
})
export type SearchQuery = Static<typeof SearchQuery>

type SearchableToken = ReturnType<typeof prepare>
type SearchHit = SearchableToken & { readonly rank: number }

type SearchedList = Pick<LiveTokenList, 'rows' | 'updatedAt' | 'ready'>

export class TokenSearch {
  readonly #list: SearchedList
  readonly #deadlineMs: number
  #prepared: readonly SearchableToken[] = []
  #preparedOf: number | null = null

  /** @param deadlineMs  how long to wait for the first build of the list */
  constructor(list: SearchedList, deadlineMs: number) {
    this.#list = list
    this.#deadlineMs = deadlineMs
  }

  async find(search: SearchQuery): Promise<SearchResult> {
    await this.#list.ready(this.#deadlineMs)
    const hits = hitsOf(this.#current(), search).sort(inOrder)
    return {
      tokens: hits.slice(0, MAX_FOUND).map(({ token }) => token),
      total: hits.length,
      updatedAt: this.#list.updatedAt,
    }
  }

  /** Prepared once per build of the list. */
  #current(): readonly SearchableToken[] {
    const { updatedAt } = this.#list
    if (updatedAt !== this.#preparedOf) {
      this.#prepared = this.#list.rows.map((row) => prepare(toToken(row)))
      this.#preparedOf = updatedAt
    }
    return this.#prepared
  }
}

/** A token with its texts in the form in which they are compared. */
function prepare(token: DiscoverToken) {
  const [symbol, name] = [token.symbol ?? '', token.name ?? '']
  return {
    token,
    kind: findMajor(token.chain, token.address)?.kind ?? null,
    symbol: folded(symbol),
    name: folded(name),
    /** Equal for confusable texts; see chains/confusable.ts. */
    symbolSkeleton: skeletonOf(symbol),
    nameSkeleton: skeletonOf(name),
  }
}

function hitsOf(rows: readonly SearchableToken[], { category, q, scope, tier }: SearchQuery): SearchHit[] {
  const rankOf = q === undefined ? () => 0 : ranking(q)
  return rows.flatMap((row) => {
    const { token, kind } = row
    const { book, chain, gated } = token
    if (scope !== undefined && scope !== book && scope !== chain) return []
    if (tier !== undefined && tier !== token.tier) return []
    if (category === 'gated' ? !gated : category !== undefined && category !== book && category !== kind) {
      return []
    }
    const rank = rankOf(row)
    // A rejected token is shown only to a search for rejected tokens or for its whole address.
    if (rank === null || (gated && category !== 'gated' && (q === undefined || rank > 0))) return []
    return [{ ...row, rank }]
  })
}

/** @returns a function that gives the rank of a row, 0 is best; null if it does not match */
function ranking(q: string): (row: SearchableToken) => number | null {
  const text = folded(q)
  const skeleton = skeletonOf(q)
  const addresses = new Map(CHAINS.map((chain) => [chain.family, parseToken(chain, q.trim())?.address]))
  const isAlike = (other: string): boolean => skeleton !== '' && other === skeleton
  return ({ token: { chain, address }, symbol, name, symbolSkeleton, nameSkeleton }) => {
    if (addresses.get(familyOf(chain)) === address) return 0
    if (text === '') return null
    if (symbol === text || isAlike(symbolSkeleton)) return 1
    if (symbol.startsWith(text)) return 2
    if (name === text || isAlike(nameSkeleton)) return 3
    if (name.startsWith(text) || name.includes(` ${text}`)) return 4
    if (symbol.includes(text) || name.includes(text)) return 5
    return text.length >= MIN_ADDRESS_PART && address.toLowerCase().includes(text) ? 6 : null
  }
}

function inOrder(a: SearchHit, b: SearchHit): number {
  return (
    Number(a.token.readsLike !== null) - Number(b.token.readsLike !== null) ||
    a.rank - b.rank ||
    (b.token.liq ?? -1) - (a.token.liq ?? -1)
  )
}

const familyOf = (chain: string): Family => findChain(chain)!.family
const folded = (text: string): string => text.normalize('NFKC').toLowerCase().trim()
