/**
 * Cursors of paged lists, which the client keeps until it asks for the next page.
 *
 * A cursor holds the position of the last item on the page, not a count of items: items that are added or
 * removed before it shift nothing, and the item itself may be gone. It is sealed together with its list and
 * filters, so a cursor that was edited, or that belongs to another list, is refused and never misread.
 *
 *   cursor   base64url of   MAC, 16 bytes | position, as JSON
 */
import { invalidParameter } from './errors.ts'
import { Mac } from './mac.ts'

/**
 * An item's position in a list ordered by descending key, then by id. All keys of a list have one type:
 * numbers, or strings that compare in the list's order.
 */
export type ListPosition = readonly [key: string | number, id: string]

/** Comparator for sorting a list into this order. */
export function comparePositions([key, id]: ListPosition, [otherKey, otherId]: ListPosition): number {
  if (key !== otherKey) return key > otherKey ? -1 : 1
  return id === otherId ? 0 : id < otherId ? -1 : 1
}

export interface Page<T> {
  readonly items: readonly T[]
  /** The position of the last item; null if nothing follows it. */
  readonly end: ListPosition | null
}

/**
 * @param items  all items, sorted by position
 * @param after  the position that the page follows; null for the first page
 */
export function pageOf<T>(
  items: readonly T[],
  positionOf: (item: T) => ListPosition,
  after: ListPosition | null,
  limit: number,
): Page<T> {
  const first = after === null ? 0 : items.findIndex((item) => comparePositions(positionOf(item), after) > 0)
  if (first === -1) return { items: [], end: null }
  const page = items.slice(first, first + limit)
  return { items: page, end: first + limit < items.length ? positionOf(page.at(-1)!) : null }
}

/** Half of the MAC, 128 bits, is enough (RFC 2104 §5). */
const MAC_BYTES = 16
/** Longer than any of our cursors. */
export const MAX_CURSOR_LENGTH = 1_024

export class Cursors {
  readonly #mac: Mac

  /** @param secret  shared by instances that accept each other's cursors; null: random, for this process */
  constructor(secret: string | null) {
    this.#mac = Mac.for('cursor', secret)
  }

  /** @param list  identifies the list and its filters */
  write(list: string, position: ListPosition): string {
    const text = JSON.stringify(position)
    const mac = this.#mac.of(...sealed(list, text)).subarray(0, MAC_BYTES)
    return Buffer.concat([mac, Buffer.from(text)]).toString('base64url')
  }

  /**
   * @param field  the name of the request's parameter
   * @throws 400   invalid_parameter, unless `write` issued the cursor for this list
   */
  read(list: string, cursor: string, field = 'cursor'): ListPosition {
    const bytes = Buffer.from(cursor, 'base64url')
    const text = bytes.toString('utf8', MAC_BYTES)
    // Decoding is lenient, so only the exact text that was issued is accepted.
    const isSpelled = bytes.toString('base64url') === cursor
    if (!isSpelled || !this.#mac.isOf(bytes.subarray(0, MAC_BYTES), MAC_BYTES, ...sealed(list, text))) {
      const message = `\`${field}\` must be an unchanged \`next\` from an answer to the same path with the same filters.`
      throw invalidParameter(field, message)
    }
    return JSON.parse(text) as ListPosition
  }
}

/** A JSON array, so that the boundary between the two is unambiguous. */
const sealed = (list: string, position: string): [string] => [JSON.stringify([list, position])]
