/**
 * The replies of GET /api/tokens after one rebuild of the list. The rows are
 * JSON text; the reply to a scope is assembled from them on its first request.
 *
 * Source: §2 TokenList, §4.1, §4.10 (`all`, `scope`); `hourly` is swapgate's own
 */
import { Representation } from '../../http/reply/representation.ts'
import type { TokenList } from '../../runtime/resources/tokens.ts'
import { BOOK_TITLES, type BookName, type BookSummary } from './books.ts'
import { type HourlyPrices, pricesUpTo } from './hourly-prices.ts'

/** A row as it was at the rebuild: its token may change before a reply is assembled. */
export interface RenderedRow {
  readonly chain: string
  readonly book: BookName
  readonly isListed: boolean
  readonly hourly: HourlyPrices
  /** JSON. */
  readonly text: string
}

type Reply = Representation | Promise<Representation>

export type ListReplies = ReturnType<typeof listReplies>

/**
 * @param rows       in the order in which they are listed
 * @param updatedAt  ms epoch
 */
export function listReplies(rows: readonly RenderedRow[], states: readonly BookSummary[], updatedAt: number) {
  const books: TokenList['books'] = states.map((state) => ({
    book: state.book,
    title: BOOK_TITLES[state.book],
    source: state.source,
    count: rows.filter(({ book, isListed }) => book === state.book && isListed).length,
    updatedAt: state.updatedAt,
    ageMs: state.updatedAt === null ? null : Math.max(0, updatedAt - state.updatedAt),
  }))
  /** By `all`, scope and `hourly`. */
  const replies = new Map<string, Reply>()

  const withHourly = ({ text, hourly }: RenderedRow): string => {
    const { prices } = pricesUpTo(hourly, updatedAt)
    const first = prices.findIndex((price) => price !== null)
    return first === -1 ? text : `${text.slice(0, -1)},"hourly":${JSON.stringify(prices.slice(first))}}`
  }

  function bodyOf(all: boolean, scope: string | null, hourly: boolean): Buffer {
    const inScope =
      scope === null ? rows : rows.filter(({ book, chain }) => book === scope || chain === scope)
    const listed = inScope.filter(({ isListed }) => isListed)
    const texts = (all ? inScope : listed).map(hourly ? withHourly : ({ text }) => text)
    const rest = JSON.stringify({ books, gated: inScope.length - listed.length, updatedAt })
    return Buffer.from(`{"tokens":[${texts.join(',')}],${rest.slice(1)}`)
  }

  /**
   * @param all     true to include the rows that the risk filter rejects
   * @param scope   a book's name or a chain key; null for the whole list
   * @param hourly  true to add the prices of the last 24 hours to each row
   */
  return (all: boolean, scope: string | null, hourly = false): Reply => {
    const key = `${all} ${scope} ${hourly}`
    const known = replies.get(key)
    if (known !== undefined) return known
    const reply = Representation.of(bodyOf(all, scope, hourly))
    replies.set(key, reply)
    return reply.then((representation) => {
      replies.set(key, representation)
      return representation
    })
  }
}
