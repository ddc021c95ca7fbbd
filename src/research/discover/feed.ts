/**
 * Events of the token list, newest first: tokens that were added, that the risk
 * gate rejects now or no longer, and prices that moved by much. Each build of
 * the list is compared with what is remembered, so the feed grows only while the
 * list is requested, and starts empty with the process.
 *
 *   build ── rows ──> compared with what is remembered ──> events ──> the last thousand
 *
 * Source: §4.10 `/api/discover/feed`
 */
import { type Static, Type } from 'typebox'
import { idOf } from '../../providers/market/market.ts'
import { type BoundedCache, boundedCache } from '../../runtime/bounded-cache.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type Cursors, comparePositions, type ListPosition, pageOf } from '../../runtime/cursor.ts'
import { integer, nullable, number } from '../../runtime/resources/shared.ts'
import type { LiveTokenList } from '../list/token-list.ts'
import type { ListedRow } from '../list/token-set.ts'
import texts from '../texts.json' with { type: 'json' }
import { DiscoverToken, toToken } from './discover-token.ts'
import { type TierName, tierOf } from './tiers.ts'

const { discover: text } = texts

/** The most events kept: those of a few days, at a few an hour. */
const MAX_EVENTS = 1_000
/** The most tokens remembered, including those that left the list: they may come back. */
const MAX_TOKENS = 5_000
const REMEMBER_MS = 86_400_000

/** A price has moved if it changed by this many percent within this time. */
const MOVED_PERCENT = 20
const MOVED_WITHIN_MS = 3_600_000

const DEEP_ENOUGH: ReadonlySet<TierName> = new Set(['deep', 'mid'])

const KINDS = ['listed', 'gated', 'cleared', 'moved'] as const
type EventKind = (typeof KINDS)[number]

const FeedItem = Type.Object({
  kind: Type.Enum(KINDS, { description: text.eventKind }),
  at: integer('when the list was built that shows it, ms epoch'),
  changePct: nullable(number('percent; null for other kinds than `moved`')),
  since: nullable(integer('the start of the change, ms epoch')),
  token: DiscoverToken,
})
type FeedItem = Static<typeof FeedItem>

export const FeedPage = Type.Object({
  items: Type.Array(FeedItem, { description: 'newest first; `token` is as it was then' }),
  next: nullable(Type.String(), { description: text.next }),
})
export type FeedPage = Static<typeof FeedPage>

/** The remembered state of a token. */
interface RememberedToken {
  isListed: boolean
  /** The price that new ones are compared with; null if it has no meaningful one. */
  price: number | null
  /** Ms epoch. */
  priceTs: number
}

type WatchedList = Pick<LiveTokenList, 'rows' | 'updatedAt' | 'ready' | 'watch'>

const PATH = '/api/discover/feed'

interface FeedOptions {
  readonly list: WatchedList
  readonly cursors: Cursors
  readonly clock: Clock
  /** How long to wait for the first build of the list, ms. */
  readonly deadlineMs: number
}

export class TokenFeed {
  readonly #options: FeedOptions
  readonly #seen: BoundedCache<string, RememberedToken>
  /** Newest first. */
  #events: readonly FeedItem[] = []

  constructor(options: FeedOptions) {
    const { list, clock } = options
    this.#options = options
    this.#seen = boundedCache({ max: MAX_TOKENS, ttlMs: REMEMBER_MS, clock })
    list.watch(() => this.#look())
  }

  /**
   * @param cursor  null for the newest
   * @throws 400    invalid_parameter, for a cursor that this service did not issue
   */
  async read(cursor: string | null, limit: number): Promise<FeedPage> {
    const { list, cursors, deadlineMs } = this.#options
    const after = cursor === null ? null : cursors.read(PATH, cursor)
    await list.ready(deadlineMs)
    const { items, end } = pageOf(this.#events, placeOf, after, limit)
    return { items: [...items], next: end === null ? null : cursors.write(PATH, end) }
  }

  #look(): void {
    const { rows, updatedAt } = this.#options.list
    const at = updatedAt!
    const events = rows.flatMap((row) => this.#eventsOf(row, at))
    if (events.length === 0) return
    events.sort((a, b) => comparePositions(placeOf(a), placeOf(b)))
    this.#events = [...events, ...this.#events].slice(0, MAX_EVENTS)
  }

  #eventsOf(row: ListedRow, at: number): FeedItem[] {
    const id = idOf(row)
    const seen = this.#seen.get(id)
    const now = seen ?? { isListed: row.isListed, price: null, priceTs: 0 }
    // Each build extends how long it is remembered.
    this.#seen.set(id, now)
    const event = (
      kind: EventKind,
      changePct: number | null = null,
      since: number | null = null,
    ): FeedItem => ({
      kind,
      at,
      changePct,
      since,
      token: toToken(row),
    })
    const events: FeedItem[] = []
    const isChosen = row.book === 'operator' || row.book === 'majors'
    if (seen === undefined) {
      if (!isChosen) events.push(event(row.isListed ? 'listed' : 'gated'))
    } else if (seen.isListed !== row.isListed) {
      events.push(event(row.isListed ? 'cleared' : 'gated'))
      now.isListed = row.isListed
    }
    const move = moveOf(now, row)
    if (move !== null) events.push(event('moved', move.changePct, move.since))
    return events
  }
}

/**
 * Compares the price with the remembered one, which is replaced if it is old or the price has moved. The
 * price of a rejected token means nothing, and neither does one in shallow pools.
 *
 * @returns null if it has hardly moved
 */
function moveOf(seen: RememberedToken, { price, priceTs, liq, isListed }: ListedRow) {
  const isDeep = DEEP_ENOUGH.has(tierOf(liq))
  if (!isListed || !isDeep || price === null || price === 0 || priceTs === null) return null
  const { price: from, priceTs: since } = seen
  const isOld = from === null || priceTs - since > MOVED_WITHIN_MS
  const changePct = isOld ? 0 : Math.round((price / from - 1) * 10_000) / 100
  const isMove = Math.abs(changePct) >= MOVED_PERCENT
  if (isOld || isMove) {
    seen.price = price
    seen.priceTs = priceTs
  }
  return isMove ? { changePct, since } : null
}

/** Unique: a token has at most one event of a kind per build. */
function placeOf({ at, kind, token: { chain, address } }: FeedItem): ListPosition {
  return [at, `${chain} ${address} ${kind}`]
}
