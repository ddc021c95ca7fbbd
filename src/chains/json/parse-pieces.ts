/**
 * JSON.parse for a long document, in pieces. Each piece is bounded, because many values take long to parse:
 * 16 MiB of brackets take JSON.parse seven seconds.
 */
import { PIECE_BYTES } from '../../flow/loop-share.ts'
import { Pieces } from '../../flow/pieces.ts'
import * as char from './characters.ts'
import { Items, Members } from './member.ts'
import { PiecesScan } from './scan-pieces.ts'
import { skipSpace } from './tokens.ts'

/** The deepest level of a long value: each level is searched for the ends of its values. */
const MAX_LEVELS = 8

/** @throws SyntaxError  if it is not JSON, or if long values are nested too deeply */
export function* parseInPieces(bytes: Buffer): Generator<void, unknown, void> {
  const scan = new PiecesScan(new Pieces([bytes]))
  for (let isJson = scan.step(); isJson !== true; isJson = scan.step()) {
    if (isJson === false) throw new SyntaxError('It is not JSON.')
    yield
  }
  return yield* valueAt(bytes, 0, bytes.length, MAX_LEVELS)
}

function* valueAt(bytes: Buffer, start: number, end: number, levels: number): Generator<void, unknown, void> {
  if (end - start <= PIECE_BYTES) return JSON.parse(bytes.toString('utf8', start, end))
  if (levels === 0) throw new SyntaxError('A long value is within too many others.')
  const open = skipSpace(bytes, start)
  if (bytes[open] === char.OPEN_BRACKET) {
    const values: unknown[] = []
    const items = new Items(bytes, open)
    for (let item = items.next(); item !== null; item = items.next()) {
      values.push(yield* valueAt(bytes, item.start, item.end, levels - 1))
      yield
    }
    return values
  }
  if (bytes[open] !== char.OPEN_BRACE) return JSON.parse(bytes.toString('utf8', start, end))
  const entries: [name: string, value: unknown][] = []
  for (const members = new Members(bytes, open); members.next(); ) {
    entries.push([members.name, yield* valueAt(bytes, members.start, members.end, levels - 1)])
    yield
  }
  return Object.fromEntries(entries)
}
