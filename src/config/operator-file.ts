/** Opens, reads and reloads the operator's files, such as SANCTIONS_FILE and TOKENS_FILE. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { finish, finishInPieces, PIECE_BYTES } from '../flow/loop-share.ts'
import type { Logger } from '../runtime/log.ts'

const NEWLINE = 0x0a
/** A byte order mark at the beginning of a text has no meaning. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/**
 * Reads a file of the operator's, in pieces. Only a regular file is read: a pipe or a device may never end,
 * and would stop the service. The bound applies to the bytes read, because a file may grow.
 *
 * @returns its bytes, without a byte order mark
 * @throws RangeError  says why it cannot be read, and quotes nothing from it
 */
export function* readOperatorFile(path: string, maxBytes: number): Generator<void, Buffer, void> {
  let file: number | null = null
  try {
    // Without waiting for the other end of a pipe.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    if (!fstatSync(file).isFile()) throw new RangeError('It must be a regular file.')
    const bytes = yield* bytesOf(file, maxBytes)
    return bytes.indexOf(BYTE_ORDER_MARK) === 0 ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes
  } catch (error) {
    if (error instanceof RangeError) throw error
    throw new RangeError(`The file cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  } finally {
    if (file !== null) closeSync(file)
  }
}

function* bytesOf(file: number, maxBytes: number): Generator<void, Buffer, void> {
  const pieces: Buffer[] = []
  for (let left = maxBytes; ; ) {
    const piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
    const count = readSync(file, piece)
    if (count === 0) return Buffer.concat(pieces)
    left -= count
    if (left < 0) throw new RangeError(`The file must be at most ${maxBytes} bytes.`)
    pieces.push(piece.subarray(0, count))
    yield
  }
}

/** The lines that are not blank, counted from 1. */
export function* linesOf(bytes: Buffer): Generator<[line: number, text: Buffer]> {
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(NEWLINE, start)
    const end = newline === -1 ? bytes.length : newline
    const text = bytes.subarray(start, end)
    if (text.some((byte) => byte > 0x20)) yield [line, text]
    start = end + 1
  }
}

/** The value read from files, as of the last time that all of them were good. */
export class FromFiles<T> {
  readonly #what: string
  readonly #read: (before: T | null) => Generator<void, T, void>
  readonly #log: Logger
  #value: T

  /**
   * @param what  names it in the log
   * @param read  reads it in pieces; throws a ConfigError that says which file is bad, and why
   * @throws ConfigError  of the first reading
   */
  constructor(what: string, read: (before: T | null) => Generator<void, T, void>, log: Logger) {
    this.#what = what
    this.#read = read
    this.#log = log
    // At the start no request is waiting.
    this.#value = finish(read(null))
  }

  get value(): T {
    return this.#value
  }

  /**
   * Reads the files again while requests continue. If one is bad, the value stays as it was and the log says
   * why.
   * @returns whether all of them were good
   */
  async reload(): Promise<boolean> {
    try {
      this.#value = await finishInPieces(this.#read(this.#value))
      return true
    } catch (error) {
      const why = (error as Error).message
      this.#log.error({ why }, `${this.#what} could not be read; what was read before stays`)
      return false
    }
  }
}
