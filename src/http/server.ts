/**
 * The HTTP server: node's own, with this gateway's connection limits around it
 * and the request pipeline in it. It puts the parts together; pipeline.ts has
 * one request's life.
 *
 * Source: RFC 9112
 */

import { createServer, IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { HeldBytes } from '../flow/held-bytes.ts'
import { ClientConnections, type ConnectionsOptions } from './connections/connections.ts'
import { DEFAULT_SERVER_LIMITS, type ServerLimits } from './connections/limits.ts'
import { SocketReplies } from './connections/socket-replies.ts'
import { createUpgradeListener, type Upgrades, upgradableAt } from './connections/upgrade.ts'
import { type PipelineOptions, RequestPipeline } from './pipeline.ts'
import { NodeLines } from './reply/quick-reply.ts'

export interface GatewayServerOptions extends Omit<PipelineOptions, 'connections' | 'held'> {
  /** Called at most once per `checkIntervalMs`, if connections were closed or refused. */
  readonly onClosed: ConnectionsOptions['onClosed']
  readonly limits?: Partial<ServerLimits>
  /** The bytes held for clients, here and elsewhere; if absent, an account of its own. */
  readonly held?: HeldBytes
  /** Absent without WebSockets. */
  readonly upgrades?: Upgrades | null
  /** Answers requests that no route handles. @returns whether it did */
  readonly answersFirst?: (request: IncomingMessage, response: ServerResponse) => boolean
}

/**
 * The server, not listening yet.
 *
 * @throws TypeError if two routes collide
 */
export function createGatewayServer(options: GatewayServerOptions): Server {
  const { replier, accounts, clock, onFault, onClosed, upgrades = null, held = new HeldBytes() } = options
  const limits = { ...DEFAULT_SERVER_LIMITS, ...options.limits }
  const socketReplies = new SocketReplies(replier)
  const connections = new ClientConnections({
    limits,
    clock,
    held,
    peerOf: (address) => accounts.peerOf(address),
    refuse: (socket) => socketReplies.refuseConnection(socket),
    onClosed,
  })
  replier.nodeLines = new NodeLines(limits.keepAliveTimeoutMs)
  const pipeline = new RequestPipeline({ ...options, held, connections })
  const server = createNodeServer(limits, upgrades)
  watchConnections(server, connections, limits)
  const { answersFirst } = options
  if (answersFirst === undefined) server.on('request', pipeline.serve)
  else {
    server.on('request', (request, response) => {
      if (!answersFirst(request, response)) pipeline.serve(request, response)
    })
  }
  // `100 Continue` is sent only once it is known that the body will be read.
  server.on('checkContinue', pipeline.serve)
  server.on('checkExpectation', pipeline.serve)
  server.on('clientError', (error, socket) =>
    socketReplies.refuseUnreadable(error, socket as Socket, connections.of(socket as Socket)),
  )
  server.on('connect', (_request, socket) => socketReplies.refuseConnect(socket as Socket))
  if (upgrades !== null) {
    const onUpgrade = createUpgradeListener({
      upgrades,
      accounts,
      connections,
      replier,
      onFault,
      socketReplies,
      shedding: options.shedding ?? null,
    })
    server.on('upgrade', (request, socket, head) => onUpgrade(request, socket as Socket, head))
  }
  return server
}

function createNodeServer(limits: ServerLimits, upgrades: Upgrades | null): Server {
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    // faultOfHead checks it instead, so that the refusal has an Error body.
    requireHostHeader: false,
    IncomingMessage: upgrades === null ? IncomingMessage : upgradableAt(upgrades.path),
  })
  server.timeout = limits.stalledTimeoutMs
  // By default node leaves out the fields after the 2,000th, but still reads the body by them.
  server.maxHeadersCount = 0
  return server
}

function watchConnections(server: Server, connections: ClientConnections, limits: ServerLimits): void {
  server.on('connection', (socket: Socket) => connections.accept(socket))
  let sweeping: NodeJS.Timeout
  server.on('listening', () => {
    sweeping = setInterval(() => connections.sweep(), limits.checkIntervalMs).unref()
  })
  server.on('close', () => clearInterval(sweeping))
  // Node's own leaves connections open that never received anything, such as those that browsers open ahead.
  server.closeIdleConnections = () => connections.closeIdle()
  // And node's other method leaves those open whose rest is ignored.
  server.closeAllConnections = () => connections.closeAll()
}
