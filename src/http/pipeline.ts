/**
 * One request's life, in the order of this file: admit, match, shed, read,
 * validate, hand to its route, reply. Nothing here knows what a route is about.
 *
 * Source: RFC 9110, RFC 9112
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../runtime/clock.ts'
import { GatewayError } from '../runtime/errors.ts'
import type { HeldBytes } from '../runtime/held-bytes.ts'
import { type TurnQueues, WRITTEN } from '../runtime/turn-share.ts'
import { refuseInput } from '../runtime/validate.ts'
import {
  announcedBytes,
  type BodyResult,
  checkContentType,
  DISCARD_BYTES,
  METERED_OUT,
  parseJson,
  readBody,
} from './body.ts'
import { BodyMeter } from './body-meter.ts'
import { type CompiledRoute, compileRoute } from './compiled-route.ts'
import type { ClientConnections } from './connections.ts'
import { Events, Opening } from './events.ts'
import { type ClientAccounts, Exchange } from './exchange.ts'
import { faultOfHead, requestId, targetOf } from './head.ts'
import type { Replier } from './reply.ts'
import { Representation, SharedPieces } from './representation.ts'
import { type GetRoute, type PostRoute, type Result, type Served, StatusReply } from './route.ts'
import { type Endpoint, Router } from './router.ts'
import type { Shedding, SheddingPriority } from './shedding.ts'
import { METHODS, RETRY_HEADERS } from './socket-replies.ts'
import type { EventStreams } from './streams.ts'

type Verdict = 'admitted' | 'shed' | 'unasked'

interface PipelineOptions {
  readonly routes: readonly Served[]
  readonly replier: Replier
  readonly accounts: ClientAccounts
  readonly clock: Clock
  readonly connections: ClientConnections
  readonly held: HeldBytes
  /** Called with errors that no route should throw. */
  readonly onFault: (error: unknown, exchange: Exchange | null) => void
  readonly streams?: EventStreams | null
  readonly shedding?: Shedding | null
  /** What a turn of the event loop writes of shared documents; the tests hand in their own. */
  readonly written?: TurnQueues
}

export class RequestPipeline {
  readonly #router: Router<CompiledRoute>
  readonly #replier: Replier
  readonly #accounts: ClientAccounts
  readonly #clock: Clock
  readonly #connections: ClientConnections
  readonly #held: HeldBytes
  readonly #onFault: PipelineOptions['onFault']
  readonly #streams: EventStreams | null
  readonly #shedding: Shedding | null
  readonly #written: TurnQueues
  readonly #nextId = requestIds()
  /** The path parameters' values; one array serves all requests, because it is read in the turn that fills it. */
  readonly #values: string[] = []

  /** @throws TypeError when a schema does not compile or two routes collide */
  constructor(options: PipelineOptions) {
    const { shedding = null, streams = null, written = WRITTEN } = options
    this.#written = written
    this.#router = new Router(options.routes.map(compileRoute))
    this.#replier = options.replier
    this.#accounts = options.accounts
    this.#clock = options.clock
    this.#connections = options.connections
    this.#held = options.held
    this.#onFault = options.onFault
    this.#streams = streams
    this.#shedding = shedding
  }

  /** Serves one request; a listener of node's server. */
  readonly serve = (request: IncomingMessage, response: ServerResponse): void => {
    const connection = this.#connections.admit(request.socket)
    if (connection === null) return
    const id = requestId(request) ?? this.#nextId()
    const exchange = new Exchange(request, response, id, this.#clock, this.#accounts, connection)
    connection.exchanges.add(exchange)
    // Node drops what it has read behind an offer of an upgrade.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false
    // It is known to be the last request: what comes behind it is not answered.
    if (!response.shouldKeepAlive) connection.isEnding = true
    try {
      this.#begin(request, exchange)
    } catch (error) {
      this.#fail(exchange, error)
    }
  }

  #begin(request: IncomingMessage, exchange: Exchange): void {
    const error = faultOfHead(request)
    if (error !== null) {
      this.#leaveUnread(exchange)
      throw error
    }
    this.#accounts.requireClient(exchange)
    this.#replier.requireOwnName(request)
    const target = targetOf(request)
    const mark = target.indexOf('?')
    this.#values.length = 0
    const path = mark === -1 ? target : target.slice(0, mark)
    const endpoint = this.#router.match(path, this.#values)
    if (endpoint === null) {
      if (path === '*' && request.method === 'OPTIONS') {
        this.#replier.preflight(exchange, METHODS)
        return
      }
      const meant = this.#router.nearest(path)
      const hint = meant === null ? '' : ` Did you mean \`${meant}\`?`
      const message = `Nothing is served at this path; GET /openapi.json lists what is.${hint}`
      throw new GatewayError('not_found', message)
    }
    const { method } = request
    const compiled = method === 'POST' ? endpoint.post : endpoint.get
    if (method !== 'POST' && announcedBytes(request) > DISCARD_BYTES) this.#leaveUnread(exchange)
    if (compiled === null || (method !== 'GET' && method !== 'POST' && method !== 'HEAD')) {
      this.#answerOtherMethod(method, endpoint, exchange)
      return
    }
    exchange.route = compiled.path
    const verdict = this.#shedding?.mustAsk() ? this.#ask(compiled, exchange, this.#shedding) : 'unasked'
    if (verdict === 'shed') {
      this.#shed(exchange)
      return
    }
    if (compiled.query === null) {
      this.#receive(compiled, request, exchange, verdict === 'unasked')
      return
    }
    this.#meter(exchange)
    this.#answer(exchange, this.#handleGet(compiled, mark === -1 ? '' : target.slice(mark + 1), exchange))
  }

  /** Whether load shedding admits a request by its head; `unasked` if only its body says how much it matters. */
  #ask({ priority, byBody }: CompiledRoute, { client, request }: Exchange, shedding: Shedding): Verdict {
    if (priority !== null) return shedding.admits(priority, client) ? 'admitted' : 'shed'
    if (byBody === null) return 'unasked'
    if (announcedBytes(request) < byBody.leastBuildBytes) {
      return shedding.admits('quote', client) ? 'admitted' : 'shed'
    }
    if (shedding.mayAdmit('build', client)) return 'unasked'
    shedding.refuse('build', client)
    return 'shed'
  }

  /** Counts from now on what the exchange costs. */
  #meter(exchange: Exchange): void {
    const shedding = this.#shedding
    if (shedding === null) return
    shedding.begin(exchange.client)
    exchange.meter = shedding.costs
  }

  #answerOtherMethod(
    method: string | undefined,
    { allow }: Endpoint<CompiledRoute>,
    exchange: Exchange,
  ): void {
    if (method === 'OPTIONS') {
      this.#replier.preflight(exchange, allow)
      return
    }
    this.#charge(exchange)
    this.#replier.fail(exchange, new GatewayError('wrong_method', `This path takes ${allow}.`), [
      'Allow',
      allow,
    ])
  }

  #handleGet(compiled: CompiledRoute, query: string, exchange: Exchange): Result | Promise<Result> {
    const { validate } = exchange.timing
    validate.begin()
    const input = compiled.query!.read(query, this.#values)
    if (!compiled.validator.Check(input)) throw refuseInput(compiled.validator, input)
    validate.end()
    const since = this.#clock.now()
    const result = (compiled.route as GetRoute).handle(input, exchange)
    this.#shedding?.costs.work(exchange.client, this.#clock.now() - since)
    return result
  }

  #receive(compiled: CompiledRoute, request: IncomingMessage, exchange: Exchange, mustAsk: boolean): void {
    const { maxBytes } = compiled.route as PostRoute
    this.#replier.requireOwnOrigin(request)
    if (!this.#accounts.admitsBody(exchange, Math.min(announcedBytes(request), maxBytes))) {
      this.#leaveUnread(exchange)
      this.#replier.refuse(exchange)
      return
    }
    checkContentType(request)
    if (request.headers.expect !== undefined) exchange.response.writeContinue()
    const meter = new BodyMeter(exchange, this.#accounts, this.#held, () => refuse())
    const refuse = readBody(request, maxBytes, meter, (bytes) => {
      try {
        if (bytes === METERED_OUT) this.#refuseMetered(meter, exchange)
        else this.#handlePost(compiled, bytes, exchange, mustAsk)
      } catch (error) {
        this.#fail(exchange, error)
      }
    })
  }

  /** Refuses a body before it has come, and closes the connection. */
  #refuseMetered({ bytes, refusal }: BodyMeter, exchange: Exchange): void {
    if (exchange.replied) return
    exchange.receivedBytes = bytes
    this.#charge(exchange)
    this.#leaveUnread(exchange)
    if (refusal === 'budget') this.#replier.refuse(exchange)
    else throw refusal
  }

  /** @param bytes  the body, why it was refused, or null when the client went away */
  #handlePost(
    compiled: CompiledRoute,
    bytes: Exclude<BodyResult, typeof METERED_OUT>,
    exchange: Exchange,
    mustAsk: boolean,
  ): void {
    // A body that came too late was answered already, and is not handled either.
    if (exchange.replied) return
    if (bytes === null) {
      this.#replier.abandon(exchange)
      return
    }
    const route = compiled.route as PostRoute
    exchange.receivedBytes = bytes instanceof GatewayError ? route.maxBytes : bytes.length
    if (bytes instanceof GatewayError) throw bytes
    const shedding = this.#shedding
    const byBody = mustAsk && shedding?.mustAsk() ? compiled.byBody : null
    const guess = byBody?.ofBytes(bytes)
    if (guess && guess !== 'build' && this.#isShed(guess, exchange, shedding!)) return
    if (guess !== 'build') this.#meter(exchange)
    const { validate } = exchange.timing
    validate.begin()
    const body = parseJson(bytes)
    if (!compiled.validator.Check(body)) {
      const refusal = refuseInput(compiled.validator, body)
      throw route.refusalOf?.(refusal, body) ?? refusal
    }
    validate.end()
    if (guess === 'build') {
      if (this.#isShed(byBody!.of(body), exchange, shedding!)) return
      this.#meter(exchange)
    }
    const since = this.#clock.now()
    const result = route.handle(body, exchange, bytes)
    shedding?.costs.work(exchange.client, this.#clock.now() - since)
    this.#answer(exchange, result)
  }

  #isShed(priority: SheddingPriority, exchange: Exchange, shedding: Shedding): boolean {
    if (shedding.admits(priority, exchange.client)) return false
    this.#shed(exchange)
    return true
  }

  #shed(exchange: Exchange): void {
    const { request } = exchange
    if (!request.complete && announcedBytes(request) > DISCARD_BYTES) this.#leaveUnread(exchange)
    this.#replier.shed(exchange)
  }

  #answer(exchange: Exchange, result: Result | Promise<Result>): void {
    if (result instanceof Promise) {
      result.then(
        (settled) => this.#deliver(exchange, settled),
        (error) => this.#fail(exchange, error),
      )
    } else this.#deliver(exchange, result)
  }

  #deliver(exchange: Exchange, result: Result): void {
    const replier = this.#replier
    if (exchange.gone) replier.abandon(exchange)
    else if (result === null) {
      this.#charge(exchange)
      replier.refuse(exchange)
    } else if (result instanceof Representation) this.#deliverShared(exchange, result)
    else if (result instanceof SharedPieces) {
      // What is held for these replies alone is not accounted for while it waits.
      if (result.held === null) this.#deliverShared(exchange, result)
      else replier.sendPieces(exchange, result)
    } else if (result instanceof Events) this.#stream(exchange, result)
    else if (result instanceof Opening) this.#open(exchange, result)
    else if (result instanceof StatusReply) replier.send(exchange, result.status, result.body)
    else replier.send(exchange, 200, result)
  }

  /** Within what the turn may write, and after the connection's earlier replies. */
  #deliverShared(exchange: Exchange, result: Representation | SharedPieces): void {
    const { socket } = exchange.request
    if (this.#written.mustWait(socket)) this.#written.wait(socket, () => this.#sendShared(exchange, result))
    else this.#written.wrote(this.#sendShared(exchange, result))
  }

  /** @returns the length of the body */
  #sendShared(exchange: Exchange, result: Representation | SharedPieces): number {
    const replier = this.#replier
    try {
      if (!exchange.gone) {
        return result instanceof Representation
          ? replier.sendRepresentation(exchange, result)
          : replier.sendPieces(exchange, result)
      }
      replier.abandon(exchange)
    } catch (error) {
      this.#fail(exchange, error)
    }
    return 0
  }

  #stream(exchange: Exchange, events: Events): void {
    try {
      this.#requireStreams().begin(exchange, events, this.#replier)
    } catch (error) {
      this.#fail(exchange, error)
    }
  }

  #open(exchange: Exchange, { open }: Opening): void {
    try {
      const streams = this.#requireStreams()
      if (exchange.request.method === 'HEAD') streams.answerHead(exchange, this.#replier)
      else this.#answer(exchange, streams.holdingPlace(exchange.client, open))
    } catch (error) {
      this.#fail(exchange, error)
    }
  }

  /** @throws TypeError  where a route answers events, and the server has none */
  #requireStreams(): EventStreams {
    if (this.#streams === null) throw new TypeError('this server has no streams')
    return this.#streams
  }

  #fail(exchange: Exchange, error: unknown): void {
    if (exchange.gone) this.#replier.abandon(exchange)
    else if (error instanceof GatewayError) {
      if (error.status < 500) this.#charge(exchange)
      this.#replier.fail(exchange, error, error.code === 'overloaded' ? RETRY_HEADERS : null)
    } else {
      this.#onFault(error, exchange)
      this.#replier.fail(
        exchange,
        new GatewayError('internal_error', 'The gateway failed; its log says why.'),
      )
    }
  }

  /** Charges the client's `refused` budget for the body of a request that no other budget paid for. */
  #charge(exchange: Exchange): void {
    const bytes = announcedBytes(exchange.request)
    if (bytes === 0 || exchange.isPaid) return
    this.#accounts.chargeBody(exchange, bytes === Infinity ? exchange.receivedBytes : bytes)
    if (!exchange.request.complete && bytes > DISCARD_BYTES) this.#leaveUnread(exchange)
  }

  /** Closes the connection after the reply instead of reading the rest of the request. */
  #leaveUnread(exchange: Exchange): void {
    exchange.response.shouldKeepAlive = false
    this.#connections.of(exchange.request.socket)?.ignoreRest()
  }
}

/** Ids that differ within a process by a counter and between processes by a random prefix. */
function requestIds(): () => string {
  const prefix = Math.random().toString(36).slice(2, 10)
  let count = 0
  return () => `${prefix}-${(++count).toString(36)}`
}
