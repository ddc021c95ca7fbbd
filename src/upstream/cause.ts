/**
 * The cause of a failed call as one word that an operator can act on, from the error of a socket, of TLS or
 * of undici.
 *
 * Source: nodejs.org/api/errors.html, tls.html (X509 certificate error codes) · undici lib/core/errors.js
 */

import codes from './cause-codes.json' with { type: 'json' }

/**
 * `proxy`: the operator's proxy opened no connection. `answer`: the upstream answered; the status or the
 * error code says what. `unknown`: an error that is not listed here; the log has its class.
 */
export type Cause = keyof typeof codes | 'tls' | 'not_http' | 'answer' | 'unknown'

type CodedError = Error & { readonly code?: unknown }

/** The codes of sockets and of undici; EACCES and EPERM are a local firewall's answer. */
const CAUSES: ReadonlyMap<string, Cause> = new Map(
  Object.entries(codes).flatMap(([cause, listed]) => listed.map((code) => [code, cause as Cause])),
)

/** OpenSSL's own codes, the names of certificate errors, and the error of a port without TLS. */
const TLS =
  /^(ERR_TLS|ERR_SSL|CERT_|EPROTO$|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH$|INVALID_CA$)/

/** @param error  as a socket or undici gave it */
export function causeOf(error: Error): Cause {
  const code = codeOf(error)
  if (error.name === 'HTTPParserError' || code.startsWith('HPE_')) return 'not_http'
  return CAUSES.get(code) ?? (TLS.test(code) ? 'tls' : 'unknown')
}

const BUGS = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError, URIError]
/** A failed assertion, and arguments that undici refuses. */
const BUG_CODES: ReadonlySet<string> = new Set([
  'ERR_ASSERTION',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
])

/**
 * Whether an error is a bug of this program or of one of its libraries, rather than the other side's fault.
 */
export function isBug(error: Error): boolean {
  return BUGS.some((type) => error instanceof type) || BUG_CODES.has(codeOf(error))
}

/** The form of a name or a code. */
const WORD = /^\w{1,64}$/

/**
 * An error's class, and its code if it has one: `SocketError UND_ERR_SOCKET`. Logged instead of the message,
 * which may contain a URL, a host or a password.
 */
export function errorClass(error: Error): string {
  const name = error.name === 'Error' ? error.constructor.name : error.name
  return [name, codeOf(error)].filter((word) => WORD.test(word)).join(' ')
}

function codeOf({ code }: CodedError): string {
  return typeof code === 'string' ? code : ''
}
