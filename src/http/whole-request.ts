/**
 * A request as it is read from its bytes alone, where they are one whole request whose end is certain. Load
 * shedding reads requests in this way before node's parser does.
 *
 * It takes less than HTTP allows: what could be read in two ways, or would be answered in another way than with
 * one whole reply on a connection that is kept, is left to node's parser.
 *
 * Source: RFC 9112
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** What is known of a request before its body. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>

export interface WholeRequest extends RequestHead {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly body: Buffer
}

const END = '\r\n\r\n'
/** A request line and header lines; a target in origin form, and visible ASCII, spaces and tabs in values. */
const HEAD = /^(?:GET|POST) \/[!-~]* HTTP\/1\.1(?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~]*)+$/
/** Fields that say more of the connection, or of where the request ends. */
const LEFT = new Set(['transfer-encoding', 'expect', 'upgrade', 'proxy-connection', 'trailer'])
const LENGTH = /^[0-9]{1,6}$/

/**
 * @param bytes  all that has come in since the message before
 * @returns null if they are not one whole request of this form
 */
export function readWhole(bytes: Buffer, socket: Socket): WholeRequest | null {
  const end = bytes.indexOf(END)
  if (end === -1) return null
  const head = bytes.toString('latin1', 0, end)
  if (!HEAD.test(head)) return null
  const headers = fieldsOf(head)
  if (headers === null) return null
  const { host, connection, 'content-length': length } = headers
  if (host === undefined || (connection !== undefined && connection.toLowerCase() !== 'keep-alive'))
    return null
  const isPost = head.charCodeAt(0) === 0x50
  if (isPost ? length === undefined || !LENGTH.test(length) : length !== undefined) return null
  const body = bytes.subarray(end + END.length)
  if (body.length !== Number(length ?? 0)) return null
  const method = isPost ? 'POST' : 'GET'
  return { method, url: head.slice(method.length + 1, head.indexOf(' HTTP/')), headers, socket, body }
}

/** @returns null if a field stands twice, or is one that is left to node's parser */
function fieldsOf(head: string): IncomingHttpHeaders | null {
  const fields: Record<string, string> = Object.create(null)
  for (let at = head.indexOf('\r\n'); at !== -1; ) {
    const colon = head.indexOf(':', at)
    const next = head.indexOf('\r\n', colon)
    const name = head.slice(at + 2, colon).toLowerCase()
    if (LEFT.has(name) || fields[name] !== undefined) return null
    fields[name] = (next === -1 ? head.slice(colon + 1) : head.slice(colon + 1, next)).trim()
    at = next
  }
  return fields
}
