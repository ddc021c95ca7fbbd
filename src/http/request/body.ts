/**
 * A request's body: bounded as it arrives, then one JSON document in UTF-8.
 *
 * Source: RFC 8259 §8.1
 */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { isBounded, MAX_VALUES } from '../../chains/json/parse.ts'
import { MAX_DEPTH } from '../../chains/json/scan.ts'
import { GatheredBytes } from '../../flow/gathered-bytes.ts'
import { GatewayError } from '../../runtime/errors.ts'

/** How much of a refused body is still read and discarded, so that the client can receive the refusal. */
export const DISCARD_BYTES = 1_048_576

/** The body length that a request announces: 0 without a body, `Infinity` for a chunked one. */
export function announcedBytes({ headers }: Pick<IncomingMessage, 'headers'>): number {
  if (headers['transfer-encoding'] !== undefined) return Infinity
  return Number(headers['content-length'] ?? 0)
}

/** @throws 415  a content type that is present and not JSON, a charset that is not UTF-8, or a compressed body */
export function checkContentType(request: IncomingMessage): void {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers
  if (type !== undefined && !isJson(type)) {
    throw new GatewayError(
      'unsupported_media_type',
      'The content type must be application/json, in UTF-8, or absent.',
    )
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new GatewayError(
      'unsupported_media_type',
      'The body must not be compressed: send no content encoding.',
    )
  }
}

/** Counts the parts of a body that arrives in several. */
export interface PartsMeter {
  /** @returns false if the body is refused */
  add(bytes: number): boolean
  /** Called when the body is complete, refused or abandoned. */
  end(): void
}

/**
 * Beyond the first parts, a part counts as at least this many bytes: handling a chunk of one byte costs as
 * much time as one of hundreds. The longest body of a route may have a thousand chunks.
 */
export const LEAST_PART_BYTES = 256
/** Small parts of a body that are always accepted. */
export const FEW_PARTS = 32

/** How reading a body ended: with its bytes, an error, null when the client went away, or because its meter refused it. */
export type BodyResult = Buffer | GatewayError | typeof METERED_OUT | null
export const METERED_OUT = Symbol('metered out')

/**
 * Reads the whole body.
 *
 * @param maxBytes  the largest body accepted, the parts after the first FEW_PARTS count as at least
 * LEAST_PART_BYTES
 * @param done      called once
 * @returns ends the reading, for a body that the meter refuses between two parts
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  meter: PartsMeter,
  done: (result: BodyResult) => void,
): () => void {
  const bytes = new GatheredBytes()
  let length = 0
  /** Extra bytes that small parts count for. */
  let extra = 0
  let parts = 0
  let settled = false
  const settle = (result: BodyResult): void => {
    if (settled) return
    settled = true
    meter.end()
    done(result)
  }
  const refuse = (): void => {
    bytes.clear()
    settle(METERED_OUT)
  }
  const isWhole = (): boolean => request.complete || length === announcedBytes(request)
  const tooLarge = (): GatewayError =>
    new GatewayError(
      'body_too_large',
      `The body must be at most ${maxBytes.toLocaleString('en')} bytes${
        length > maxBytes || extra === 0 ? '' : `, and each chunk counts as at least ${LEAST_PART_BYTES}`
      }.`,
    )

  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    parts++
    if (parts > FEW_PARTS && chunk.length < LEAST_PART_BYTES) extra += LEAST_PART_BYTES - chunk.length
    if (length + extra <= maxBytes) {
      if (settled) return
      // Nearly every body arrives in one part, and is not counted.
      if ((parts > 1 || !isWhole()) && !meter.add(chunk.length)) refuse()
      else bytes.add(chunk)
    } else {
      bytes.clear()
      settle(tooLarge())
      if (length > maxBytes + DISCARD_BYTES) request.destroy()
    }
  })
  request.on('end', () => settle(withoutMark(bytes.joined())))
  request.on('close', () => settle(null))
  request.on('error', () => settle(null))
  if (request.headers['content-length'] !== undefined && announcedBytes(request) > maxBytes)
    settle(tooLarge())
  return refuse
}

/** Removes the byte order mark that some clients put first; it means nothing in UTF-8. */
const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes

/** @throws 400  not UTF-8, empty, too deep, with too many values, or not one JSON document */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0)
    throw new GatewayError('malformed_body', 'The body is empty; send one JSON document.')
  if (!isUtf8(bytes)) throw new GatewayError('malformed_body', 'The body must be UTF-8.')
  if (!isBounded(bytes)) {
    const bounds = `nest more than ${MAX_DEPTH} deep, or hold more than ${MAX_VALUES.toLocaleString('en')} values`
    throw new GatewayError('malformed_body', `The body must not ${bounds}.`)
  }
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new GatewayError('malformed_body', 'The body must be one well-formed JSON document.')
  }
}

/** `application/json`, or a `+json` type, with no charset other than UTF-8 (RFC 6839, RFC 8259 §11). */
function isJson(type: string): boolean {
  if (type === 'application/json') return true
  const [essence = '', ...parameters] = type.toLowerCase().split(';')
  const name = essence.trim()
  if (name !== 'application/json' && !(name.startsWith('application/') && name.endsWith('+json')))
    return false
  return parameters.every((parameter) => {
    const [key = '', value = ''] = parameter.split('=')
    return key.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim())
  })
}
