/**
 * The checks of a request's head that node's parser leaves out: what a proxy in front may read differently,
 * and what this server does not support.
 *
 * Source: RFC 9110, RFC 9112
 */
import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../../runtime/errors.ts'

/** What is known of a request before its body. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>

const MAX_TARGET_LENGTH = 8_192
const REQUEST_ID = /^[!-~]{1,128}$/

/** The refusal of a head that makes the end of its request uncertain; null if there is none. */
export function faultOfHead(request: IncomingMessage): GatewayError | null {
  const { rawHeaders, headers, httpVersionMinor } = request
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts > 1 || (hosts === 0 && httpVersionMinor > 0)) {
    return new GatewayError('malformed_request', 'An HTTP/1.1 request must carry one Host header.')
  }
  const coding = headers['transfer-encoding']
  // A proxy in front may take the body for the next request (RFC 9112 §6.1).
  if (coding !== undefined && httpVersionMinor === 0) {
    return new GatewayError('malformed_request', 'HTTP/1.0 has no transfer encodings; send a Content-Length.')
  }
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return new GatewayError('malformed_request', 'The transfer encoding must be chunked, and no other.')
  }
  const { expect } = headers
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return new GatewayError('expectation_failed', 'The only expectation that is met is 100-continue.')
  }
  return null
}

/** @throws 414 */
export function targetOf({ url }: IncomingMessage): string {
  const target = url!.charCodeAt(0) === 0x2f ? url! : originForm(url!)
  if (target.length <= MAX_TARGET_LENGTH) return target
  throw new GatewayError('uri_too_long', 'The request target must be at most 8,192 bytes long.')
}

/** The client's X-Request-Id, if it is 1 to 128 visible ASCII characters. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string | null {
  const id = request.headers['x-request-id']
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : null
}

/** The path and query of a target in absolute form, which a server must accept (RFC 9112 §3.2.2). */
function originForm(target: string): string {
  const scheme = target.indexOf('://')
  if (scheme === -1) return target
  const end = target.slice(scheme + 3).search(/[/?#]/)
  if (end === -1) return '/'
  const rest = target.slice(scheme + 3 + end)
  return rest.startsWith('/') ? rest : `/${rest}`
}
