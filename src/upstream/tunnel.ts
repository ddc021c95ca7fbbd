/**
 * Connections through an HTTP proxy, by CONNECT: the proxy learns a host's name and port, and nothing of what
 * is exchanged over TLS. The hosts to use it for come from the variables that most programs share.
 *
 * Source: RFC 9110 §9.3.6 · undici lib/dispatcher/env-http-proxy-agent.js (NO_PROXY)
 */
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContextOptions, type TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import { basicTokenOf } from './secrets.ts'

/** A host, with its subdomains; `*` is every host. Null: any port. */
export interface Exception {
  readonly host: string
  readonly port: number | null
}

export interface Proxies {
  /** For https URLs. */
  readonly https: URL | null
  /** For http URLs, and for https if that is not set. */
  readonly http: URL | null
  readonly except: readonly Exception[]
}

export const NO_PROXIES: Proxies = { https: null, http: null, except: [] }

/** The proxy for a URL; null: none. */
export function proxyOf({ https, http, except }: Proxies, url: URL): URL | null {
  const host = url.hostname.toLowerCase()
  const isExcepted = except.some(
    (one) =>
      (one.port === null || one.port === portOf(url)) &&
      (one.host === '*' || host === one.host || host.endsWith(`.${one.host}`)),
  )
  if (isExcepted) return null
  return url.protocol === 'https:' ? (https ?? http) : http
}

/**
 * Opens a connection to a host through the proxy. @throws Error  whose code says why, and whose message names
 * nobody
 */
export function openTunnel(proxy: URL, host: string, port: number, timeoutMs: number): Promise<Socket> {
  return new Promise((settle, reject) => {
    const path = `${host}:${port}`
    const { username, password } = proxy
    const token = basicTokenOf(proxy)
    const asked = (proxy.protocol === 'https:' ? requestHttps : requestHttp)({
      host: unbracketed(proxy.hostname),
      port: portOf(proxy),
      method: 'CONNECT',
      path,
      agent: false,
      timeout: timeoutMs,
      headers: {
        host: path,
        ...((username !== '' || password !== '') && { 'proxy-authorization': `Basic ${token}` }),
      },
    })
    asked.once('connect', ({ statusCode }, socket) => {
      // The timeout only covers the time until the tunnel is open.
      socket.setTimeout(0)
      if (statusCode === 200) return settle(socket)
      socket.destroy()
      reject(failure('ERR_PROXY_REFUSED'))
    })
    asked.once('timeout', () => asked.destroy(failure('ETIMEDOUT')))
    asked.once('error', reject)
    asked.end()
  })
}

/** TLS with a host, over a connection to it. */
export function secured(
  socket: Socket,
  host: string,
  timeoutMs: number,
  options: { readonly ca?: SecureContextOptions['ca'] } = {},
): Promise<TLSSocket> {
  return new Promise((settle, reject) => {
    const servername = isIP(host) === 0 ? host : ''
    const tls = connectTls({ ...options, socket, host, servername, ALPNProtocols: ['http/1.1'] })
    tls.setTimeout(timeoutMs, () => tls.destroy(failure('ETIMEDOUT')))
    tls.once('error', reject)
    tls.once('secureConnect', () => {
      tls.setTimeout(0)
      tls.off('error', reject)
      settle(tls)
    })
  })
}

/** Connects undici's pools through the proxy. */
export function tunnelConnector(proxy: URL, timeoutMs: number): buildConnector.connector {
  return ({ hostname, protocol, port }, callback) => {
    const isTls = protocol === 'https:'
    const connect = async (): Promise<Socket> => {
      const socket = await openTunnel(proxy, hostname, Number(port) || (isTls ? 443 : 80), timeoutMs)
      return isTls ? secured(socket, unbracketed(hostname), timeoutMs) : socket
    }
    connect().then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
}

const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80)

const unbracketed = (host: string): string => host.replace(/^\[|\]$/g, '')

const failure = (code: string): Error =>
  Object.assign(new Error('The proxy gave no connection to the host.'), { code })
