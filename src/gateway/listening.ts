/** Where the gateway listens, and how many connections it takes there. */
import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net'
import type { Config } from '../config/config.ts'
import type { ServerLimits } from '../http/limits.ts'
import { connectionsWithin, OWN_FILES, openFileLimit, perPeerOf } from '../http/open-files.ts'
import type { Logger } from '../runtime/log.ts'

/** What is configured, or follows from the files that may be open. */
export function connectionLimits(
  config: Config,
  log: Logger,
): Pick<ServerLimits, 'maxConnections' | 'maxConnectionsPerPeer'> {
  const openFiles = openFileLimit()
  const maxConnections = config.maxConnections ?? connectionsWithin(openFiles)
  if (maxConnections > openFiles - OWN_FILES) {
    log.warn({ maxConnections, openFiles }, 'MAX_CONNECTIONS leaves too few of the files that may be open')
  }
  return {
    maxConnections,
    maxConnectionsPerPeer: config.maxConnectionsPerClient ?? perPeerOf(maxConnections),
  }
}

/**
 * The same server on a second port: whoever looks for the WebSocket there finds
 * what is at the first one, within the same bounds.
 *
 * @returns none where there is to be none, or the sandbox's own choice is taken
 */
export async function listenBeside(
  server: Server,
  { mode, host, wsPort }: Config,
  log: Logger,
): Promise<readonly NetServer[]> {
  if (wsPort === 'off' || (wsPort === null && mode === 'live')) return []
  const port = wsPort ?? (server.address() as AddressInfo).port + 1
  // As node's own HTTP servers take connections.
  const beside = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit('connection', socket),
  )
  try {
    await listen(beside, host, port)
    return [beside]
  } catch (error) {
    if (wsPort !== null) {
      server.close()
      throw error
    }
    log.warn({ port }, 'no WebSocket on PORT + 1, where @solana/web3.js looks: the port is taken')
    return []
  }
}

/** @returns the URL that it is now served at */
export function listen(server: NetServer, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve(urlOf('http', server))
    })
  })
}

/** How many connections are open to them. */
export async function connectionsOf(servers: readonly NetServer[]): Promise<number> {
  const counts = servers.map(
    (server) => new Promise<number>((done) => server.getConnections((_error, count) => done(count ?? 0))),
  )
  return (await Promise.all(counts)).reduce((sum, count) => sum + count)
}

/** Where a server listens. */
export function urlOf(scheme: 'http' | 'ws', server: NetServer): string {
  const { address, port, family } = server.address() as AddressInfo
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
