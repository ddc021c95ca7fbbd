/**
 * Streams of price changes. While there are streams, the token list is read
 * every few seconds. Changes are found once, serialized once per set of tokens,
 * and written to the streams of that set.
 *
 *   list ── every 3 s ──> tokens that changed ──> sets that hold one ──> streams
 *   unlisted ──┘
 *
 * Changes are numbered, and each token has the number of its last change. An
 * event's id is the number up to which its client knows everything, so a client
 * that reconnects with it gets the changes since then; no event is stored.
 * Tokens without a stream are remembered for a while.
 */

import { createHash } from 'node:crypto'
import type { Client } from '../../flow/cancellation.ts'
import { eachInPieces } from '../../flow/loop-share.ts'
import { type EventStream, encodeEvent } from '../../http/reply/events.ts'
import { idOf, type TokenId } from '../../providers/market/market.ts'
import { boundedCache } from '../../runtime/bounded-cache.ts'
import type { Clock } from '../../runtime/clock.ts'
import { addToList, getOrInsert } from '../../runtime/lists.ts'
import { isPriceStale } from '../list/price-age.ts'
import type { TokenSet } from '../list/token-set.ts'
import type { Tick } from './shapes.ts'
import type { UnlistedPrices, UnlistedToken } from './unlisted-prices.ts'

/** From one read of the list to the next, ms. */
export const EVERY_MS = 3_000
/** How long the first stream waits for the first build of the list, which has no prices before that; ms. */
const FIRST_MS = 4_000
/** The most tokens remembered without a stream, about 300 bytes each. */
const MAX_ABANDONED = 10_000
/** 48 bits of a set's hash in each event id: a client that reconnects with another set's id gets a snapshot. */
const MARK_CHARACTERS = 8
/** Tokens compared, and streams written to, between two yields to the event loop. */
const TOKENS_PER_PIECE = 256
const STREAMS_PER_PIECE = 16

const ID = /^([a-z0-9]{1,16})\.(\d{1,15})\.([\w-]{8})$/

/** A token with the last price that was sent. */
interface WatchedToken extends UnlistedToken {
  tick: Tick
  /** The tick as JSON. */
  text: string
  /** The numbers of its last change, and of when it was first watched. */
  changedAt: number
  readonly since: number
  /** Whether the list has it, rejected or not. */
  isInList: boolean
  /** The sets with streams that hold it. */
  readonly sets: Set<WatchedSet>
}

/** The tokens of one or more streams. */
interface WatchedSet {
  /** Identifies the set: the ids of its tokens, in order. */
  readonly key: string
  /** The key's hash, short enough for event ids. */
  readonly mark: string
  readonly tokens: readonly WatchedToken[]
  /** By stream, the number up to which it knows everything. */
  readonly streams: Map<EventStream, number>
  snapshot: { readonly at: number; readonly event: Buffer } | null
}

interface TickerOptions {
  readonly tokens: Pick<TokenSet, 'ready' | 'find'>
  /** Prices of tokens that the list does not have. */
  readonly unlisted: Pick<UnlistedPrices, 'isDue' | 'priceOf' | 'ask'>
  readonly clock: Clock
}

export class Ticker {
  readonly #options: TickerOptions
  /** Distinguishes this process's numbers from another's. */
  readonly #epoch = Math.random().toString(36).slice(2, 10)
  readonly #sets = new Map<string, WatchedSet>()
  readonly #watched = new Map<string, WatchedToken>()
  /** Tokens without a stream, the longest abandoned first. */
  readonly #abandoned = boundedCache<string, WatchedToken>({ max: MAX_ABANDONED })
  /** The number of the last change. */
  #number = 0
  /** When the list was last read, ms epoch. */
  #asOf = 0
  /** Cancels the timer of the next round; null if none is set. */
  #cancelTimer: (() => void) | null = null
  #isReading = false

  constructor(options: TickerOptions) {
    this.#options = options
  }

  /** The numbers of sets with streams, of their tokens, and of remembered tokens without one. */
  get size(): { readonly sets: number; readonly tokens: number; readonly left: number } {
    return { sets: this.#sets.size, tokens: this.#watched.size, left: this.#abandoned.size }
  }

  /** Resolves when the list has been built, or waiting for it takes too long. Never rejects. */
  ready(): Promise<void> {
    return this.#options.tokens.ready(FIRST_MS)
  }

  /**
   * Subscribes a stream to these tokens. It gets all prices first, or, if it reconnects, the changes since.
   * @returns a function that ends the subscription
   */
  listen(tokens: readonly TokenId[], stream: EventStream): () => void {
    const key = tokens.map(idOf).join()
    const knownAt = this.#knownAt(stream.lastEventId, markOf(key), tokens)
    if (this.#cancelTimer === null && !this.#isReading) {
      this.#asOf = this.#options.clock.date()
      this.#cancelTimer = this.#options.clock.after(EVERY_MS, this.#round)
    }
    const set = this.#setOf(key, tokens)
    if (knownAt === null) stream.send(this.#snapshot(set))
    else {
      const changed = set.tokens.filter(({ changedAt }) => changedAt > knownAt)
      if (changed.length > 0) stream.send(this.#event('change', set, changed))
    }
    set.streams.set(stream, this.#number)
    return () => this.#leave(set, stream)
  }

  /** The number up to which a reconnecting client knows everything; null if this process does not know. */
  #knownAt(lastEventId: string | null, mark: string, tokens: readonly TokenId[]): number | null {
    const [, epoch, digits, sentMark] = ID.exec(lastEventId ?? '') ?? []
    const number = Number(digits)
    if (epoch !== this.#epoch || sentMark !== mark || number > this.#number) return null
    const isKnown = tokens.every((token) => {
      const id = idOf(token)
      const known = this.#watched.get(id) ?? this.#abandoned.peek(id)
      return known !== undefined && known.since <= number
    })
    return isKnown ? number : null
  }

  #setOf(key: string, tokens: readonly TokenId[]): WatchedSet {
    return getOrInsert(this.#sets, key, () => {
      const watched = this.#watch(tokens)
      const set: WatchedSet = { key, mark: markOf(key), tokens: watched, streams: new Map(), snapshot: null }
      for (const { sets } of watched) sets.add(set)
      return set
    })
  }

  /** Watches the tokens. Those that had no stream are updated first: they may have changed. */
  #watch(tokens: readonly TokenId[]): readonly WatchedToken[] {
    const next = this.#number + 1
    return tokens.map((token) => {
      const id = idOf(token)
      let watched = this.#watched.get(id)
      if (watched !== undefined) return watched
      watched = this.#abandoned.get(id)
      this.#abandoned.delete(id)
      if (watched === undefined) {
        watched = unseen(token, next)
        this.#number = next
        this.#update(watched, next)
      } else if (this.#update(watched, next)) this.#number = next
      this.#watched.set(id, watched)
      return watched
    })
  }

  #leave(set: WatchedSet, stream: EventStream): void {
    set.streams.delete(stream)
    if (set.streams.size > 0) return
    this.#sets.delete(set.key)
    for (const watched of set.tokens) {
      watched.sets.delete(set)
      if (watched.sets.size > 0) continue
      const id = idOf(watched.token)
      this.#watched.delete(id)
      this.#abandoned.set(id, watched)
    }
    if (this.#sets.size > 0) return
    this.#cancelTimer?.()
    this.#cancelTimer = null
  }

  readonly #round = (): void => {
    this.#cancelTimer = null
    this.#isReading = true
    // The list is rebuilt more often while it is read.
    void this.#options.tokens.ready(0)
    this.#asOf = this.#options.clock.date()
    void this.#readAll().then(() => {
      this.#isReading = false
      if (this.#sets.size > 0) this.#cancelTimer = this.#options.clock.after(EVERY_MS, this.#round)
    })
  }

  /** Finds and sends the changes, in pieces: fifty thousand tokens may be watched. */
  async #readAll(): Promise<void> {
    const changed = new Map<WatchedSet, WatchedToken[]>()
    const due = new Map<Client, UnlistedToken[]>()
    await eachInPieces(this.#watched.values(), TOKENS_PER_PIECE, (watched) => {
      const next = this.#number + 1
      if (this.#update(watched, next)) {
        this.#number = next
        for (const set of watched.sets) addToList(changed, set, watched)
      }
      if (!watched.isInList && this.#options.unlisted.isDue(watched))
        addToList(due, clientOf(watched), watched)
    })
    // A later round sees these prices, too.
    if (due.size > 0) void this.#options.unlisted.ask(due)
    await eachInPieces(this.#events(changed), STREAMS_PER_PIECE, ([stream, event]) => stream.send(event))
  }

  /**
   * The events to write, by stream. A stream that was opened in the meantime knows the changes already and
   * gets none.
   */
  *#events(
    changed: ReadonlyMap<WatchedSet, readonly WatchedToken[]>,
  ): Generator<readonly [EventStream, Buffer]> {
    for (const [set, tokens] of changed) {
      const event = this.#event('change', set, tokens)
      // Tokens are in the order of their numbers.
      const number = tokens.at(-1)!.changedAt
      for (const [stream, knownAt] of set.streams) {
        if (knownAt >= number) continue
        set.streams.set(stream, number)
        yield [stream, event]
      }
    }
  }

  #snapshot(set: WatchedSet): Buffer {
    if (set.snapshot?.at !== this.#number) {
      set.snapshot = { at: this.#number, event: this.#event('snapshot', set, set.tokens) }
    }
    return set.snapshot.event
  }

  #event(name: 'snapshot' | 'change', set: WatchedSet, tokens: readonly WatchedToken[]): Buffer {
    const prices = tokens.map(({ text }) => text).join()
    const id = `${this.#epoch}.${this.#number}.${set.mark}`
    return encodeEvent(name, `{"prices":[${prices}],"asOf":${this.#asOf}}`, id)
  }

  /** Updates a token. @param number  the number that a change gets. @returns whether it changed */
  #update(watched: WatchedToken, number: number): boolean {
    const { token, tick: old } = watched
    const row = this.#options.tokens.find(token.chain, token.address)
    watched.isInList = row !== null
    const listed = row?.isListed === true
    // A token that the risk filter rejects has no price here: the price may be a lure.
    const { price, priceTs } =
      (row === null ? this.#options.unlisted.priceOf(watched) : listed && row) || UNPRICED
    const priceStale = isPriceStale(priceTs, this.#asOf)
    const isSame = price === old.price && priceTs === old.priceTs && priceStale === old.priceStale
    if (isSame && listed === old.listed) return false
    watched.tick = { ...token, listed, price, priceTs, priceStale }
    watched.text = JSON.stringify(watched.tick)
    watched.changedAt = number
    return true
  }
}

const UNPRICED = { price: null, priceTs: null }

function unseen(token: TokenId, number: number): WatchedToken {
  const tick = { ...token, listed: false, ...UNPRICED, priceStale: false }
  return {
    token,
    tick,
    text: JSON.stringify(tick),
    changedAt: number,
    since: number,
    isInList: false,
    askedAt: Number.NEGATIVE_INFINITY,
    found: null,
    sets: new Set(),
  }
}

/** The client of one of its streams, another one each time, so that a token does not depend on one client's budget. */
function clientOf({ sets }: WatchedToken): Client {
  for (const set of sets) {
    sets.delete(set)
    sets.add(set)
    for (const [stream, knownAt] of set.streams) {
      set.streams.delete(stream)
      set.streams.set(stream, knownAt)
      return stream.client
    }
  }
  throw new TypeError('the token has no stream')
}

function markOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, MARK_CHARACTERS)
}
