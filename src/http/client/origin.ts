/**
 * The origin that a request was sent to, for URLs in its reply: the operator's
 * PUBLIC_URL; else the host and scheme that a trusted proxy forwards; else the
 * Host header, which the client chooses, and which is echoed to that client
 * only.
 *
 * Source: RFC 9110 §7.2 (Host) · RFC 9112 §3.2
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { GatewayError } from '../../runtime/errors.ts'
import { IpAddress } from './ip-address.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

/** A host name, IPv4 address or bracketed IPv6 address, with or without a port; nothing that ends a string or a URL. */
const HOST = /^(?:(?!-)[\w-]{1,63}(?:\.[\w-]{1,63}){0,30}\.?|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{0,5})?$/
const MAX_HOST_LENGTH = 261

interface OriginOptions {
  readonly trustedProxies: TrustedProxies
  /** Without a slash at its end; null to use each request's own host. */
  readonly publicUrl: string | null
}

/**
 * A request's scheme and host, without a slash at the end. @throws GatewayError  malformed_request: the Host
 * header isn't a host
 */
export type OriginReader = (request: IncomingMessage) => string

/**
 * @returns a function that answers the scheme and host, without a slash at the end; it throws
 *          malformed_request if the Host header isn't a host
 */
export function createOriginReader({ trustedProxies, publicUrl }: OriginOptions): OriginReader {
  if (publicUrl !== null) return () => publicUrl
  const address = new IpAddress()

  return ({ headers, socket }) => {
    const { remoteAddress } = socket
    const isForwarded =
      remoteAddress !== undefined && address.read(remoteAddress) && trustedProxies.includes(address)
    const host = (isForwarded ? lastOf(headers['x-forwarded-host']) : null) ?? headers.host?.trim()
    const scheme = isForwarded ? lastOf(headers['x-forwarded-proto'])?.toLowerCase() : undefined
    // HTTP/1.0 needs no Host header; the client knows the address that it connected to.
    const authority = host === undefined || host === '' ? localOf(socket) : host
    if (authority.length > MAX_HOST_LENGTH || !HOST.test(authority)) {
      const message = 'The Host header must be a host name or an IP address, with or without a port.'
      throw new GatewayError('malformed_request', message)
    }
    return `${scheme === 'https' ? 'https' : 'http'}://${authority.toLowerCase().replace(/:$/, '')}`
  }
}

/**
 * Whether an origin is one of the service's own, of which there are few: PUBLIC_URL, or else the address at
 * which the connection arrived, or localhost. Any other is a name that the client chose.
 */
export const createOwnOrigins =
  ({ publicUrl }: Pick<OriginOptions, 'publicUrl'>) =>
  (origin: string, { socket }: Pick<IncomingMessage, 'socket'>): boolean => {
    if (publicUrl !== null) return origin === publicUrl
    const host = hostOf(origin)
    return host === localOf(socket) || host === `localhost:${socket.localPort}`
  }

/** The host and port of an origin, in lower case; empty for `null`, which pages without an origin send. */
export function hostOf(origin: string): string {
  const scheme = origin.indexOf('://')
  return scheme === -1 ? '' : origin.slice(scheme + 3).toLowerCase()
}

/** Whether a request comes from a browser by its headers; probes and scrapers don't send these. */
export const saysBrowser = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined

/**
 * Whether a host is one that cannot be rebound to this machine by a page's owner (DNS rebinding): an address,
 * localhost, or PUBLIC_URL's.
 * @param host       with or without a port
 * @param publicUrl  null for none
 */
export function isOwnName(host: string | undefined, publicUrl: string | null): boolean {
  const name = (host ?? '').replace(/:\d*$/, '').toLowerCase()
  if (name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return true
  return publicUrl !== null && name === new URL(publicUrl).hostname
}

/** The last element, which the nearest proxy wrote; null if there is none. */
function lastOf(header: string | string[] | undefined): string | null {
  const text = typeof header === 'string' ? header : header?.join(',')
  const last = text?.slice(text.lastIndexOf(',') + 1).trim()
  return last === undefined || last === '' ? null : last
}

function localOf({ localAddress: local = '', localPort }: IncomingMessage['socket']): string {
  // A socket that listens for both families writes an IPv4 address as one of IPv6.
  const localAddress = local.startsWith('::ffff:') ? local.slice(7) : local
  return localAddress.includes(':') ? `[${localAddress}]:${localPort}` : `${localAddress}:${localPort}`
}
