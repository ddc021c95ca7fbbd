/**
 * The origin that a request was sent to, for addresses in what it is answered:
 * the operator's PUBLIC_URL, or else the Host header, which is the caller's word
 * and is echoed to that caller only. What trusted proxies forward of the host
 * and the scheme goes before it.
 *
 * Source: RFC 9110 §7.2 (Host) · RFC 9112 §3.2
 */
import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../../runtime/errors.ts'
import { IpAddress } from './ip-address.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

/** A host name, IPv4 address or bracketed IPv6 address, and perhaps a port; nothing that ends a text or a URL. */
const HOST =
  /^(?:(?!-)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,30}\.?|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/
const MAX_HOST_LENGTH = 261

interface OriginOptions {
  readonly trustedProxies: TrustedProxies
  /** Without a slash at its end; null where each request's own host counts. */
  readonly publicUrl: string | null
}

/**
 * @returns what a URL begins with, up to its path
 * @throws 400  malformed_request: the reader's, where the Host header is no host
 */
export function createOriginReader({
  trustedProxies,
  publicUrl,
}: OriginOptions): (request: IncomingMessage) => string {
  if (publicUrl !== null) return () => publicUrl
  const address = new IpAddress()

  return ({ headers, socket }) => {
    const { remoteAddress } = socket
    const isForwarded =
      remoteAddress !== undefined && address.read(remoteAddress) && trustedProxies.includes(address)
    const host = (isForwarded ? lastOf(headers['x-forwarded-host']) : null) ?? headers.host?.trim()
    const scheme = isForwarded ? lastOf(headers['x-forwarded-proto'])?.toLowerCase() : undefined
    // HTTP/1.0 needs no host; what the caller connected to is known to it.
    const authority = host === undefined || host === '' ? localOf(socket) : host
    if (authority.length > MAX_HOST_LENGTH || !HOST.test(authority)) {
      const message = 'The Host header must be a host name or an IP address, with or without a port.'
      throw new GatewayError('malformed_request', message)
    }
    return `${scheme === 'https' ? 'https' : 'http'}://${authority.toLowerCase()}`
  }
}

/** What the nearest proxy said; null where none did. */
function lastOf(header: string | string[] | undefined): string | null {
  const text = typeof header === 'string' ? header : header?.join(',')
  const last = text?.slice(text.lastIndexOf(',') + 1).trim()
  return last === undefined || last === '' ? null : last
}

function localOf({ localAddress = '', localPort }: IncomingMessage['socket']): string {
  return localAddress.includes(':') ? `[${localAddress}]:${localPort}` : `${localAddress}:${localPort}`
}
