/** The admin listener: GET /metrics, /live and /ready. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Registry } from 'prom-client'

/** @returns a server that is not listening yet; it answers 404 to all else */
export function createAdminServer(registry: Registry, isDraining: () => boolean): Server {
  return createServer((request: IncomingMessage, response: ServerResponse) => {
    const target = request.method === 'GET' ? request.url : null
    if (target === '/metrics') {
      registry.metrics().then(
        (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
        () => response.writeHead(500).end(),
      )
    } else if (target === '/live') sayState(response, 200, 'live')
    else if (target === '/ready') {
      if (isDraining()) sayState(response, 503, 'draining')
      else sayState(response, 200, 'ready')
    } else response.writeHead(404).end()
  })
}

function sayState(response: ServerResponse, status: number, state: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
  response.end(JSON.stringify({ state }))
}
