/**
 * The books, the lists that make up the token list. Two are given: the
 * operator's and the majors. The other three are discovered and hold the tokens
 * that their sources named last. A token in several books has its row in the
 * first of them.
 *
 * Source: §2 TokenList `books`
 */

import { findChain } from '../../chains/find.ts'
import {
  type Discovered,
  type DiscoveredBook,
  type Discovery,
  idOf,
  type MarketProvider,
  type TokenId,
} from '../../providers/market/market.ts'
import { type BoundedCache, boundedCache } from '../../runtime/bounded-cache.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { AskMarket } from './market-calls.ts'

/** The books, in the order of their rows. */
export const BOOK_NAMES = ['operator', 'majors', 'boosted', 'trending', 'new'] as const
export type BookName = (typeof BOOK_NAMES)[number]

export const BOOK_TITLES: Readonly<Record<BookName, string>> = {
  operator: "The operator's own tokens",
  majors: 'Native coins, wrapped native coins and stablecoins',
  boosted: 'Tokens that somebody pays to promote',
  trending: 'Trending tokens',
  new: 'Tokens of new pools',
}

/** A book in the list's answer, without its rows. */
export interface BookSummary {
  readonly book: BookName
  readonly source: string
  /** Ms epoch; null if no source has answered yet. */
  readonly updatedAt: number | null
}

/** Together with about 65 majors this makes about 500 rows, not counting the operator's. */
const MAX_TOKENS: Readonly<Record<DiscoveredBook, number>> = { boosted: 80, trending: 200, new: 160 }
/** Most tokens that one answer may add: on one chain, so that each chain gets its share, and over all chains. */
const MAX_PER_CHAIN = 10
const MAX_PER_ANSWER = 60
/** A token leaves its book when no source has named it for this long. */
const KEEP_MS = 86_400_000
/** A source that failed is asked again after this long at the latest. */
const RETRY_MS = 60_000

/** A discovery, or its part for one chain, and when it is asked next. */
interface DueDiscovery {
  readonly provider: string
  readonly discovery: Discovery
  readonly chain: string | null
  dueAt: number
}

export class DiscoveredBooks {
  readonly #questions: readonly DueDiscovery[]
  readonly #askMarket: AskMarket
  readonly #clock: Clock
  readonly #serves: (chain: string) => boolean
  /** By token id. */
  readonly #finds: Readonly<Record<DiscoveredBook, BoundedCache<string, TokenId>>>
  readonly #updatedAt: Record<DiscoveredBook, number | null> = { boosted: null, trending: null, new: null }

  /** @param serves  whether a chain has rows */
  constructor(
    providers: readonly MarketProvider[],
    askMarket: AskMarket,
    clock: Clock,
    serves: (chain: string) => boolean = () => true,
  ) {
    this.#questions = inTurn(providers, clock.now()).filter(({ chain }) => chain === null || serves(chain))
    this.#serves = (chain) => findChain(chain) !== null && serves(chain)
    this.#askMarket = askMarket
    this.#clock = clock
    const finds = (book: DiscoveredBook) =>
      boundedCache<string, TokenId>({ max: MAX_TOKENS[book], ttlMs: KEEP_MS, clock })
    this.#finds = { boosted: finds('boosted'), trending: finds('trending'), new: finds('new') }
  }

  /**
   * Asks the discoveries that are due. The first is the one that is overdue by
   * the largest multiple of its interval.
   * @param onFound  called with each token of each answer and its source, as it arrives
   */
  async ask(maxCalls: number, onFound: (found: Discovered, source: string) => void): Promise<void> {
    const nowMs = this.#clock.now()
    const due = this.#questions
      .filter(({ dueAt }) => dueAt <= nowMs)
      .sort((a, b) => intervalsOverdue(b, nowMs) - intervalsOverdue(a, nowMs))
      .slice(0, maxCalls)
    await Promise.all(
      due.map(async (question) => {
        for (const found of await this.#ask(question)) onFound(found, question.provider)
      }),
    )
  }

  /** @returns the tokens added to the book, best last; none if the source failed */
  async #ask(question: DueDiscovery): Promise<readonly Discovered[]> {
    const { provider, discovery, chain } = question
    const { book, everyMs } = discovery
    question.dueAt = this.#clock.now() + Math.min(everyMs, RETRY_MS)
    const answer = await this.#askMarket(provider, (options) => discovery.ask(chain, options))
    if (answer === undefined) return []
    question.dueAt = this.#clock.now() + everyMs
    this.#updatedAt[book] = this.#clock.date()
    const known = answer.filter((found) => this.#serves(found.chain))
    // The best token goes in last, so it is evicted last.
    const found = known.slice(0, chain === null ? MAX_PER_ANSWER : MAX_PER_CHAIN).toReversed()
    for (const { chain, address } of found)
      this.#finds[book].set(idOf({ chain, address }), { chain, address })
    return found
  }

  /** The tokens of a discovered book, newest first. */
  tokens(book: DiscoveredBook): readonly TokenId[] {
    return [...this.#finds[book].values()]
  }

  /** When one of the book's sources last answered, ms epoch; null if none has. */
  updatedAt(book: DiscoveredBook): number | null {
    return this.#updatedAt[book]
  }

  /** The titles of the book's sources, separated by commas. */
  source(book: DiscoveredBook): string {
    const titles = this.#questions.filter(({ discovery }) => discovery.book === book)
    return [...new Set(titles.map(({ discovery }) => discovery.title))].join(', ')
  }
}

/**
 * The discoveries in the order in which they are asked: those that cover all
 * chains, then the first chain of each of the others, the second, and so on.
 */
function inTurn(providers: readonly MarketProvider[], dueAt: number): readonly DueDiscovery[] {
  const discoveries = providers.flatMap(({ label, discoveries = [] }) =>
    discoveries.map((discovery) => ({ provider: label, discovery })),
  )
  const rounds = Math.max(0, ...discoveries.map(({ discovery }) => discovery.chains?.length ?? 1))
  const ofAll = discoveries
    .filter(({ discovery }) => discovery.chains === null)
    .map((one) => ({ ...one, chain: null, dueAt }))
  const ofOne = Array.from({ length: rounds }, (_, i) =>
    discoveries.flatMap((one) => {
      const chain = one.discovery.chains?.[i]
      return chain === undefined ? [] : [{ ...one, chain, dueAt }]
    }),
  )
  return [...ofAll, ...ofOne.flat()]
}

function intervalsOverdue({ dueAt, discovery }: DueDiscovery, nowMs: number): number {
  return (nowMs - dueAt) / discovery.everyMs
}
