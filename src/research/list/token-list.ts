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
 * With several instances, one of them discovers and refreshes for all, and the
 * others build their lists from its snapshot.
 *
 * Source: §4.1, §8 "Token list rebuild interval"
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { CancellationScope } from '../../flow/cancellation.ts'
import type { Representation } from '../../http/reply/representation.ts'
import { idOf, type MarketProvider, type Named } from '../../providers/market/market.ts'
import { atMost, type Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/log.ts'
import type { TokenRisks } from '../../runtime/resources/token-profile.ts'
import type { SharedAnswers } from '../../upstream/answers/shared-answers.ts'
import { DiscoveredBooks } from './books.ts'
import { ListEntries } from './list-entries.ts'
import type { ListEntry } from './list-entry.ts'
import { ListReplies, type RenderedRow } from './list-replies.ts'
import type { ListSnapshot } from './list-snapshot.ts'
import { MajorPrices } from './major-prices.ts'
import { MarketCalls } from './market-calls.ts'
import { STALE_MS } from './price-age.ts'
import { RowRefresher } from './row-refresher.ts'
import { SecurityChecks } from './security-checks.ts'
import type { ListedRow, ListedToken, TokenSet } from './token-set.ts'

/** How many calls a rebuild may make, and how long it may take. */
export interface ListBounds {
  /** From the end of a rebuild to the beginning of the next while the list is read, ms. */
  readonly everyMs: number
  /** From the beginning of a rebuild to that of the next while it is not read, ms. */
  readonly idleMs: number
  /** How long a rebuild may take, ms. */
  readonly buildMs: number
  /** How long one call may take, ms. Two in a row end before the next rebuild begins. */
  readonly callMs: number
  /** Batches of rows in one rebuild: 25 of them six times a minute are half of DexScreener's quota. */
  readonly batches: number
  /** The same for the first rebuild, and while the list is not read: it refreshes all rows. */
  readonly allBatches: number
  /** Discoveries in one rebuild. */
  readonly discoveries: number
  /** Tokens that each security source is asked about in one rebuild. */
  readonly checks: number
}

const BOUNDS: ListBounds = {
  everyMs: 10_000,
  // Together with the time of a rebuild, the last build is at most a minute old.
  idleMs: 50_000,
  buildMs: 3_000,
  callMs: 2_500,
  batches: 25,
  allBatches: 50,
  discoveries: 6,
  checks: 2,
}

/**
 * How often the schedule checks whether a rebuild is due: a timer of the whole interval would sleep while the
 * machine sleeps.
 */
const LOOK_MS = 1_000
/** The list counts as read for this long after each read, ms. */
const READ_FOR_MS = 300_000

/**
 * With several instances: how much later than `everyMs` after the end of a rebuild the leader may begin
 * the next one, when its snapshot has expired, and how much later the others may. The leader thus keeps the
 * lead for as long as it lives and is read: it knows best what was asked for.
 */
const LEADER_LATER_MS = 50
const OTHERS_LATER_MS = 500
/** The share of `buildMs` that the leader spends on sources, so that the others wait no longer than `buildMs`. */
const LEADER_SHARE = 0.9

const SETTLED = Promise.resolve()

/** Rows serialized between two yields to the event loop. */
const ROWS_PER_TURN = 100

/** The end of gathering, by both clocks. */
type Stamp = Pick<ListSnapshot, 'updatedAt' | 'endedAt'>

interface TokenListOptions {
  /** The sources, in the order in which they are asked for rows. */
  readonly providers: readonly MarketProvider[]
  /** The operator's tokens as they are now: the same array until they change. */
  readonly operatorTokens: () => readonly Named[]
  /** Whether a chain has rows. Absent: all have. */
  readonly serves?: (chain: string) => boolean
  /** Snapshots shared with other instances; null if there are none. */
  readonly sharedAnswers?: SharedAnswers<ListSnapshot> | null
  readonly clock: Clock
  readonly log: Logger
  readonly bounds?: Partial<ListBounds>
}

export class LiveTokenList implements TokenSet {
  readonly #options: TokenListOptions
  readonly #bounds: ListBounds
  readonly #discovered: DiscoveredBooks
  readonly #rows: RowRefresher
  readonly #majorPrices: MajorPrices
  readonly #checks: SecurityChecks
  readonly #entries: ListEntries
  readonly #watchers: (() => void)[] = []
  #replies: ListReplies | null = null
  #listed: readonly ListEntry[] = []
  /** When the last build was current: ms epoch, null before the first, and monotonic, ms. */
  #updatedAt: number | null = null
  #stampedAt = Number.NEGATIVE_INFINITY
  /** Whether this instance asks the sources, and not another one for all. */
  #isLeading = true
  /** The rebuild in progress; null if there is none. */
  #rebuild: Promise<void> | null = null
  /** When the next rebuild may begin, and when the last one ended; monotonic, ms. */
  #dueAt = Number.NEGATIVE_INFINITY
  #builtAt = Number.NEGATIVE_INFINITY
  /** When the last rebuild began, and when the list was last read; monotonic, ms. */
  #begunAt = Number.NEGATIVE_INFINITY
  #readAt = Number.NEGATIVE_INFINITY
  /** Cancels the schedule's next look; null before the first read. */
  #cancelLook: (() => void) | null = null

  constructor(options: TokenListOptions) {
    const { providers, operatorTokens, serves = () => true, clock, log } = options
    this.#options = options
    this.#bounds = { ...BOUNDS, ...options.bounds }
    const calls = new MarketCalls(log, clock, this.#bounds.callMs)
    this.#discovered = new DiscoveredBooks(providers, calls, clock, serves)
    this.#entries = new ListEntries(operatorTokens, this.#discovered, clock, serves)
    this.#rows = new RowRefresher(providers, calls, clock)
    this.#majorPrices = new MajorPrices(providers, calls, clock)
    this.#checks = new SecurityChecks(providers, calls, clock)
  }

  /**
   * The list, or the part of it in scope; see ListReplies. A promise only before the first build, and for
   * the first request of a scope since the last one.
   */
  reply(all: boolean, scope: string | null): Representation | Promise<Representation> {
    const current = this.#read()
    if (current === null) return this.#replies!.reply(all, scope)
    return current.then(() => this.#replies!.reply(all, scope))
  }

  /** Rebuilds the list if that is due. The schedule calls it, and never a request. */
  keepCurrent(): Promise<void> {
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

  find(chain: string, address: string): ListedRow | null {
    return this.#entries.find({ chain, address })
  }

  /** The facts that a suggestion for a swap uses. @param address  canonical */
  factsOf(chain: string, address: string): ReturnType<ListEntry['swapFacts']> | null {
    return this.#entries.find({ chain, address })?.swapFacts() ?? null
  }

  /** What is known against it, rejected or not; null if the list does not have it. @param address  canonical */
  risksOf(chain: string, address: string): TokenRisks | null {
    return this.#entries.find({ chain, address })?.risks ?? null
  }

  /** The link to its picture that a source of the list has; null if none has. @param address  canonical */
  imageOf(chain: string, address: string): string | null {
    return this.#entries.find({ chain, address })?.image ?? null
  }

  /** The tokens of the last build, rejected ones included, each as it is now; empty before the first. */
  get rows(): readonly ListedRow[] {
    return this.#listed
  }

  /** When the list was last built, ms epoch; null before the first time. */
  get updatedAt(): number | null {
    return this.#updatedAt
  }

  /** @param look  called synchronously after each build */
  watch(look: () => void): void {
    this.#watchers.push(look)
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
    const gathered: { shared: Stamp | null } = { shared: null }
    const gather = this.#gather().then((shared) => void (gathered.shared = shared))
    await atMost(this.#options.clock, this.#bounds.buildMs, gather.catch(this.#onFault))
    const { shared } = gathered
    this.#entries.place()
    // Tokens of later answers aren't in any book yet.
    const entries = this.#entries.all()
    await yieldToLoop()
    const rows: RenderedRow[] = []
    const at = this.#options.clock.date()
    for (const entry of entries) {
      const { chain, book, isListed } = entry
      rows.push({ chain, book, isListed, text: entry.render(at) })
      if (rows.length % ROWS_PER_TURN === 0) await yieldToLoop()
    }
    await yieldToLoop()
    const updatedAt = this.#stamp(shared)
    const replies = new ListReplies(rows, this.#entries.books(), updatedAt)
    await replies.reply(false, null)
    this.#replies = replies
    this.#builtAt = this.#options.clock.now()
    this.#listed = entries
    this.#updatedAt = updatedAt
    for (const look of this.#watchers) look()
    if (!this.#isLeading) return
    // In the background: the findings count in the next build.
    this.#checks.check(this.#entries.all(), this.#bounds.checks).catch(this.#onFault)
  }

  /**
   * Dates the build, and the next one after it.
   * @param shared  when its data were gathered, if instances share them
   * @returns ms epoch; `everyMs` after the last one or more, unless the machine's clock was set back
   */
  #stamp(shared: Stamp | null): number {
    const { clock } = this.#options
    const { everyMs } = this.#bounds
    const date = clock.date()
    const { updatedAt, endedAt } = shared ?? { updatedAt: date, endedAt: clock.now() }
    const least = (this.#updatedAt ?? Number.NEGATIVE_INFINITY) + everyMs
    this.#stampedAt = endedAt
    this.#dueAt = Math.max(this.#dueAt, endedAt + everyMs)
    return least > date ? updatedAt : Math.max(updatedAt, least)
  }

  /** @returns when the data were gathered that instances share; null if there are no others */
  async #gather(): Promise<Stamp | null> {
    const { sharedAnswers = null, operatorTokens, clock } = this.#options
    if (sharedAnswers === null) {
      await this.#askSources()
      return null
    }
    const { everyMs, buildMs } = this.#bounds
    this.#isLeading = false
    const lead = async (): Promise<ListSnapshot> => {
      this.#isLeading = true
      await atMost(this.#options.clock, buildMs * LEADER_SHARE, this.#askSources())
      return this.#snapshot()
    }
    // Instances share snapshots only if their operators list the same tokens.
    const key = operatorTokens().map(idOf).join()
    const snapshot = await sharedAnswers.join(
      key,
      new CancellationScope(),
      lead,
      ({ endedAt }) => endedAt + everyMs - clock.now(),
    )
    const laterMs = this.#isLeading ? LEADER_LATER_MS : OTHERS_LATER_MS
    this.#dueAt = Math.max(this.#stampedAt, snapshot.endedAt + laterMs) + everyMs
    if (!this.#isLeading) await this.#adopt(snapshot)
    return snapshot
  }

  #snapshot(): ListSnapshot {
    return {
      updatedAt: this.#options.clock.date(),
      endedAt: this.#options.clock.now(),
      entries: this.#entries.all().flatMap((entry) => entry.state() ?? []),
      books: this.#discovered.state(),
      rowsAskedAt: this.#rows.state(),
      pricesAskedAt: this.#majorPrices.askedAt,
    }
  }

  async #adopt({ entries, books, rowsAskedAt, pricesAskedAt }: ListSnapshot): Promise<void> {
    this.#discovered.adopt(books)
    this.#rows.adopt(rowsAskedAt)
    this.#majorPrices.adopt(pricesAskedAt)
    this.#entries.place()
    for (const [i, state] of entries.entries()) {
      this.#entries.find(state)?.adopt(state)
      if (i % ROWS_PER_TURN === 0) await yieldToLoop()
    }
  }

  async #askSources(): Promise<void> {
    const { idleMs, batches, allBatches, discoveries } = this.#bounds
    const isIdle = this.#options.clock.now() - this.#builtAt >= idleMs
    const most = this.#replies === null || isIdle ? allBatches : batches
    this.#entries.place()
    const [asked] = await Promise.all([
      this.#rows.refresh(this.#entries.all(), most),
      this.#majorPrices.refresh(this.#entries.all()),
      this.#discovered.ask(discoveries, ({ row, ...token }, source) => {
        const entry = this.#entries.open(token)
        if (row !== null && entry.quotedBy === null) entry.refresh(row, source)
      }),
    ])
    if (asked >= most) return
    this.#entries.place()
    const unasked = this.#entries.all().filter(({ askedAt }) => askedAt === Number.NEGATIVE_INFINITY)
    await this.#rows.refresh(unasked, most - asked)
  }

  readonly #onFault = (err: unknown): void => this.#options.log.error({ err }, 'fault')
}
