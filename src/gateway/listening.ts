/** The addresses that a gateway listens on. */
import type { Server } from 'node:http'
import { type AddressInfo, createServer, type ListenOptions, type Server as NetServer } from 'node:net'
import type { Config } from '../config/config.ts'
import { drain } from '../http/connections/drain.ts'
import type { Logger } from '../runtime/log.ts'
import { StartError } from './start-error.ts'

export interface ListenerUrls {
  readonly url: string
  /** A second port for WebSockets; null if there is none. */
  readonly wsUrl: string | null
  /** Null without an admin listener. */
  readonly adminUrl: string | null
}

interface ListenersOptions {
  readonly config: Config
  readonly log: Logger
  readonly server: Server
  /** Null without an admin listener. */
  readonly adminServer: Server | null
  readonly servesWebSockets: boolean
  /** Whether other threads listen on the same ports. */
  readonly sharesPorts: boolean
}

export class Listeners {
  readonly #options: ListenersOptions
  #websockets: readonly NetServer[] = []

  constructor(options: ListenersOptions) {
    this.#options = options
  }

  /** @throws StartError  when an address cannot be listened on */
  async open(): Promise<ListenerUrls> {
    const { config, log, server, servesWebSockets, sharesPorts } = this.#options
    const { host, port } = config
    const url = await listen(server, { host, port, settings: ['HOST', 'PORT'], sharesPorts })
    if (servesWebSockets) this.#websockets = await listenForWebSockets(server, config, log, sharesPorts)
    const [second] = this.#websockets
    const wsUrl = second === undefined ? null : urlOf('ws', second)
    return { url, wsUrl, adminUrl: sharesPorts ? null : await this.openAdmin() }
  }

  /** @returns null without an admin listener  @throws StartError  as `open` */
  async openAdmin(): Promise<string | null> {
    const { adminServer, config } = this.#options
    if (adminServer === null) return null
    const { adminHost: host, adminPort } = config
    return listen(adminServer, { host, port: adminPort!, settings: ['ADMIN_HOST', 'ADMIN_PORT'] })
  }

  /**
   * Finds out which addresses other threads can listen on, without keeping them.
   * @throws StartError  as `open`
   */
  async probe(): Promise<ListenerUrls> {
    const urls = await this.open()
    await Promise.all([this.#options.server, ...this.#websockets].map(closed))
    this.#websockets = []
    return urls
  }

  /** How many client connections are open. */
  async connections(): Promise<number> {
    const counts = [this.#options.server, ...this.#websockets].map(
      (server) => new Promise<number>((done) => server.getConnections((_error, count) => done(count ?? 0))),
    )
    return (await Promise.all(counts)).reduce((sum, count) => sum + count)
  }

  /** Stops listening to clients. @returns false when the grace was too short for some of their requests */
  drain(graceMs: number): Promise<boolean> {
    return drain(this.#options.server, graceMs, this.#websockets)
  }

  async closeAdmin(): Promise<void> {
    const { adminServer } = this.#options
    if (adminServer !== null) await drain(adminServer, 0)
  }
}

/**
 * The same server on a second port, which serves what the first one does, within the same limits:
 * @solana/web3.js looks for the WebSocket at PORT + 1.
 *
 * @returns none if WS_PORT is off, or if the sandbox's default port is in use
 */
async function listenForWebSockets(
  server: Server,
  { mode, host, wsPort }: Config,
  log: Logger,
  sharesPorts: boolean,
): Promise<readonly NetServer[]> {
  if (wsPort === 'off' || (wsPort === null && mode === 'live')) return []
  const port = wsPort ?? (server.address() as AddressInfo).port + 1
  // As node's own HTTP servers take connections.
  const second = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit('connection', socket),
  )
  try {
    await listen(second, { host, port, settings: ['HOST', 'WS_PORT'], sharesPorts })
    return [second]
  } catch (error) {
    if (wsPort !== null) {
      server.close()
      throw error
    }
    log.warn({ port }, 'no WebSocket on PORT + 1, where @solana/web3.js looks: the port is taken')
    return []
  }
}

/** An address to listen on, and the variables that it comes from. */
interface ListenAddress {
  readonly host: string
  readonly port: number
  readonly settings: readonly [host: string, port: string]
  readonly sharesPorts?: boolean
}

/**
 * @returns the URL that it is now served at
 * @throws StartError  which names the variable to change
 */
async function listen(server: NetServer, address: ListenAddress): Promise<string> {
  const { host, port, settings, sharesPorts: reusePort = false } = address
  try {
    await listenAt(server, { host, port, reusePort }).catch((error: NodeJS.ErrnoException) => {
      // `::` serves both families; a machine without IPv6 falls back to IPv4.
      if (host !== '::' || !NO_IPV6.includes(error.code)) throw error
      return listenAt(server, { host: '0.0.0.0', port, reusePort })
    })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const isPort = code === 'EADDRINUSE' || code === 'EACCES'
    const [variable, value] = isPort ? [settings[1], port] : [settings[0], host]
    const why = REASONS[code ?? ''] ?? 'cannot be listened on'
    throw Object.assign(new StartError(`${variable}=${value}: ${why} (${message})`, { cause }), { code })
  }
  return urlOf('http', server)
}

const NO_IPV6: readonly unknown[] = ['EAFNOSUPPORT', 'EADDRNOTAVAIL']

/** What the codes of a listener's errors mean. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens on this port',
  EACCES: 'this user may not listen on this port; those below 1024 are often reserved',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'no address has this name',
}

/** Closes a listener that has no connections. */
const closed = (server: NetServer): Promise<void> =>
  new Promise((resolve) => void server.close(() => resolve()))

/** @param address  `reusePort`: newer than the package's types, see threads/primary.ts */
function listenAt(server: NetServer, address: ListenOptions & { reusePort: boolean }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function urlOf(scheme: 'http' | 'ws', server: NetServer): string {
  const { address, port, family } = server.address() as AddressInfo
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
