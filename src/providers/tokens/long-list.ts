/**
 * Reads a provider's list of thousands of tokens: megabytes, of which four fields
 * per item are needed. The list is read in pieces so as not to block the event
 * loop. Its bytes, items and tokens are bounded, because its length may change at
 * any time.
 *
 *   body ──> items ──> candidates, the best of them ──> addresses checked ──> tokens
 */
import type { ChainDefinition } from '../../chains/definition.ts'
import { type Fields, fieldsOf } from '../../chains/json/fields.ts'
import { Items } from '../../chains/json/member.ts'
import { parsedOrNone } from '../../chains/json/parse.ts'
import { MAJORS } from '../../chains/majors.ts'
import { inPieces } from '../../flow/loop-share.ts'
import type { UpstreamRequest } from '../../upstream/request.ts'
import { get } from '../requests.ts'
import { knownToken } from './known-token.ts'
import type { KnownToken } from './token-source.ts'

/** Items that are read. A longer list contains everything, or is an attack. */
const MAX_ITEMS = 20_000
/** A few hundred microseconds of work: parsing an item and checking an address cost about the same. */
const ITEMS_A_PIECE = 16
const BYTES_A_PIECE = 32 * 1024
const MAX_ITEM_BYTES = 64 * 1024

/** An item of the list that its source accepts. */
export interface ListCandidate {
  /** Contains `address`, `symbol`, `name` and `decimals`. */
  readonly item: Fields
  readonly isVouched: boolean
  /** If there are too many candidates, those with the lowest ranks are kept. */
  readonly rank: number
}

interface LongList {
  readonly path: string
  readonly chain: ChainDefinition
  readonly maxBytes: number
  readonly maxTokens: number
  /** @returns the offset of the array, or -1 */
  find(body: Buffer): number
  /** @returns null for an item to skip */
  read(item: Fields): ListCandidate | null
}

export function longList(list: LongList): UpstreamRequest<readonly KnownToken[]> {
  const parsers = new WeakMap<Buffer, LongListParser>()
  return {
    ...get<readonly KnownToken[]>(list.path, (body) => {
      const parser = parsers.get(body) ?? new LongListParser(list, body)
      while (parser.next());
      return parser.tokens.size === 0 ? null : [...parser.tokens.values()]
    }),
    maxBytes: list.maxBytes,
    prepare(body) {
      const parser = new LongListParser(list, body)
      parsers.set(body, parser)
      return inPieces(() => parser.next())
    },
  }
}

class LongListParser {
  readonly tokens = new Map<string, KnownToken>()
  readonly #list: LongList
  readonly #body: Buffer
  readonly #items: Items
  readonly #candidates: ListCandidate[] = []
  #seen = 0
  /** The candidates by rank, once all are known. */
  #best: Iterator<ListCandidate> | null = null

  constructor(list: LongList, body: Buffer) {
    this.#list = list
    this.#body = body
    const start = list.find(body)
    this.#items = new Items(body, start === -1 ? body.length : start)
  }

  /** Does the next piece of work. @returns false if all work is done */
  next(): boolean {
    if (this.#best !== null) return this.#take(this.#best)
    if (!this.#collect()) this.#best = this.#candidates.sort((a, b) => a.rank - b.rank).values()
    return true
  }

  /** @returns false after the last item */
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

  /** @returns false after the last candidate */
  #take(best: Iterator<ListCandidate>): boolean {
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

/** Drops the rest of an item: there are thousands of items with a kilobyte each. */
const identityOf = ({ address, symbol, name, decimals, logoURI, icon }: Fields): Fields => ({
  address,
  symbol,
  name,
  decimals,
  logoURI,
  icon,
})

/** @returns null if it is not a token of the chain, or if it imitates a major and is not vouched for */
function tokenOf(chain: ChainDefinition, { item, isVouched }: ListCandidate): KnownToken | null {
  const token = knownToken(chain, item, isVouched)
  return token === null || (!isVouched && imitates(token)) ? null : token
}

/**
 * Whether its symbol is confusable with that of a native coin, its wrapper or a stablecoin at another
 * address.
 */
function imitates({ chain, address, symbol }: KnownToken): boolean {
  const looks = plain(symbol)
  return MAJORS.get(chain)!.some((major) => plain(major.symbol) === looks && major.address !== address)
}

const plain = (symbol: string): string =>
  symbol
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
