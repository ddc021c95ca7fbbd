/**
 * Where a list was left off, in its caller's hands until the next page is asked for.
 *
 * A cursor holds the place of the last item that was given, not a count of items: what is added or removed
 * before that place moves nothing, and the item itself may be gone. It is sealed together with the list that it
 * is of, filters included, so that one that was edited, or is of another list, is refused and never misread.
 *
 *   cursor   base64url of   MAC, 16 bytes | place, as JSON
 */
import { invalidParameter } from './errors.ts'
import { Mac } from './mac.ts'

/**
 * An item's place in a list that is ordered from the largest key down, and where keys are equal by id. Keys of
 * one list are of one type: numbers, or texts that order as they stand.
 */
export type ListPosition = readonly [key: string | number, id: string]

/** For sorting a list into its order. */
export function comparePositions([key, id]: ListPosition, [otherKey, otherId]: ListPosition): number {
  if (key !== otherKey) return key > otherKey ? -1 : 1
  return id === otherId ? 0 : id < otherId ? -1 : 1
}

export interface Page<T> {
  readonly items: readonly T[]
  /** The place of the last item; null where nothing follows it. */
  readonly end: ListPosition | null
}

/**
 * @param items  in the order of their places
 * @param after  null for the first page
 */
export function pageOf<T>(
  items: readonly T[],
  placeOf: (item: T) => ListPosition,
  after: ListPosition | null,
  limit: number,
): Page<T> {
  const first = after === null ? 0 : items.findIndex((item) => comparePositions(placeOf(item), after) > 0)
  if (first === -1) return { items: [], end: null }
  const page = items.slice(first, first + limit)
  return { items: page, end: first + limit < items.length ? placeOf(page.at(-1)!) : null }
}

/** Half of the MAC: 128 bits, which nobody guesses (RFC 2104 §5). */
const MAC_BYTES = 16
/** More than any place of ours takes. */
export const MAX_CURSOR_LENGTH = 1_024

export class Cursors {
  readonly #mac: Mac

  /** @param secret  shared by instances that take each other's cursors; null for one that dies with the process */
  constructor(secret: string | null) {
    this.#mac = Mac.for('cursor', secret)
  }

  /** @param list  tells it from every other list, and from itself under other filters */
  write(list: string, place: ListPosition): string {
    const text = JSON.stringify(place)
    const mac = this.#mac.of(...sealed(list, text)).subarray(0, MAC_BYTES)
    return Buffer.concat([mac, Buffer.from(text)]).toString('base64url')
  }

  /**
   * @param field  the parameter that it came in
   * @throws 400   invalid_parameter, for what `write` did not give out for this list
   */
  read(list: string, cursor: string, field = 'cursor'): ListPosition {
    const bytes = Buffer.from(cursor, 'base64url')
    const text = bytes.toString('utf8', MAC_BYTES)
    // Decoding is lenient: only the one spelling that was given out is taken.
    const isSpelled = bytes.toString('base64url') === cursor
    if (!isSpelled || !this.#mac.isOf(bytes.subarray(0, MAC_BYTES), MAC_BYTES, ...sealed(list, text))) {
      const message = `\`${field}\` must be the \`next\` of an answer to the same path with the same filters, unchanged.`
      throw invalidParameter(field, message)
    }
    return JSON.parse(text) as ListPosition
  }
}

/** As a JSON array the two cannot run into each other. */
const sealed = (list: string, place: string): [string] => [JSON.stringify([list, place])]
