/**
 * Stopping without losing a request: no new connections are accepted, requests in progress finish, and idle
 * connections close last.
 *
 * Idle connections are not closed at once, as `http.Server.close` would: a request may be on its way on one
 * of them and would meet a reset (nodejs/node#60617). For a moment they are still served, with `Connection:
 * close` in the reply. Then those without new bytes are closed, and only right after a poll: by then, bytes
 * that arrived while the event loop was busy have been read. Only a request that crosses the FIN on the wire
 * can be lost, as in all of HTTP/1.1 (RFC 9112 §9.5); a load balancer that stops using an instance once it
 * reports draining sends none.
 */
import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setImmediate as afterPoll, setTimeout as sleep } from 'node:timers/promises'

const LINGER_MS = 250
const SWEEP_MS = 50

/**
 * Resolves once every connection is closed.
 *
 * @param graceMs  how long requests in progress get before they are cut off
 * @param others   other listeners that accept connections for the server
 * @returns        false if some requests had to be cut off
 */
export async function drain(
  server: Server,
  graceMs: number,
  others: readonly NetServer[] = [],
): Promise<boolean> {
  let open = true
  let whole = true
  // Connections made while the event loop was busy are accepted first: closing would reset them.
  await afterPoll()
  const closing = [server, ...others].map(
    (one) => new Promise<void>((resolve) => NetServer.prototype.close.call(one, () => resolve())),
  )
  const closed = Promise.all(closing).then(() => {
    open = false
  })
  const cut = setTimeout(() => {
    whole = false
    server.closeAllConnections()
  }, graceMs)
  await Promise.race([closed, sleep(Math.min(LINGER_MS, graceMs))])
  while (open) {
    await afterPoll()
    server.closeIdleConnections()
    await Promise.race([closed, sleep(SWEEP_MS)])
  }
  clearTimeout(cut)
  // Node's own also ends the interval by which it checks connections, which would hold the server for good.
  server.close()
  return whole
}
