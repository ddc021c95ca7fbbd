/**
 * Prices as they change, for all who listen. While there is somebody, the token
 * list is looked at every few seconds, which has it rebuilt where it is due; what
 * changed is found once, put into words once for each set of tokens that is
 * listened to, and written to whoever listens to that set.
 *
 *   list ── every 3 s ──> tokens that changed ──> sets that hold one ──> streams
 *   unlisted ──┘
 *
 * Each change of anything has a number, and each token the number of its last
 * one. An event's id is the number as of which its reader knows everything, so
 * that whoever comes back with it gets what changed since: no event is kept for
 * that. Tokens that nobody listens to any more are remembered for a while.
 */
import { createHash } from 'node:crypto'
import { type EventStream, encodeEvent } from '../../http/events.ts'
import { idOf, type TokenId } from '../../providers/market/market.ts'
import type { Client } from '../../runtime/cancellation.ts'
import type { Clock } from '../../runtime/clock.ts'
import { inPieces } from '../../runtime/loop-share.ts'
import { isPriceStale } from '../list/price-age.ts'
import type { TokenSet } from '../list/token-set.ts'
import type { Tick } from './shapes.ts'
import type { UnlistedPrices, UnlistedToken } from './unlisted-prices.ts'

/** From one look at the list to the next. */
export const EVERY_MS = 3_000
/** How long a first listener waits for the first edition of the list, which has no prices before. */
const FIRST_MS = 4_000
/** Tokens that nobody listens to and that are remembered all the same, some 300 bytes each. */
const MAX_LEFT = 10_000
/** Of an id, 48 bits: whoever comes back with another set's id is told what he did not ask for before. */
const MARK_CHARACTERS = 8
/** Tokens that are looked at, and streams that are written to, before others may have their turn. */
const TOKENS_PER_PIECE = 256
const STREAMS_PER_PIECE = 16

const ID = /^([a-z0-9]{1,16})\.(\d{1,15})\.([\w-]{8})$/

/** A token as it was told last. */
interface WatchedToken extends UnlistedToken {
  tick: Tick
  /** Of the tick, as JSON. */
  text: string
  /** The number of its last change, and of when it was first looked at. */
  changedAt: number
  readonly since: number
  /** Whether the list has it, if only to hold it back. */
  isInList: boolean
  /** The sets that hold it and are listened to. */
  readonly sets: Set<WatchedSet>
}

/** Tokens that are listened to together. */
interface WatchedSet {
  /** Tells it from others: of the tokens in their order. */
  readonly key: string
  /** The same in ids, which are bounded. */
  readonly mark: string
  readonly tokens: readonly WatchedToken[]
  /** By listener, the number as of which it knows everything. */
  readonly streams: Map<EventStream, number>
  snapshot: { readonly at: number; readonly event: Buffer } | null
}

interface TickerOptions {
  readonly tokens: Pick<TokenSet, 'ready' | 'find'>
  /** For tokens that the list does not have. */
  readonly unlisted: Pick<UnlistedPrices, 'isDue' | 'priceOf' | 'ask'>
  readonly clock: Clock
}

export class Ticker {
  readonly #options: TickerOptions
  /** Tells this process's numbers from another's. */
  readonly #epoch = Math.random().toString(36).slice(2, 10)
  readonly #sets = new Map<string, WatchedSet>()
  readonly #watched = new Map<string, WatchedToken>()
  /** Tokens that nobody listens to, who was left longest ago first. */
  readonly #left = new Map<string, WatchedToken>()
  /** The number of the last change. */
  #number = 0
  /** When the list was last looked at, ms epoch. */
  #asOf = 0
  #callOff: (() => void) | null = null
  #isLooking = false

  constructor(options: TickerOptions) {
    this.#options = options
  }

  /** Sets of tokens that are listened to, and tokens in them. */
  get size(): { readonly sets: number; readonly tokens: number; readonly left: number } {
    return { sets: this.#sets.size, tokens: this.#watched.size, left: this.#left.size }
  }

  /** Resolves when there is an edition of the list, or waiting for it takes too long. Never rejects. */
  ready(): Promise<void> {
    return this.#options.tokens.ready(FIRST_MS)
  }

  /**
   * Begins to tell a stream of these tokens: all prices first, or where it comes back what changed since.
   * @returns ends it
   */
  listen(tokens: readonly TokenId[], stream: EventStream): () => void {
    const key = tokens.map(idOf).join()
    const knownAt = this.#knownAt(stream.lastEventId, markOf(key), tokens)
    if (this.#callOff === null && !this.#isLooking) {
      this.#asOf = this.#options.clock.date()
      this.#callOff = this.#options.clock.after(EVERY_MS, this.#round)
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

  /** The number as of which a client that comes back knows everything; null where that is not known here. */
  #knownAt(lastEventId: string | null, mark: string, tokens: readonly TokenId[]): number | null {
    const [, epoch, digits, told] = ID.exec(lastEventId ?? '') ?? []
    const number = Number(digits)
    if (epoch !== this.#epoch || told !== mark || number > this.#number) return null
    const isKnown = tokens.every((token) => {
      const id = idOf(token)
      const known = this.#watched.get(id) ?? this.#left.get(id)
      return known !== undefined && known.since <= number
    })
    return isKnown ? number : null
  }

  #setOf(key: string, tokens: readonly TokenId[]): WatchedSet {
    let set = this.#sets.get(key)
    if (set === undefined) {
      set = { key, mark: markOf(key), tokens: this.#watch(tokens), streams: new Map(), snapshot: null }
      for (const { sets } of set.tokens) sets.add(set)
      this.#sets.set(key, set)
    }
    return set
  }

  /** The tokens as they are now: those that nobody listened to may have changed since. */
  #watch(tokens: readonly TokenId[]): readonly WatchedToken[] {
    const next = this.#number + 1
    return tokens.map((token) => {
      const id = idOf(token)
      let watched = this.#watched.get(id)
      if (watched !== undefined) return watched
      watched = this.#left.get(id)
      this.#left.delete(id)
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
      this.#left.set(id, watched)
    }
    for (const id of this.#left.keys()) {
      if (this.#left.size <= MAX_LEFT) break
      this.#left.delete(id)
    }
    if (this.#sets.size > 0) return
    this.#callOff?.()
    this.#callOff = null
  }

  readonly #round = (): void => {
    this.#callOff = null
    this.#isLooking = true
    // Has it rebuilt where that is due; what comes of it is there at a later look.
    void this.#options.tokens.ready(0)
    this.#asOf = this.#options.clock.date()
    void this.#lookAtAll().then(() => {
      this.#isLooking = false
      if (this.#sets.size > 0) this.#callOff = this.#options.clock.after(EVERY_MS, this.#round)
    })
  }

  /** Finds what changed, and tells it. Fifty thousand tokens may be watched, so both are done in pieces. */
  async #lookAtAll(): Promise<void> {
    const changed = new Map<WatchedSet, WatchedToken[]>()
    const due = new Map<Client, UnlistedToken[]>()
    const all = this.#watched.values()
    await inPieces(() => {
      const next = this.#number + 1
      for (let i = 0; i < TOKENS_PER_PIECE; i++) {
        const { value: watched, done } = all.next()
        if (done) return false
        if (this.#update(watched, next)) {
          this.#number = next
          for (const set of watched.sets) put(changed, set, watched)
        }
        if (!watched.isInList && this.#options.unlisted.isDue(watched)) put(due, listenerOf(watched), watched)
      }
      return true
    })
    // What comes of it is there at a later look, too.
    if (due.size > 0) void this.#options.unlisted.ask(due)
    const events = this.#events(changed)
    await inPieces(() => {
      for (let i = 0; i < STREAMS_PER_PIECE; i++) {
        const next = events.next()
        if (next.done) return false
        const [stream, event] = next.value
        stream.send(event)
      }
      return true
    })
  }

  /** What is to be written to whom; nothing to those who came meanwhile, and know it. */
  *#events(
    changed: ReadonlyMap<WatchedSet, readonly WatchedToken[]>,
  ): Generator<readonly [EventStream, Buffer]> {
    for (const [set, tokens] of changed) {
      const event = this.#event('change', set, tokens)
      // They were found in the order of their numbers.
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

  /** Looks at a token again. @param number  of its change. @returns whether there is one */
  #update(watched: WatchedToken, number: number): boolean {
    const { token, tick: old } = watched
    const row = this.#options.tokens.find(token.chain, token.address)
    watched.isInList = row !== null
    const listed = row?.isListed === true
    // What the risk gate holds back has no price here: it may be a lure.
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

function put<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

/** One of those who listen to it: another each time, so that nobody depends on what one client has left. */
function listenerOf({ sets }: WatchedToken): Client {
  for (const set of sets) {
    sets.delete(set)
    sets.add(set)
    for (const [stream, knownAt] of set.streams) {
      set.streams.delete(stream)
      set.streams.set(stream, knownAt)
      return stream.client
    }
  }
  throw new TypeError('nobody listens to it')
}

function markOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, MARK_CHARACTERS)
}
