/**
 * The replies of GET /api/tokens after one rebuild of the list. The rows are
 * JSON text; the reply to a scope is assembled from them on its first request.
 *
 * Source: §2 TokenList, §4.1, §4.10 (`all`, `scope`)
 */
import { Representation } from '../../http/reply/representation.ts'
import type { TokenList } from '../../runtime/resources/tokens.ts'
import { BOOK_TITLES, type BookName, type BookSummary } from './books.ts'

/** A row as it was at the rebuild: its token may change before a reply is assembled. */
export interface RenderedRow {
  readonly chain: string
  readonly book: BookName
  readonly isListed: boolean
  /** JSON. */
  readonly text: string
}

type Reply = Representation | Promise<Representation>

export class ListReplies {
  readonly #rows: readonly RenderedRow[]
  readonly #books: TokenList['books']
  readonly #updatedAt: number
  /** By scope and `all`. */
  readonly #replies = new Map<string, Reply>()

  /**
   * @param rows       in the order in which they are listed
   * @param updatedAt  ms epoch
   */
  constructor(rows: readonly RenderedRow[], books: readonly BookSummary[], updatedAt: number) {
    this.#rows = rows
    this.#books = books.map((state) => ({
      book: state.book,
      title: BOOK_TITLES[state.book],
      source: state.source,
      count: rows.filter(({ book, isListed }) => book === state.book && isListed).length,
      updatedAt: state.updatedAt,
      ageMs: state.updatedAt === null ? null : Math.max(0, updatedAt - state.updatedAt),
    }))
    this.#updatedAt = updatedAt
  }

  /**
   * @param all    true to include the rows that the risk filter rejects
   * @param scope  a book's name or a chain key; null for the whole list
   */
  reply(all: boolean, scope: string | null): Reply {
    const key = `${all} ${scope}`
    const known = this.#replies.get(key)
    if (known !== undefined) return known
    const reply = Representation.of(this.#body(all, scope))
    this.#replies.set(key, reply)
    return reply.then((representation) => {
      this.#replies.set(key, representation)
      return representation
    })
  }

  #body(all: boolean, scope: string | null): Buffer {
    const inScope =
      scope === null ? this.#rows : this.#rows.filter(({ book, chain }) => book === scope || chain === scope)
    const listed = inScope.filter(({ isListed }) => isListed)
    const texts = (all ? inScope : listed).map(({ text }) => text)
    const rest = JSON.stringify({
      books: this.#books,
      gated: inScope.length - listed.length,
      updatedAt: this.#updatedAt,
    })
    return Buffer.from(`{"tokens":[${texts.join(',')}],${rest.slice(1)}`)
  }
}
