/**
 * Where a call failed, as one word that an operator can act on, from the error
 * of a socket, of TLS or of undici.
 *
 * Source: nodejs.org/api/errors.html, tls.html (X509 certificate error codes) · undici lib/core/errors.js
 */

/** `answer`: the upstream answered; the status or the error code says what. */
export type Cause = 'dns' | 'refused' | 'unreachable' | 'tls' | 'reset' | 'timeout' | 'not_http' | 'answer'

const CAUSES: ReadonlyMap<string, Cause> = new Map([
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['EAI_FAIL', 'dns'],
  ['EAI_NODATA', 'dns'],
  ['ECONNREFUSED', 'refused'],
  ['EHOSTUNREACH', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['EADDRNOTAVAIL', 'unreachable'],
  ['EMFILE', 'unreachable'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['ETIMEDOUT', 'timeout'],
  ['ECONNRESET', 'reset'],
  ['EPIPE', 'reset'],
  ['UND_ERR_SOCKET', 'reset'],
])

/** OpenSSL's own codes, the names of certificate errors, and the error of a port that speaks no TLS. */
const TLS =
  /^(ERR_TLS|ERR_SSL|CERT_|EPROTO$|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH$|INVALID_CA$)/

/** @param error  as a socket or undici gave it */
export function causeOf(error: Error & { code?: string }): Cause {
  const code = error.code ?? ''
  if (error.name === 'HTTPParserError' || code.startsWith('HPE_')) return 'not_http'
  return CAUSES.get(code) ?? (TLS.test(code) ? 'tls' : 'reset')
}
