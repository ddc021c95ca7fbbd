/**
 * The tokens of the list, each in the first book that has it. A token that has
 * left every book is dropped, with everything known about it.
 *
 * Source: §2 TokenList `books`, TokenRow `book`
 */

import { findMajor, MAJORS } from '../../chains/majors.ts'
import { idOf, type Named, type TokenId } from '../../providers/market/market.ts'
import type { Clock } from '../../runtime/clock.ts'
import { getOrInsert, groupedBy } from '../../runtime/lists.ts'
import { BOOK_NAMES, type BookName, type BookSummary, type DiscoveredBooks } from './books.ts'
import { type EntryState, ListEntry } from './list-entry.ts'

export class ListEntries {
  readonly #operatorTokens: () => readonly Named[]
  readonly #discovered: DiscoveredBooks
  readonly #clock: Clock
  readonly #serves: (chain: string) => boolean
  readonly #madeAt: number
  /** The operator's tokens, and when they were last read, ms epoch. */
  #operator: { readonly tokens: readonly Named[]; readonly at: number }
  /** The entries by token id, in the order of the rows. */
  #byId = new Map<string, ListEntry>()
  #byChain = new Map<string, ListEntry[]>()
  /** Of the list that this one follows; null if it follows none. */
  #followed: readonly BookSummary[] | null = null

  /**
   * @param operatorTokens  the operator's tokens as they are now: the same array until they change
   * @param serves          whether a chain has rows
   */
  constructor(
    operatorTokens: () => readonly Named[],
    discovered: DiscoveredBooks,
    clock: Clock,
    serves: (chain: string) => boolean = () => true,
  ) {
    this.#operatorTokens = operatorTokens
    this.#discovered = discovered
    this.#clock = clock
    this.#serves = serves
    this.#madeAt = clock.date()
    this.#operator = { tokens: operatorTokens(), at: this.#madeAt }
    this.place()
  }

  /** All entries, in the order of the rows. */
  all(): readonly ListEntry[] {
    return [...this.#byId.values()]
  }

  get size(): number {
    return this.#byId.size
  }

  chains(): readonly string[] {
    return [...this.#byChain.keys()]
  }

  of(chain: string): readonly ListEntry[] {
    return this.#byChain.get(chain) ?? []
  }

  find(token: TokenId): ListEntry | null {
    return this.#byId.get(idOf(token)) ?? null
  }

  /** The entry of a token that was just found. A new one has no book until the next `place`. */
  open(token: TokenId): ListEntry {
    return getOrInsert(this.#byId, idOf(token), () => new ListEntry(token))
  }

  /** Rebuilds the order: every token of every book, each in the first book that has it. */
  place(): void {
    const last = this.#byId
    const placed = new Map<string, ListEntry>()
    const place = (token: Named, book: BookName): void => {
      const id = idOf(token)
      if (placed.has(id) || !this.#serves(token.chain)) return
      const entry = last.get(id) ?? new ListEntry(token)
      entry.place(book, token)
      placed.set(id, entry)
    }
    const tokens = this.#operatorTokens()
    if (tokens !== this.#operator.tokens) this.#operator = { tokens, at: this.#clock.date() }
    for (const token of tokens) place(withMajors(token), 'operator')
    for (const [chain, majors] of MAJORS) {
      for (const { address, symbol, name } of majors) place({ chain, address, symbol, name }, 'majors')
    }
    for (const book of ['boosted', 'trending', 'new'] as const) {
      for (const token of this.#discovered.tokens(book)) place({ ...token, symbol: null, name: null }, book)
    }
    this.#arrange(placed)
  }

  /** Takes over the entries of another list, in its order. */
  follow(states: readonly EntryState[], books: readonly BookSummary[]): void {
    const placed = new Map<string, ListEntry>()
    for (const state of states) {
      const entry = this.open(state)
      entry.follow(state)
      placed.set(idOf(state), entry)
    }
    this.#followed = books
    this.#arrange(placed)
  }

  #arrange(placed: Map<string, ListEntry>): void {
    this.#byId = placed
    this.#byChain = groupedBy(placed.values(), ({ chain }) => chain)
  }

  books(): readonly BookSummary[] {
    if (this.#followed !== null) return this.#followed
    return BOOK_NAMES.map((book) => {
      if (book === 'operator') return { book, source: 'TOKENS_FILE', updatedAt: this.#operator.at }
      if (book === 'majors') return { book, source: 'curated', updatedAt: this.#madeAt }
      return { book, source: this.#discovered.source(book), updatedAt: this.#discovered.updatedAt(book) }
    })
  }
}

/** The operator's token. A major without a name in the operator's file has the one of the chain table. */
function withMajors({ chain, address, symbol, name }: Named): Named {
  const major = findMajor(chain, address)
  return { chain, address, symbol: symbol ?? major?.symbol ?? null, name: name ?? major?.name ?? null }
}
