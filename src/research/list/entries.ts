/**
 * The tokens of the list, each in the first book that has it. What is in none
 * any more is forgotten, with all that was known of it.
 *
 * Source: §2 TokenList `books`, TokenRow `book`
 */

import { findMajor, MAJORS } from '../../chains/majors.ts'
import { idOf, type TokenId } from '../../providers/market/market.ts'
import type { Clock } from '../../runtime/clock.ts'
import { BOOK_NAMES, type BookName, type BookState, type DiscoveredBooks } from './books.ts'
import { Entry, type Label } from './entry.ts'
import type { OperatorToken } from './operator-list.ts'

export interface EntriesOptions {
  /** The operator's tokens as they are now. */
  readonly operatorTokens: () => readonly OperatorToken[]
  readonly discovered: DiscoveredBooks
  readonly clock: Clock
}

export class Entries {
  readonly #options: EntriesOptions
  readonly #madeAt: number
  /** When the operator's file was read, ms epoch, with what was in it. */
  #operator: { readonly tokens: readonly OperatorToken[]; readonly at: number }
  /** The entries by token id, in the order of the rows. */
  #byId = new Map<string, Entry>()
  #byChain = new Map<string, Entry[]>()

  constructor(options: EntriesOptions) {
    this.#options = options
    this.#madeAt = options.clock.date()
    this.#operator = { tokens: options.operatorTokens(), at: this.#madeAt }
    this.place()
  }

  /** All entries, in the order of the rows. */
  all(): readonly Entry[] {
    return [...this.#byId.values()]
  }

  get size(): number {
    return this.#byId.size
  }

  chains(): readonly string[] {
    return [...this.#byChain.keys()]
  }

  of(chain: string): readonly Entry[] {
    return this.#byChain.get(chain) ?? []
  }

  find(token: TokenId): Entry | null {
    return this.#byId.get(idOf(token)) ?? null
  }

  /** The entry of a token that was just found; `place` puts a new one into its book. */
  open(token: TokenId): Entry {
    const id = idOf(token)
    let entry = this.#byId.get(id)
    if (entry === undefined) this.#byId.set(id, (entry = new Entry(token)))
    return entry
  }

  /** Puts every token that a book has now into its place. */
  place(): void {
    const { operatorTokens, discovered, clock } = this.#options
    const last = this.#byId
    const placed = new Map<string, Entry>()
    const place = (token: TokenId, book: BookName, label?: Label): void => {
      const id = idOf(token)
      if (placed.has(id)) return
      const entry = last.get(id) ?? new Entry(token)
      entry.place(book, label)
      placed.set(id, entry)
    }
    const tokens = operatorTokens()
    if (tokens !== this.#operator.tokens) this.#operator = { tokens, at: clock.date() }
    for (const token of tokens) place(token, 'operator', withMajors(token))
    for (const [chain, majors] of MAJORS) {
      for (const major of majors) place({ chain, address: major.address }, 'majors', major)
    }
    for (const book of ['boosted', 'trending', 'new'] as const) {
      for (const token of discovered.tokens(book)) place(token, book)
    }
    this.#byId = placed
    this.#byChain = new Map()
    for (const entry of placed.values()) {
      const ofChain = this.#byChain.get(entry.chain)
      if (ofChain === undefined) this.#byChain.set(entry.chain, [entry])
      else ofChain.push(entry)
    }
  }

  books(): readonly BookState[] {
    return BOOK_NAMES.map((book) => {
      if (book === 'operator') return { book, source: 'TOKENS_FILE', updatedAt: this.#operator.at }
      if (book === 'majors') return { book, source: 'curated', updatedAt: this.#madeAt }
      const { discovered } = this.#options
      return { book, source: discovered.source(book), updatedAt: discovered.updatedAt(book) }
    })
  }
}

/** The operator's token, with the name that majors have everywhere where the operator gives none. */
function withMajors({ chain, address, symbol, name }: OperatorToken): Label {
  const major = findMajor(chain, address)
  return { symbol: symbol ?? major?.symbol ?? null, name: name ?? major?.name ?? null }
}
