/**
 * One request's life: match, read, validate, hand to its route, reply. The
 * order of the calls is the design; nothing here knows what a route is about.
 *
 * Source: RFC 9110, RFC 9112
 */

import { createServer, IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../runtime/clock.ts'
import { type Code, GatewayError } from '../runtime/errors.ts'
import { refuseInput } from '../runtime/validate.ts'
import { announcedBytes, checkContentType, DISCARD_BYTES, parseJson, readBody } from './body.ts'
import { Connections, type ConnectionsOptions } from './connections.ts'
import { Events } from './events.ts'
import { type Accounts, Exchange } from './exchange.ts'
import { faultOfHead, requestId, targetOf } from './head.ts'
import { DEFAULT_LIMITS, type ServerLimits } from './limits.ts'
import type { Replier } from './reply.ts'
import { Representation } from './representation.ts'
import { type GetRoute, type PostRoute, type Result, type Served, StatusReply } from './route.ts'
import { Router } from './router.ts'
import type { Priority, Shedding } from './shedding.ts'
import { type Stage, toStage } from './stage.ts'
import type { EventStreams } from './streams.ts'
import { type Upgrades, upgradableAt } from './upgrade.ts'

/** After which a connection or a stream that was refused may be tried again. */
const RETRY_SECONDS = 1
const RETRY: readonly string[] = ['Retry-After', String(RETRY_SECONDS)]

export interface ServerOptions {
  readonly routes: readonly Served[]
  readonly replier: Replier
  readonly accounts: Accounts
  readonly clock: Clock
  /** Called with what no route should have thrown; null: a WebSocket. */
  readonly onFault: (error: unknown, exchange: Exchange | null) => void
  /** Called at most once in `checkIntervalMs`, where connections were closed or refused. */
  readonly onClosed: ConnectionsOptions['onClosed']
  readonly limits?: Partial<ServerLimits>
  /** Where there are routes that answer events. */
  readonly streams?: EventStreams | null
  /** Where there are WebSockets. */
  readonly upgrades?: Upgrades | null
  /** Where requests are shed in an overload. */
  readonly shedding?: Shedding | null
}

const UNREADABLE: Readonly<Record<string, readonly [Code, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The request header must be at most 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request must arrive within its time; send it faster.'],
}

/**
 * The server, not listening yet.
 *
 * @throws TypeError when a schema does not compile or two routes collide
 */
export function createGatewayServer(options: ServerOptions): Server {
  const { replier, accounts, clock, onFault, streams = null, upgrades = null, shedding = null } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const router = new Router(options.routes.map(toStage))
  const values: string[] = []
  const nextId = requestIds()
  const connections = new Connections({
    limits,
    clock,
    peerOf: (address) => accounts.peerOf(address),
    refuse: (socket) => {
      const message = 'There are too many connections, of your address or in all; try again later.'
      refuse(socket, 'overloaded', message)
    },
    onClosed: options.onClosed,
  })

  /** In the place of an answer, on a connection that has none under way. */
  function refuse(socket: Socket, code: Code, message: string): void {
    const extra = code === 'overloaded' ? `Retry-After: ${RETRY_SECONDS}\r\n` : ''
    endWith(socket, replier.raw(code, message, extra))
  }

  function upgrade(request: IncomingMessage, socket: Socket, head: Buffer, { accept }: Upgrades): void {
    // Node listens no longer.
    socket.on('error', () => socket.destroy())
    const connection = connections.of(socket)
    // An answer that is still under way would come into the middle of it.
    if (connection === undefined || connection.isBusy) return void socket.destroy()
    try {
      const error = faultOfHead(request)
      if (error !== null) throw error
      accounts.requireClient({ request })
      requireOwnOrigin(request)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      refuse(socket, error.code, error.message)
      return
    }
    accept({
      request,
      socket,
      head,
      client: accounts.clientOf({ request }),
      keep: (isAwaited) => connections.keep(connection, isAwaited),
      refuse: (code, message) => refuse(socket, code, message),
    }).catch((error: unknown) => {
      onFault(error, null)
      socket.destroy()
    })
  }

  function requireOwnOrigin(request: IncomingMessage): void {
    if (replier.isOwnOrigin(request)) return
    const message = 'Pages of this origin may not send requests here; CORS_ORIGINS lists those that may.'
    throw new GatewayError('origin_not_allowed', message)
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const connection = connections.admit(request.socket)
    if (connection === null) return
    const id = requestId(request) ?? nextId()
    const exchange = new Exchange(request, response, id, clock, accounts, connection)
    connection.exchanges.add(exchange)
    try {
      begin(request, exchange)
    } catch (error) {
      fail(exchange, error)
    }
  }

  function begin(request: IncomingMessage, exchange: Exchange): void {
    const error = faultOfHead(request)
    if (error !== null) {
      leaveUnread(exchange)
      throw error
    }
    accounts.requireClient(exchange)
    const target = targetOf(request)
    const mark = target.indexOf('?')
    values.length = 0
    const endpoint = router.match(mark === -1 ? target : target.slice(0, mark), values)
    if (endpoint === null) {
      throw new GatewayError('not_found', 'Nothing is served at this path; GET /openapi.json lists what is.')
    }
    const { method } = request
    const stage = method === 'POST' ? endpoint.post : endpoint.get
    if (method !== 'POST' && announcedBytes(request) > DISCARD_BYTES) leaveUnread(exchange)
    if (stage !== null && (method === 'GET' || method === 'POST' || method === 'HEAD')) {
      exchange.route = stage.path
      if (shedding?.mustAsk() && isShedAtOnce(stage, exchange, shedding)) return
      if (stage.query === null) receive(stage, request, exchange)
      else answer(exchange, handleGet(stage, mark === -1 ? '' : target.slice(mark + 1), exchange))
    } else if (method === 'OPTIONS') replier.preflight(exchange, endpoint.allow)
    else {
      const error = new GatewayError('wrong_method', `This path takes ${endpoint.allow}.`)
      charge(exchange)
      replier.fail(exchange, error, ['Allow', endpoint.allow])
    }
  }

  function handleGet(stage: Stage, query: string, exchange: Exchange): Result | Promise<Result> {
    const { validate } = exchange.timing
    validate.begin()
    const input = stage.query!.read(query, values)
    if (!stage.validator.Check(input)) throw refuseInput(stage.validator, input)
    validate.end()
    return (stage.route as GetRoute).handle(input, exchange)
  }

  function receive(stage: Stage, request: IncomingMessage, exchange: Exchange): void {
    const route = stage.route as PostRoute
    requireOwnOrigin(request)
    if (!accounts.admitsBody(exchange, Math.min(announcedBytes(request), route.maxBytes))) {
      leaveUnread(exchange)
      replier.refuse(exchange)
      return
    }
    checkContentType(request)
    if (request.headers.expect !== undefined) exchange.response.writeContinue()
    readBody(request, route.maxBytes, (bytes) => {
      try {
        // It may have been told that it came too late: then it is not forwarded either.
        if (exchange.replied) return
        if (bytes === null) return replier.abandon(exchange)
        exchange.receivedBytes = bytes instanceof GatewayError ? route.maxBytes : bytes.length
        if (bytes instanceof GatewayError) throw bytes
        const byBody = shedding?.mustAsk() ? stage.byBody : null
        const guess = byBody?.ofBytes(bytes)
        if (guess && guess !== 'build' && isShed(guess, exchange, shedding!)) return
        const { validate } = exchange.timing
        validate.begin()
        const body = parseJson(bytes)
        if (!stage.validator.Check(body)) throw refuseInput(stage.validator, body)
        validate.end()
        if (guess === 'build' && isShed(byBody!.of(body), exchange, shedding!)) return
        answer(exchange, route.handle(body, exchange, bytes))
      } catch (error) {
        fail(exchange, error)
      }
    })
  }

  /** Where its priority is known from the head, or none that its body could have would help it. */
  function isShedAtOnce(stage: Stage, exchange: Exchange, shedding: Shedding): boolean {
    if (stage.priority !== null) return isShed(stage.priority, exchange, shedding)
    if (stage.byBody === null || shedding.mayAdmit(exchange.client)) return false
    shedding.refuse('build')
    shed(exchange)
    return true
  }

  function isShed(priority: Priority, exchange: Exchange, shedding: Shedding): boolean {
    if (shedding.admits(priority, exchange.client)) return false
    shed(exchange)
    return true
  }

  function shed(exchange: Exchange): void {
    const { request } = exchange
    if (!request.complete && announcedBytes(request) > DISCARD_BYTES) leaveUnread(exchange)
    replier.shed(exchange)
  }

  function answer(exchange: Exchange, result: Result | Promise<Result>): void {
    if (result instanceof Promise) {
      result.then(
        (settled) => deliver(exchange, settled),
        (error) => fail(exchange, error),
      )
    } else deliver(exchange, result)
  }

  function deliver(exchange: Exchange, result: Result): void {
    if (exchange.gone) replier.abandon(exchange)
    else if (result === null) {
      charge(exchange)
      replier.refuse(exchange)
    } else if (result instanceof Representation) replier.sendRepresentation(exchange, result)
    else if (result instanceof Events) stream(exchange, result)
    else if (result instanceof StatusReply) replier.send(exchange, result.status, result.body)
    else replier.send(exchange, 200, result)
  }

  function stream(exchange: Exchange, events: Events): void {
    try {
      if (streams === null) throw new TypeError('this server has no streams')
      streams.begin(exchange, events, replier)
    } catch (error) {
      fail(exchange, error)
    }
  }

  function fail(exchange: Exchange, error: unknown): void {
    if (exchange.gone) replier.abandon(exchange)
    else if (error instanceof GatewayError) {
      if (error.status < 500) charge(exchange)
      replier.fail(exchange, error, error.code === 'overloaded' ? RETRY : null)
    } else {
      onFault(error, exchange)
      replier.fail(exchange, new GatewayError('internal_error', 'The gateway failed; its log says why.'))
    }
  }

  /** What was refused before a budget paid for it costs its client the body. */
  function charge(exchange: Exchange): void {
    const bytes = announcedBytes(exchange.request)
    if (bytes === 0 || exchange.isPaid) return
    accounts.chargeBody(exchange, bytes === Infinity ? exchange.receivedBytes : bytes)
    if (!exchange.request.complete && bytes > DISCARD_BYTES) leaveUnread(exchange)
  }

  /** Closes the connection behind the reply, in the place of reading the rest of the request. */
  function leaveUnread(exchange: Exchange): void {
    exchange.response.shouldKeepAlive = false
    const connection = connections.of(exchange.request.socket)
    if (connection !== undefined) connection.isEnding = true
  }

  function unreadable(error: NodeJS.ErrnoException, socket: Socket): void {
    const [code, message] = UNREADABLE[error.code ?? ''] ?? ['malformed_request', 'Send HTTP/1.1 requests.']
    const connection = connections.of(socket)
    if (connection?.isEnding) return
    const [first, second] = connection?.exchanges ?? []
    // In the place of the answer that comes next on this connection only: not
    // of one that was written, or that a whole request waits for.
    const isNext = first === undefined || (second === undefined && !first.replied && !first.request.complete)
    if (!isNext || !socket.writable) {
      socket.destroy()
      return
    }
    if (first !== undefined) replier.abandon(first)
    endWith(socket, replier.raw(code, message))
  }

  const server = createServer(
    {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      // faultOfHead looks for it, so that the refusal has an Error body.
      requireHostHeader: false,
      IncomingMessage: upgrades === null ? IncomingMessage : upgradableAt(upgrades.path),
    },
    serve,
  )
  server.timeout = limits.stalledTimeoutMs
  server.on('connection', (socket: Socket) => connections.accept(socket))
  let sweeping: NodeJS.Timeout
  server.on('listening', () => {
    sweeping = setInterval(() => connections.sweep(), limits.checkIntervalMs).unref()
  })
  server.on('close', () => clearInterval(sweeping))
  // Node's own leaves those open on which nothing ever came in, as browsers and pools open them ahead.
  server.closeIdleConnections = () => connections.closeIdle()
  server.on('clientError', unreadable)
  // Whoever asks whether to send the body is told once it is known that it will be read.
  server.on('checkContinue', serve)
  server.on('checkExpectation', serve)
  server.on('connect', (_request, socket) => {
    const message = 'This is no proxy: the methods are GET, HEAD, POST and OPTIONS.'
    endWith(socket as Socket, replier.raw('wrong_method', message, 'Allow: GET, HEAD, POST, OPTIONS\r\n'))
  })
  if (upgrades !== null) {
    server.on('upgrade', (request, socket, head) => upgrade(request, socket as Socket, head, upgrades))
  }
  return server
}

/** The last bytes of a connection: it is closed behind them, whether the client closes its side or not. */
function endWith(socket: Socket, bytes: string): void {
  socket.write(bytes)
  socket.destroySoon()
}

/** Ids that differ within a process by a counter and between processes by a random prefix. */
function requestIds(): () => string {
  const prefix = Math.random().toString(36).slice(2, 10)
  let count = 0
  return () => `${prefix}-${(++count).toString(36)}`
}
