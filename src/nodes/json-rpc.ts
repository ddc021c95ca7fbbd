/**
 * One JSON-RPC 2.0 call: the request's bytes, and whether a reply is the one
 * response to it. The reply is never decoded, so that the relay can pass it on
 * byte for byte.
 *
 * Source: JSON-RPC 2.0 §4, §5
 */

import { parsedOrNone } from '../json/parse.ts'
import { type EnvelopeScan, ERROR, ID, JSONRPC, RESULT } from '../json/scan.ts'
import type { IdRange } from '../json/splice.ts'
import type { UpstreamRequest } from '../upstream/call.ts'

/** A usable response, as it came. */
export interface RpcReply {
  /** The whole reply, shared with whoever else holds it: read only. */
  readonly body: Buffer
  /** Views of the body, as JSON text: exactly one of the two is not null. */
  readonly result: Buffer | null
  readonly error: Buffer | null
  /** Where the reply's id stands, for spliceId. */
  readonly id: IdRange
}

export class RpcCall implements UpstreamRequest<RpcReply> {
  readonly method = 'POST'
  readonly path = ''
  readonly body: string
  readonly resend: boolean
  readonly #id: string
  readonly #scan: EnvelopeScan

  /**
   * @param scan  scratch space, used only while a reply is read
   * @param id  ours, so that a caller without an id does not send the upstream a notification
   * @param method  a name that needs no escaping
   * @param paramsJson  a JSON array or object
   * @param resend  false for a call that must not be made twice
   */
  constructor(scan: EnvelopeScan, id: number, method: string, paramsJson: string, resend: boolean) {
    this.#scan = scan
    this.#id = String(id)
    this.resend = resend
    this.body = `{"jsonrpc":"2.0","id":${this.#id},"method":"${method}","params":${paramsJson}}`
  }

  /**
   * Usable is one object with `jsonrpc` "2.0", our `id` and either a `result`
   * or an `error`, none of them twice; and with a status other than 200 only an
   * `error`, which some providers send with a 400.
   */
  read(status: number, body: Buffer): RpcReply | null {
    const scan = this.#scan
    if (!scan.scan(body) || !scan.isObject || scan.duplicate) return null
    if (!isText(body, scan.start(JSONRPC), scan.end(JSONRPC), '"2.0"')) return null
    if (!isText(body, scan.start(ID), scan.end(ID), this.#id)) return null
    const isError = scan.has(ERROR)
    if (isError === scan.has(RESULT) || (status !== 200 && !isError)) return null
    return {
      body,
      result: isError ? null : body.subarray(scan.start(RESULT), scan.end(RESULT)),
      error: isError ? body.subarray(scan.start(ERROR), scan.end(ERROR)) : null,
      id: { nameStart: scan.idNameStart, start: scan.start(ID), end: scan.end(ID) },
    }
  }
}

/** @returns the `code` of an error's JSON text, null when it has none */
export function errorCode(error: Buffer): number | null {
  const value = parsedOrNone(error)
  if (typeof value !== 'object' || value === null || !('code' in value)) return null
  return typeof value.code === 'number' ? value.code : null
}

/** Whether the bytes from start to end are this ASCII text. */
function isText(bytes: Buffer, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false
  return true
}
