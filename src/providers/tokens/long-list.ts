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
import type { UpstreamRequest } from '../../upstream/request.ts'
import { getInPieces } from '../requests.ts'
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

export const longList = (list: LongList): UpstreamRequest<readonly KnownToken[]> =>
  getInPieces(list.path, list.maxBytes, (body) => tokensIn(list, body))

function* tokensIn({ chain, maxTokens, find, read }: LongList, body: Buffer) {
  const candidates: ListCandidate[] = []
  const start = find(body)
  const items = new Items(body, start === -1 ? body.length : start)
  let bytes = 0
  for (let seen = 1; seen <= MAX_ITEMS; seen++) {
    const item = items.next()
    if (item === null) break
    const text = body.subarray(item.start, item.end)
    const candidate = text.length > MAX_ITEM_BYTES ? null : read(fieldsOf(parsedOrNone(text)))
    if (candidate !== null) candidates.push({ ...candidate, item: identityOf(candidate.item) })
    bytes += text.length
    if (seen % ITEMS_A_PIECE > 0 && bytes < BYTES_A_PIECE) continue
    bytes = 0
    yield
  }
  const tokens = new Map<string, KnownToken>()
  for (const [i, candidate] of candidates.sort((a, b) => a.rank - b.rank).entries()) {
    if (tokens.size === maxTokens) break
    const token = tokenOf(chain, candidate)
    if (token !== null && !tokens.has(token.address)) tokens.set(token.address, token)
    if ((i + 1) % ITEMS_A_PIECE === 0) yield
  }
  return tokens.size === 0 ? null : [...tokens.values()]
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
