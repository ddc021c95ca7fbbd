/**
 * The token list. It is rebuilt when somebody reads it and the last edition is
 * ten seconds old; who reads meanwhile gets that one. Only the first reader
 * waits, for no longer than a rebuild may take: what has not answered by then
 * is missing from the edition, or as old as its own time says, and is in the next.
 *
 *   read ── due? ──> discover ┐
 *                    refresh  ┴─> refresh what was found ──> edition
 *                    (check)                                    │
 *   <── the last edition <──────────────────────────────────────┘
 *
 * Source: §4.1, §8 "Token list rebuild interval"
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { MAJORS } from '../chains/majors.ts'
import type { Representation } from '../http/representation.ts'
import type { Logger } from '../log.ts'
import type { MarketProvider, TokenId } from '../providers/market/market.ts'
import type { TokenList as Resource } from '../resources.ts'
import { BOOK_NAMES, BOOK_TITLES, type BookName, DiscoveredBooks } from './books.ts'
import { Checks } from './checks.ts'
import { Edition, type EditionRow } from './edition.ts'
import { Entry, idOf, type Label } from './entry.ts'
import type { OperatorToken } from './operator-list.ts'
import { Rows } from './rows.ts'
import { Sources } from './sources.ts'
import type { ListedToken, TokenSet } from './token-set.ts'

/** How much a rebuild asks for, and how long it may take. */
export interface ListBounds {
  /** From one rebuild to the next, ms. */
  readonly everyMs: number
  /** Over a rebuild, ms. */
  readonly buildMs: number
  /** Over one call, ms: two in a row end before the next rebuild begins. */
  readonly callMs: number
  /** Batches of rows; the first rebuild has none, and asks for all of the majors. */
  readonly batches: number
  readonly firstBatches: number
  readonly discoveries: number
  /** Security, per source. */
  readonly checks: number
}

const BOUNDS: ListBounds = {
  everyMs: 10_000,
  buildMs: 3_000,
  callMs: 2_500,
  batches: 5,
  firstBatches: 30,
  discoveries: 6,
  checks: 2,
}

const SETTLED = Promise.resolve()

/** Rows written before the event loop has its turn. */
const ROWS_PER_TURN = 100

export interface TokenListOptions {
  /** In the order in which they are asked for rows. */
  readonly providers: readonly MarketProvider[]
  /** The operator's tokens as they are now. */
  readonly operatorTokens: () => readonly OperatorToken[]
  /** A monotonic clock, ms. */
  readonly now: () => number
  /** Ms epoch. */
  readonly wallClock: () => number
  readonly log: Logger
  readonly bounds?: Partial<ListBounds>
}

export class TokenList implements TokenSet {
  readonly #options: TokenListOptions
  readonly #bounds: ListBounds
  readonly #sources: Sources
  readonly #discovered: DiscoveredBooks
  readonly #rows: Rows
  readonly #checks: Checks
  /** By token id, in the order of the rows. */
  #entries = new Map<string, Entry>()
  #byChain = new Map<string, Entry[]>()
  #edition: Edition | null = null
  /** Under way. */
  #rebuild: Promise<void> | null = null
  /** Monotonic, ms. */
  #startedAt = Number.NEGATIVE_INFINITY
  /** When the operator's file was read, ms epoch, with what was in it. */
  #operator: { readonly tokens: readonly OperatorToken[]; readonly at: number } | null = null
  readonly #madeAt: number

  constructor(options: TokenListOptions) {
    const { providers, now, wallClock, log } = options
    this.#options = options
    this.#bounds = { ...BOUNDS, ...options.bounds }
    this.#sources = new Sources(log, this.#bounds.callMs)
    this.#discovered = new DiscoveredBooks(providers, now, wallClock)
    this.#rows = new Rows(providers, now)
    this.#checks = new Checks(providers, now)
    this.#madeAt = wallClock()
    this.#place()
  }

  /**
   * The list, or the part of it that is in scope; see Edition. A promise only
   * where nobody has asked for it since the last rebuild.
   */
  reply(all: boolean, scope: string | null): Representation | Promise<Representation> {
    const rebuild = this.#keepCurrent()
    if (this.#edition !== null) return this.#edition.reply(all, scope)
    return rebuild.then(() => this.#edition!.reply(all, scope))
  }

  async ready(deadlineMs: number): Promise<void> {
    const rebuild = this.#keepCurrent()
    if (this.#edition === null) await atMost(deadlineMs, rebuild)
  }

  chains(): readonly string[] {
    return [...this.#byChain.keys()]
  }

  tokens(chain: string): readonly ListedToken[] {
    return this.#byChain.get(chain) ?? []
  }

  find(chain: string, address: string): ListedToken | null {
    return this.#entries.get(idOf({ chain, address })) ?? null
  }

  /** Begins a rebuild where one is due. @returns the one under way */
  #keepCurrent(): Promise<void> {
    if (this.#rebuild !== null) return this.#rebuild
    const now = this.#options.now()
    if (now - this.#startedAt < this.#bounds.everyMs) return SETTLED
    this.#startedAt = now
    this.#rebuild = this.#build(now)
      .catch((err: unknown) => this.#options.log.error({ err }, 'fault'))
      .finally(() => {
        this.#rebuild = null
      })
    return this.#rebuild
  }

  async #build(startedAt: number): Promise<void> {
    await atMost(this.#bounds.buildMs, this.#gather())
    this.#place()
    await breathe()
    const rows: EditionRow[] = []
    // Late answers may bring tokens while this is at it.
    for (const entry of [...this.#entries.values()]) {
      const { chain, book, isListed } = entry
      rows.push({ chain, book, isListed, text: entry.render(startedAt) })
      if (rows.length % ROWS_PER_TURN === 0) await breathe()
    }
    await breathe()
    const updatedAt = this.#options.wallClock()
    const edition = new Edition({ rows, books: this.#describeBooks(rows, updatedAt), updatedAt })
    await edition.reply(false, null)
    this.#edition = edition
    // In the background: what is found is in the next edition.
    this.#checks
      .check(this.#entries.values(), this.#bounds.checks, this.#sources)
      .catch((err: unknown) => this.#options.log.error({ err }, 'fault'))
  }

  async #gather(): Promise<void> {
    const { batches, firstBatches, discoveries } = this.#bounds
    const most = this.#edition === null ? firstBatches : batches
    this.#place()
    const [asked] = await Promise.all([
      this.#rows.refresh(this.#entries.values(), most, this.#sources),
      this.#discovered.ask(discoveries, this.#sources, ({ row, ...token }) => {
        const entry = this.#entryOf(token)
        if (row !== null && !entry.isQuoted) entry.refresh(row, this.#options.now())
      }),
    ])
    if (asked >= most) return
    this.#place()
    const unasked = [...this.#entries.values()].filter(({ askedAt }) => askedAt === Number.NEGATIVE_INFINITY)
    await this.#rows.refresh(unasked, most - asked, this.#sources)
  }

  /** Puts each token into its book, the first that has it, and forgets those that are in none any more. */
  #place(): void {
    const last = this.#entries
    const placed = new Map<string, Entry>()
    const place = (token: TokenId, book: BookName, label?: Label): void => {
      const id = idOf(token)
      if (placed.has(id)) return
      const entry = last.get(id) ?? new Entry(token)
      entry.place(book, label)
      placed.set(id, entry)
    }
    for (const token of this.#operatorTokens()) place(token, 'operator', withMajors(token))
    for (const [chain, majors] of MAJORS) {
      for (const major of majors) place({ chain, address: major.address }, 'majors', major)
    }
    for (const book of ['boosted', 'trending', 'new'] as const) {
      for (const token of this.#discovered.tokens(book)) place(token, book)
    }
    this.#entries = placed
    this.#byChain = new Map()
    for (const entry of placed.values()) {
      const ofChain = this.#byChain.get(entry.chain)
      if (ofChain === undefined) this.#byChain.set(entry.chain, [entry])
      else ofChain.push(entry)
    }
  }

  #entryOf(token: TokenId): Entry {
    const id = idOf(token)
    let entry = this.#entries.get(id)
    if (entry === undefined) this.#entries.set(id, (entry = new Entry(token)))
    return entry
  }

  #operatorTokens(): readonly OperatorToken[] {
    const tokens = this.#options.operatorTokens()
    if (tokens !== this.#operator?.tokens) this.#operator = { tokens, at: this.#options.wallClock() }
    return tokens
  }

  #describeBooks(rows: readonly EditionRow[], updatedAt: number): Resource['books'] {
    return BOOK_NAMES.map((book) => {
      const at = this.#bookUpdatedAt(book)
      return {
        book,
        title: BOOK_TITLES[book],
        source: this.#sourceOf(book),
        count: rows.filter((row) => row.book === book && row.isListed).length,
        updatedAt: at,
        ageMs: at === null ? null : Math.max(0, updatedAt - at),
      }
    })
  }

  #bookUpdatedAt(book: BookName): number | null {
    if (book === 'operator') return this.#operator!.at
    return book === 'majors' ? this.#madeAt : this.#discovered.updatedAt(book)
  }

  #sourceOf(book: BookName): string {
    if (book === 'operator') return 'TOKENS_FILE'
    return book === 'majors' ? 'curated' : this.#discovered.source(book)
  }
}

/** What the operator does not name is named as everywhere. */
function withMajors({ chain, address, symbol, name }: OperatorToken): Label {
  const major = MAJORS.get(chain)?.find((one) => one.address === address)
  return { symbol: symbol ?? major?.symbol ?? null, name: name ?? major?.name ?? null }
}

/** Resolves with the promise, or without it once the time is over. */
async function atMost(ms: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise, timeout])
  clearTimeout(timer)
}
