/**
 * The token list. It is rebuilt when somebody reads it and the last edition is
 * ten seconds old; who reads meanwhile gets that one. Only the first reader
 * waits, and the first after a minute in which nobody read, for no longer than
 * a rebuild may take: what has not answered by then is missing from the
 * edition, or as old as its own time says, and is in the next.
 *
 *   read ── due? ──> discover ┐
 *                    refresh  ┴─> refresh what was found ──> edition
 *                    (check)                                    │
 *   <── the last edition <──────────────────────────────────────┘
 *
 * Where there are other instances, one of them discovers and refreshes for all,
 * and the others make their editions of what it tells.
 *
 * Source: §4.1, §8 "Token list rebuild interval"
 */

import { setImmediate as breathe } from 'node:timers/promises'
import type { Representation } from '../../http/representation.ts'
import { idOf, type MarketProvider, type Named } from '../../providers/market/market.ts'
import { CancellationScope } from '../../runtime/cancellation.ts'
import { atMost, type Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/log.ts'
import type { SharedAnswers } from '../../upstream/shared-answers.ts'
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

/** How much a rebuild asks for, and how long it may take. */
export interface ListBounds {
  /** From one rebuild to the next, ms. */
  readonly everyMs: number
  /** How long a rebuild may take, ms. */
  readonly buildMs: number
  /** How long one call may take, ms: two in a row end before the next rebuild begins. */
  readonly callMs: number
  /**
   * Batches of rows: 25 of them, six times a minute, are half of DexScreener's quota. A rebuild
   * that readers wait for, the first or one after idle time, asks for all rows.
   */
  readonly batches: number
  readonly firstBatches: number
  readonly discoveries: number
  /** Tokens that each source of security is asked about. */
  readonly checks: number
}

const BOUNDS: ListBounds = {
  everyMs: 10_000,
  buildMs: 3_000,
  callMs: 2_500,
  batches: 25,
  firstBatches: 50,
  discoveries: 6,
  checks: 2,
}

/**
 * With other instances: how much later than `everyMs` after its own rebuild began the one that led may
 * begin the next, when what it told is gone, and how much later the others, so that it leads again for as
 * long as it lives and is read. It knows best what was asked for.
 */
const LEADER_LATER_MS = 50
const OTHERS_LATER_MS = 500
/** How much of a rebuild's time the one that leads gathers for, so that the others wait no longer than for a rebuild. */
const LEADER_SHARE = 0.9

const SETTLED = Promise.resolve()

/** Rows written before the event loop has its turn. */
const ROWS_PER_TURN = 100

interface TokenListOptions {
  /** The sources, in the order in which they are asked for rows. */
  readonly providers: readonly MarketProvider[]
  /** The operator's tokens as they are now. */
  readonly operatorTokens: () => readonly Named[]
  /** Other instances, where there are any. */
  readonly peers?: SharedAnswers<ListSnapshot> | null
  readonly clock: Clock
  readonly log: Logger
  readonly bounds?: Partial<ListBounds>
}

export class TokenList implements TokenSet {
  readonly #options: TokenListOptions
  readonly #bounds: ListBounds
  readonly #discovered: DiscoveredBooks
  readonly #rows: RowRefresher
  readonly #majorPrices: MajorPrices
  readonly #checks: SecurityChecks
  readonly #entries: ListEntries
  readonly #watchers: (() => void)[] = []
  #edition: ListReplies | null = null
  #listed: readonly ListEntry[] = []
  #updatedAt: number | null = null
  /** Whether sources are asked here, and not by another instance for all. */
  #isLeading = true
  /** The rebuild that is under way; null where none is. */
  #rebuild: Promise<void> | null = null
  /** When the next may begin, and when the last edition was there; monotonic, ms. */
  #dueAt = Number.NEGATIVE_INFINITY
  #builtAt = Number.NEGATIVE_INFINITY

  constructor(options: TokenListOptions) {
    const { providers, operatorTokens, clock, log } = options
    this.#options = options
    this.#bounds = { ...BOUNDS, ...options.bounds }
    const calls = new MarketCalls(log, this.#bounds.callMs)
    this.#discovered = new DiscoveredBooks(providers, calls, clock)
    this.#entries = new ListEntries(operatorTokens, this.#discovered, clock)
    this.#rows = new RowRefresher(providers, calls, clock)
    this.#majorPrices = new MajorPrices(providers, calls, clock)
    this.#checks = new SecurityChecks(providers, calls, clock)
  }

  /**
   * The list, or the part of it that is in scope; see Edition. A promise only
   * where nobody has asked for it since the last rebuild.
   */
  reply(all: boolean, scope: string | null): Representation | Promise<Representation> {
    const rebuild = this.#keepCurrent()
    if (this.#isRecent()) return this.#edition!.reply(all, scope)
    return rebuild.then(() => this.#edition!.reply(all, scope))
  }

  /** Tokens that are known, those below the bounds of the list among them. */
  get size(): number {
    return this.#entries.size
  }

  async ready(deadlineMs: number): Promise<void> {
    const rebuild = this.#keepCurrent()
    if (!this.#isRecent()) await atMost(deadlineMs, rebuild)
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

  /** Those of the last edition, held back ones included, each as it is now; none before the first. */
  get rows(): readonly ListedRow[] {
    return this.#listed
  }

  /** When the last edition was built, ms epoch; null before the first. */
  get updatedAt(): number | null {
    return this.#updatedAt
  }

  /** @param look  is called at once after each edition */
  watch(look: () => void): void {
    this.#watchers.push(look)
  }

  /** Whether there is an edition, and somebody has read the list within the last minute. */
  #isRecent(): boolean {
    return this.#edition !== null && this.#options.clock.now() - this.#builtAt <= STALE_MS
  }

  /** Begins a rebuild where one is due. @returns the one under way */
  #keepCurrent(): Promise<void> {
    if (this.#rebuild !== null) return this.#rebuild
    const nowMs = this.#options.clock.now()
    if (nowMs < this.#dueAt) return SETTLED
    this.#dueAt = nowMs + this.#bounds.everyMs
    this.#rebuild = this.#build()
      .catch(this.#onFault)
      .finally(() => {
        this.#rebuild = null
      })
    return this.#rebuild
  }

  async #build(): Promise<void> {
    // Whatever goes wrong with it, what is known makes an edition.
    const gathered: { at: number | null } = { at: null }
    const gather = this.#gather().then((at) => void (gathered.at = at))
    await atMost(this.#bounds.buildMs, gather.catch(this.#onFault))
    const gatheredAt = gathered.at
    this.#entries.place()
    // What late answers bring from here on is in no book yet.
    const entries = this.#entries.all()
    await breathe()
    const rows: RenderedRow[] = []
    const at = this.#options.clock.date()
    for (const entry of entries) {
      const { chain, book, isListed } = entry
      rows.push({ chain, book, isListed, text: entry.render(at) })
      if (rows.length % ROWS_PER_TURN === 0) await breathe()
    }
    await breathe()
    const updatedAt = gatheredAt ?? this.#options.clock.date()
    const edition = new ListReplies(rows, this.#entries.books(), updatedAt)
    await edition.reply(false, null)
    this.#edition = edition
    this.#builtAt = this.#options.clock.now()
    this.#listed = entries
    this.#updatedAt = updatedAt
    for (const look of this.#watchers) look()
    if (!this.#isLeading) return
    // In the background: what is found is in the next edition.
    this.#checks.check(this.#entries.all(), this.#bounds.checks).catch(this.#onFault)
  }

  /** @returns when another instance had gathered it, ms epoch; null where this one has */
  async #gather(): Promise<number | null> {
    const { peers = null, operatorTokens, clock } = this.#options
    if (peers === null) {
      await this.#ask()
      return null
    }
    const { everyMs, buildMs } = this.#bounds
    const startedAt = clock.now()
    this.#isLeading = false
    const lead = async (): Promise<ListSnapshot> => {
      this.#isLeading = true
      this.#dueAt = startedAt + everyMs + LEADER_LATER_MS
      await atMost(buildMs * LEADER_SHARE, this.#ask())
      return this.#snapshot(startedAt)
    }
    // Instances gather for each other what is of the same tokens.
    const key = operatorTokens().map(idOf).join()
    const snapshot = await peers.join(
      key,
      new CancellationScope(),
      lead,
      () => startedAt + everyMs - clock.now(),
    )
    if (this.#isLeading) return null
    this.#dueAt = snapshot.startedAt + everyMs + OTHERS_LATER_MS
    await this.#adopt(snapshot)
    return snapshot.updatedAt
  }

  #snapshot(startedAt: number): ListSnapshot {
    return {
      startedAt,
      updatedAt: this.#options.clock.date(),
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
      if (i % ROWS_PER_TURN === 0) await breathe()
    }
  }

  async #ask(): Promise<void> {
    const { batches, firstBatches, discoveries } = this.#bounds
    const most = this.#isRecent() ? batches : firstBatches
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
