/**
 * One JSON-RPC 2.0 call: the request's bytes, and the check that a reply is the
 * response to it. The reply is never decoded, so that the relay can pass it on
 * byte for byte.
 *
 * Source: JSON-RPC 2.0 §4, §5
 */

import { parsedOrNone } from '../../chains/json/parse.ts'
import { EnvelopeScan, ERROR, ID, JSONRPC, RESULT } from '../../chains/json/scan.ts'
import type { IdRange } from '../../chains/json/splice.ts'
import { inPieces, PIECE_BYTES } from '../../runtime/loop-share.ts'
import type { UpstreamRequest } from '../call.ts'

/** A usable response, as received. */
export interface RpcReply {
  /** The whole reply; other requests may share it, so it is read only. */
  readonly body: Buffer
  /** Views of the body, as JSON text: exactly one of the two is not null. */
  readonly result: Buffer | null
  readonly error: Buffer | null
  /** The position of the reply's id, for spliceId. */
  readonly id: IdRange
}

export class RpcCall implements UpstreamRequest<RpcReply> {
  readonly method = 'POST'
  readonly path = ''
  readonly body: string
  readonly passesOn = true
  readonly resend: boolean
  readonly lane: string
  readonly question: string
  readonly #id: string
  readonly #scan: EnvelopeScan
  /** Scans of long replies, made in pieces; null for a reply that is not JSON. */
  #long: WeakMap<Buffer, EnvelopeScan | null> | null = null

  /**
   * @param scan  scratch space, used only while a reply is read
   * @param id  the gateway's own: a client's call without an id would be a notification upstream
   * @param method  a name that needs no escaping
   * @param paramsJson  a JSON array or object
   * @param resend  false for a call that must not go out twice
   */
  constructor(scan: EnvelopeScan, id: number, method: string, paramsJson: string, resend: boolean) {
    this.#scan = scan
    this.#id = String(id)
    this.resend = resend
    this.lane = method
    this.question = `${method} ${paramsJson}`
    this.body = `{"jsonrpc":"2.0","id":${this.#id},"method":"${method}","params":${paramsJson}}`
  }

  /** Scans a long reply in pieces before it is read. */
  prepare(body: Buffer): Promise<void> | null {
    if (body.length <= PIECE_BYTES) return null
    const scan = new EnvelopeScan()
    let isJson: boolean | null = null
    let hasBegun = false
    const done = inPieces(() => {
      if (hasBegun) isJson = scan.goOn(body, PIECE_BYTES)
      else if (!scan.begin(body)) isJson = false
      hasBegun = true
      return isJson === null
    })
    this.#long ??= new WeakMap()
    const long = this.#long
    return done.then(() => void long.set(body, isJson ? scan : null))
  }

  /**
   * A usable reply is one object with `jsonrpc` "2.0", our `id` and either a
   * `result` or an `error`, without a duplicate. A null beside the other counts
   * as absent, because JSON-RPC 1.0 wrote both. With a status other than 200 only
   * an `error` is usable; some providers send one with a 400.
   */
  read(status: number, body: Buffer): RpcReply | null {
    const known = this.#long?.get(body)
    const scan = known === undefined ? this.#scan : known
    if (scan === null || (known === undefined && !scan.scan(body))) return null
    if (!scan.isObject || scan.duplicate) return null
    if (!isText(body, scan.start(JSONRPC), scan.end(JSONRPC), '"2.0"')) return null
    if (!isText(body, scan.start(ID), scan.end(ID), this.#id)) return null
    const isError = scan.has(ERROR) && !(scan.has(RESULT) && isNull(body, scan.start(ERROR), scan.end(ERROR)))
    const isResult =
      scan.has(RESULT) && !(scan.has(ERROR) && isNull(body, scan.start(RESULT), scan.end(RESULT)))
    if (isError === isResult || (status !== 200 && !isError)) return null
    return {
      body,
      result: isError ? null : body.subarray(scan.start(RESULT), scan.end(RESULT)),
      error: isError ? body.subarray(scan.start(ERROR), scan.end(ERROR)) : null,
      id: { nameStart: scan.idNameStart, start: scan.start(ID), end: scan.end(ID) },
    }
  }
}

/** The answer of a node that accepted a transaction, written here. @param signature  in base58 */
export function acceptance(signature: string): RpcReply {
  const body = Buffer.from(`{"jsonrpc":"2.0","result":"${signature}","id":1}`)
  const nameStart = body.length - '"id":1}'.length
  const start = nameStart + '"id":'.length
  const result = body.subarray(body.indexOf('"result":') + '"result":'.length, nameStart - 1)
  return { body, result, error: null, id: { nameStart, start, end: start + 1 } }
}

/** A longer error is not looked into; the logs of a preflight have some ten thousand bytes. */
const MAX_ERROR_BYTES = 256 * 1024

/** @returns an error's members; none where it has none, or is too long */
export function errorFields(error: Buffer): { readonly code?: unknown; readonly message?: unknown } {
  const value = error.length > MAX_ERROR_BYTES ? null : parsedOrNone(error)
  return typeof value === 'object' && value !== null ? value : {}
}

/** @returns the `code` of an error's JSON text, null when it has none */
export function errorCode(error: Buffer): number | null {
  const { code } = errorFields(error)
  return typeof code === 'number' ? code : null
}

const isNull = (bytes: Buffer, start: number, end: number): boolean => isText(bytes, start, end, 'null')

/** Whether the bytes from start to end are this ASCII text. */
function isText(bytes: Buffer, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false
  return true
}
