/**
 * A provider's list of thousands of tokens: megabytes, of which four fields an
 * item are wanted. It is gone over in pieces that leave the event loop to
 * others, and bounded in bytes, items and tokens, because nobody knows how
 * long it is today.
 *
 *   body ──> items ──> candidates, the best of them ──> addresses checked ──> tokens
 */
import type { ChainDefinition } from '../../chains/definition.ts'
import { Items } from '../../chains/json/member.ts'
import { parsedOrNone } from '../../chains/json/parse.ts'
import { MAJORS } from '../../chains/majors.ts'
import { inPieces } from '../../runtime/loop-share.ts'
import type { UpstreamRequest } from '../../upstream/call.ts'
import { type Fields, fieldsOf } from '../market/fields.ts'
import { knownToken } from './known-token.ts'
import type { KnownToken } from './token-source.ts'

/** Items that are looked at: more are a list of everything, or an attack. */
const MAX_ITEMS = 20_000
/** Some hundred microseconds: parsing an item takes some, and the checksum of an address as many. */
const ITEMS_A_PIECE = 16
const BYTES_A_PIECE = 32 * 1024
const MAX_ITEM_BYTES = 64 * 1024

/** An item of the list, as its source reads it. */
export interface Candidate {
  /** With its address, symbol, name and decimals by these names. */
  readonly item: Fields
  readonly isVouched: boolean
  /** The lowest are kept, where there are too many. */
  readonly rank: number
}

export interface LongList {
  readonly path: string
  readonly chain: ChainDefinition
  readonly maxBytes: number
  readonly maxTokens: number
  /** @returns where the array begins, or -1 */
  find(body: Buffer): number
  /** @returns null for an item that is not wanted */
  read(item: Fields): Candidate | null
}

export function longList(list: LongList): UpstreamRequest<readonly KnownToken[]> {
  const long = new WeakMap<Buffer, Reading>()
  return {
    method: 'GET',
    path: list.path,
    body: null,
    resend: true,
    maxBytes: list.maxBytes,
    prepare(body) {
      const reading = new Reading(list, body)
      long.set(body, reading)
      return inPieces(() => reading.goOn())
    },
    read(status, body) {
      if (status !== 200) return null
      const reading = long.get(body) ?? new Reading(list, body)
      while (reading.goOn());
      return reading.tokens.size === 0 ? null : [...reading.tokens.values()]
    },
  }
}

class Reading {
  readonly tokens = new Map<string, KnownToken>()
  readonly #list: LongList
  readonly #body: Buffer
  readonly #items: Items
  readonly #candidates: Candidate[] = []
  #seen = 0
  /** The candidates, once all are known. */
  #best: Iterator<Candidate> | null = null

  constructor(list: LongList, body: Buffer) {
    this.#list = list
    this.#body = body
    const start = list.find(body)
    this.#items = new Items(body, start === -1 ? body.length : start)
  }

  /** Does a piece of the work. @returns false when all of it is done */
  goOn(): boolean {
    if (this.#best !== null) return this.#take(this.#best)
    if (!this.#collect()) this.#best = this.#candidates.sort((a, b) => a.rank - b.rank).values()
    return true
  }

  /** @returns false behind the last item */
  #collect(): boolean {
    for (let i = 0, bytes = 0; i < ITEMS_A_PIECE && bytes < BYTES_A_PIECE; i++) {
      const item = this.#items.next()
      if (item === null || this.#seen++ === MAX_ITEMS) return false
      bytes += item.end - item.start
      if (item.end - item.start > MAX_ITEM_BYTES) continue
      const candidate = this.#list.read(fieldsOf(parsedOrNone(this.#body.subarray(item.start, item.end))))
      if (candidate !== null) this.#candidates.push({ ...candidate, item: identityOf(candidate.item) })
    }
    return true
  }

  /** @returns false behind the last candidate */
  #take(best: Iterator<Candidate>): boolean {
    const { chain, maxTokens } = this.#list
    for (let i = 0; i < ITEMS_A_PIECE; i++) {
      const next = best.next()
      if (next.done || this.tokens.size === maxTokens) return false
      const token = tokenOf(chain, next.value)
      if (token !== null && !this.tokens.has(token.address)) this.tokens.set(token.address, token)
    }
    return true
  }
}

/** The rest of an item is let go of: there are thousands, of a kilobyte each. */
const identityOf = ({ address, symbol, name, decimals }: Fields): Fields => ({
  address,
  symbol,
  name,
  decimals,
})

/** @returns null for what is no token of the chain, and whoever takes a major's name without being vouched for */
function tokenOf(chain: ChainDefinition, { item, isVouched }: Candidate): KnownToken | null {
  const token = knownToken(chain, item, isVouched)
  return token === null || (!isVouched && imitates(token)) ? null : token
}

/** Whether it looks like the symbol of a native coin, its wrapper or a stablecoin, and is another token. */
function imitates({ chain, address, symbol }: KnownToken): boolean {
  const looks = plain(symbol)
  return MAJORS.get(chain)!.some((major) => plain(major.symbol) === looks && major.address !== address)
}

const plain = (symbol: string): string =>
  symbol
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
