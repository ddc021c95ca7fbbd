/**
 * The token list. The first read begins its schedule, which then runs by itself: a
 * rebuild is due ten seconds after the end of the last one while the list is read,
 * and once a minute while it is not. `updatedAt` is that end, so two of them are
 * ten seconds apart or more. Rebuilds are calls of the gateway: no request starts one or is charged for
 * one, and requests get the last build. Only those before the first build wait,
 * no longer than it may take. A source that has not answered by then is missing
 * from this build, or shows its older values, and counts in the next.
 *
 *   every second ── due? ──> discover ┐
 *                            refresh  ┴─> refresh what was found ──> build
 *                            (check)                                   │
 *   request <── the last build <───────────────────────────────────────┘
 *
 * Source: §4.1, §8 "Token list rebuild interval"
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Representation } from '../../http/reply/representation.ts'
import type { MarketProvider, Named } from '../../providers/market/market.ts'
import { atMost, type Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/log.ts'
import { DiscoveredBooks } from './books.ts'
import { ListEntries } from './list-entries.ts'
import type { ListEntry } from './list-entry.ts'
import { type ListReplies, listReplies, type RenderedRow } from './list-replies.ts'
import { majorPrices } from './major-prices.ts'
import { marketCalls } from './market-calls.ts'
import { STALE_MS } from './price-age.ts'
import { rowRefresher } from './row-refresher.ts'
import { securityChecks } from './security-checks.ts'
import type { ListedRow, ListedToken, TokenSet } from './token-set.ts'

/** How many calls a rebuild may make, and how long it may take. */
const BOUNDS = {
  /** From the end of a rebuild to the beginning of the next while the list is read, ms. */
  everyMs: 10_000,
  /**
   * From the beginning of a rebuild to that of the next while it is not read, ms. Together with the time of a
   * rebuild, the last build is at most a minute old.
   */
  idleMs: 50_000,
  /** How long a rebuild may take, ms. */
  buildMs: 3_000,
  /** How long one call may take, ms. Two in a row end before the next rebuild begins. */
  callMs: 2_500,
  /** Batches of rows in one rebuild: 25 of them six times a minute are half of DexScreener's quota. */
  batches: 25,
  /** The same for the first rebuild, and while the list is not read: it refreshes all rows. */
  allBatches: 50,
  /** Discoveries in one rebuild. */
  discoveries: 6,
  /** Tokens that each security source is asked about in one rebuild. */
  checks: 2,
}

export type ListBounds = Readonly<typeof BOUNDS>

/**
 * How often the schedule checks whether a rebuild is due: a timer of the whole interval would sleep while the
 * machine sleeps.
 */
const LOOK_MS = 1_000
/** The list counts as read for this long after each read, ms. */
const READ_FOR_MS = 300_000

const SETTLED = Promise.resolve()

/** Rows serialized between two yields to the event loop. */
const ROWS_PER_TURN = 100

/** A build, as another thread's list takes it over; plain values. */
export type ListSnapshot = Readonly<NonNullable<ReturnType<LiveTokenList['snapshot']>>>

interface TokenListOptions {
  /** The sources, in the order in which they are asked for rows. */
  readonly providers: readonly MarketProvider[]
  /** The operator's tokens as they are now: the same array until they change. */
  readonly operatorTokens: () => readonly Named[]
  /** Whether a chain has rows. Absent: all have. */
  readonly serves?: (chain: string) => boolean
  readonly clock: Clock
  readonly log: Logger
  readonly bounds?: Partial<ListBounds>
  /** Called while the list is read, for one that follows another thread's; null for one that builds itself. */
  readonly onRead?: (() => void) | null
}

export class LiveTokenList implements TokenSet {
  readonly #options: TokenListOptions
  readonly #bounds: ListBounds
  readonly #discovered: DiscoveredBooks
  readonly #refreshRows: ReturnType<typeof rowRefresher>
  readonly #refreshMajors: ReturnType<typeof majorPrices>
  readonly #check: ReturnType<typeof securityChecks>
  readonly #entries: ListEntries
  readonly #watchers: (() => void)[] = []
  #replies: ListReplies | null = null
  #listed: readonly ListEntry[] = []
  /** When the last build was current, ms epoch; null before the first. */
  #updatedAt: number | null = null
  /** The rebuild in progress; null if there is none. */
  #rebuild: Promise<void> | null = null
  /** When the next rebuild may begin, and when the last one ended; monotonic, ms. */
  #dueAt = Number.NEGATIVE_INFINITY
  #builtAt = Number.NEGATIVE_INFINITY
  /** When the last rebuild began, and when the list was last read; monotonic, ms. */
  #begunAt = Number.NEGATIVE_INFINITY
  #readAt = Number.NEGATIVE_INFINITY
  /** Settled by the first build that this list takes over. */
  #onFollowed: () => void = () => {}
  readonly #followed = new Promise<void>((resolve) => {
    this.#onFollowed = resolve
  })
  /** Cancels the schedule's next look; null before the first read. */
  #cancelLook: (() => void) | null = null

  constructor(options: TokenListOptions) {
    const { providers, operatorTokens, serves = () => true, clock, log } = options
    this.#options = options
    this.#bounds = { ...BOUNDS, ...options.bounds }
    const askMarket = marketCalls(log, clock, this.#bounds.callMs)
    this.#discovered = new DiscoveredBooks(providers, askMarket, clock, serves)
    this.#entries = new ListEntries(operatorTokens, this.#discovered, clock, serves)
    this.#refreshRows = rowRefresher(providers, askMarket, clock)
    this.#refreshMajors = majorPrices(providers, askMarket, clock)
    this.#check = securityChecks(providers, askMarket, clock)
  }

  /**
   * The list, or a form of it; see listReplies. A promise only before the first build, and for
   * the first request of a form since the last one.
   */
  reply(...form: Parameters<ListReplies>): Representation | Promise<Representation> {
    const current = this.#read()
    if (current === null) return this.#replies!(...form)
    return current.then(() => this.#replies!(...form))
  }

  /** Rebuilds the list if that is due. The schedule calls it, and never a request. */
  keepCurrent(): Promise<void> {
    const { onRead } = this.#options
    if (onRead) return this.#keepFollowing(onRead)
    if (this.#rebuild !== null) return this.#rebuild
    const { everyMs, idleMs } = this.#bounds
    const nowMs = this.#options.clock.now()
    const isIdle = nowMs - this.#readAt > READ_FOR_MS && nowMs - this.#begunAt < idleMs
    if (nowMs < this.#dueAt || isIdle) return SETTLED
    this.#dueAt = nowMs + everyMs
    this.#begunAt = nowMs
    this.#rebuild = this.#build()
      .catch(this.#onFault)
      .finally(() => {
        this.#rebuild = null
      })
    return this.#rebuild
  }

  /** Ends the schedule. */
  close(): void {
    this.#cancelLook?.()
    this.#cancelLook = () => {}
  }

  /** How many tokens are known, including those found since the last build. */
  get size(): number {
    return this.#entries.size
  }

  async ready(deadlineMs: number): Promise<void> {
    const current = this.#read()
    if (current !== null) await atMost(this.#options.clock, deadlineMs, current)
  }

  chains(): readonly string[] {
    return this.#entries.chains()
  }

  tokens(chain: string): readonly ListedToken[] {
    return this.#entries.of(chain)
  }

  find(chain: string, address: string): ListEntry | null {
    return this.#entries.find({ chain, address })
  }

  /** The tokens of the last build, rejected ones included, each as it is now; empty before the first. */
  get rows(): readonly ListedRow[] {
    return this.#listed
  }

  /** When the list was last built, ms epoch; null before the first time. */
  get updatedAt(): number | null {
    return this.#updatedAt
  }

  /** The last build; null before the first. */
  snapshot() {
    const updatedAt = this.#updatedAt
    if (updatedAt === null) return null
    const entries = this.#entries.all().map(({ state }) => state)
    return { entries, books: this.#entries.books(), updatedAt }
  }

  /** Takes over another list's build. */
  async follow({ entries, books, updatedAt }: ListSnapshot): Promise<void> {
    this.#entries.follow(entries, books)
    await this.#render(this.#entries.all(), updatedAt)
    this.#onFollowed()
  }

  /** Notes a read by a list that follows this one. */
  noteRead(): void {
    void this.#read()
  }

  /** @param look  called synchronously after each build */
  watch(look: () => void): void {
    this.#watchers.push(look)
  }

  /** The first build is what is taken over; or, where none comes in time, what was chosen by hand. */
  #keepFollowing(onRead: () => void): Promise<void> {
    const { clock } = this.#options
    if (clock.now() - this.#readAt <= 2 * LOOK_MS) onRead()
    if (this.#replies !== null) return SETTLED
    this.#rebuild ??= atMost(clock, 2 * this.#bounds.buildMs, this.#followed)
      .then(() => (this.#replies === null ? this.#render(this.#entries.all()) : undefined))
      .catch(this.#onFault)
      .finally(() => {
        this.#rebuild = null
      })
    return this.#rebuild
  }

  /** Whether the last build is at most a minute old. */
  #isRecent(): boolean {
    return this.#replies !== null && this.#options.clock.now() - this.#builtAt <= STALE_MS
  }

  /**
   * Notes a read; the first one begins the schedule.
   * @returns null if there is a build to answer with; else the first one, or one under way that a machine
   *          that was asleep waits for
   */
  #read(): Promise<void> | null {
    this.#readAt = this.#options.clock.now()
    if (this.#cancelLook === null) this.#look()
    if (this.#isRecent()) return null
    if (this.#replies === null) return this.keepCurrent()
    return this.#rebuild
  }

  readonly #look = (): void => {
    this.#cancelLook = this.#options.clock.after(LOOK_MS, this.#look)
    void this.keepCurrent()
  }

  async #build(): Promise<void> {
    // Whatever fails, the list is built from what is known.
    await atMost(this.#options.clock, this.#bounds.buildMs, this.#askSources().catch(this.#onFault))
    this.#entries.place()
    // Tokens of later answers aren't in any book yet.
    const entries = this.#entries.all()
    await yieldToLoop()
    for (const entry of entries) entry.keepPrice(this.#options.clock.date())
    await this.#render(entries)
    this.#dueAt = this.#options.clock.now() + this.#bounds.everyMs
    // In the background: the findings count in the next build.
    this.#check(this.#entries.all(), this.#bounds.checks).catch(this.#onFault)
  }

  /** @param builtAt  when it was built, ms epoch; absent: now */
  async #render(entries: readonly ListEntry[], builtAt?: number): Promise<void> {
    const rows: RenderedRow[] = []
    const at = this.#options.clock.date()
    for (const entry of entries) {
      const { chain, book, isListed, hourly } = entry
      rows.push({ chain, book, isListed, hourly, text: entry.render(at) })
      if (rows.length % ROWS_PER_TURN === 0) await yieldToLoop()
    }
    await yieldToLoop()
    const { clock } = this.#options
    const updatedAt = builtAt ?? clock.date()
    const replies = listReplies(rows, this.#entries.books(), updatedAt)
    await replies(false, null)
    this.#replies = replies
    this.#builtAt = clock.now()
    this.#listed = entries
    this.#updatedAt = updatedAt
    for (const look of this.#watchers) look()
  }

  async #askSources(): Promise<void> {
    const { idleMs, batches, allBatches, discoveries } = this.#bounds
    const isIdle = this.#options.clock.now() - this.#builtAt >= idleMs
    const most = this.#replies === null || isIdle ? allBatches : batches
    this.#entries.place()
    const [asked] = await Promise.all([
      this.#refreshRows(this.#entries.all(), most),
      this.#refreshMajors(this.#entries.all()),
      this.#discovered.ask(discoveries, ({ row, ...token }, source) => {
        const entry = this.#entries.open(token)
        if (row !== null && entry.quotedBy === null) entry.refresh(row, source)
      }),
    ])
    if (asked >= most) return
    this.#entries.place()
    const unasked = this.#entries.all().filter(({ askedAt }) => askedAt === Number.NEGATIVE_INFINITY)
    await this.#refreshRows(unasked, most - asked)
  }

  readonly #onFault = (err: unknown): void => this.#options.log.error({ err }, 'fault')
}
