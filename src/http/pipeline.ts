/**
 * One request's life, in the order of this file: admit, match, shed, read, validate, hand to its route. delivery.ts
 * sends what the route answers. Nothing here knows what a route is about.
 *
 * Source: RFC 9110, RFC 9112
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HeldBytes } from '../flow/held-bytes.ts'
import type { Clock } from '../runtime/clock.ts'
import { GatewayError } from '../runtime/errors.ts'
import { recorded } from '../runtime/tape.ts'
import { refuseInput } from '../runtime/validate.ts'
import { type CompiledRoute, compileRoute } from './compiled-route.ts'
import type { ClientConnections } from './connections/connections.ts'
import { HTTP_METHODS } from './connections/socket-replies.ts'
import { Delivery, type DeliveryOptions } from './delivery.ts'
import type { Shedding } from './overload/shedding.ts'
import {
  announcedBytes,
  type BodyResult,
  checkContentType,
  DISCARD_BYTES,
  METERED_OUT,
  parseJson,
  readBody,
} from './request/body.ts'
import { BodyMeter } from './request/body-meter.ts'
import { Exchange } from './request/exchange.ts'
import { faultOfHead, requestId, targetOf } from './request/head.ts'
import type { RequestTape, RequestTapes } from './request/tape.ts'
import type { PostRoute, Served } from './route.ts'
import { type Endpoint, Router } from './router.ts'
import { Triage } from './triage.ts'

export interface PipelineOptions extends DeliveryOptions {
  readonly routes: readonly Served[]
  readonly clock: Clock
  readonly connections: ClientConnections
  readonly held: HeldBytes
  /** Absent without load shedding. */
  readonly shedding?: Shedding | null
  /** Absent or null without RECORD_DIR. */
  readonly tapes?: RequestTapes | null
}

export class RequestPipeline {
  readonly #options: PipelineOptions
  readonly #router: Router<CompiledRoute>
  readonly #delivery: Delivery
  readonly #triage: Triage
  readonly #nextId = requestIds()
  /** The path parameters' values; one array serves all requests, because it is read in the turn that fills it. */
  readonly #values: string[] = []

  /** @throws TypeError if two routes collide */
  constructor(options: PipelineOptions) {
    this.#options = options
    this.#router = new Router(options.routes.map(compileRoute))
    this.#delivery = new Delivery(options)
    this.#triage = new Triage(options.shedding ?? null)
  }

  /** Serves one request; a listener of node's server. */
  readonly serve = (request: IncomingMessage, response: ServerResponse): void => {
    const { tapes = null } = this.#options
    if (tapes === null) this.#serve(request, response, null)
    else tapes.serve(request, (tape) => this.#serve(request, response, tape))
  }

  #serve(request: IncomingMessage, response: ServerResponse, tape: RequestTape | null): void {
    const { accounts, clock, connections } = this.#options
    const connection = connections.admit(request.socket)
    if (connection === null) return
    const id = requestId(request) ?? recorded(clock, 'request id', this.#nextId)
    const exchange = new Exchange({ request, response, id, clock, accounts, carrier: connection, tape })
    connection.exchanges.add(exchange)
    // Node drops the bytes after an offer of an upgrade.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false
    // It is known to be the last request: what follows it is not answered.
    if (!response.shouldKeepAlive) connection.isEnding = true
    try {
      this.#begin(exchange)
    } catch (error) {
      this.#delivery.fail(exchange, error)
    }
  }

  #begin(exchange: Exchange): void {
    const { request } = exchange
    const error = faultOfHead(request)
    if (error !== null) {
      exchange.leaveUnread()
      throw error
    }
    this.#options.accounts.requireClient(exchange)
    this.#options.replier.requireOwnName(request)
    const target = targetOf(request)
    const mark = target.indexOf('?')
    const route = this.#match(mark === -1 ? target : target.slice(0, mark), exchange)
    if (route === null) return
    exchange.route = route.path
    if (this.#triage.shedsHead(route, exchange)) this.#delivery.shed(exchange)
    else if (route.query === null) this.#receive(route, exchange)
    else {
      this.#triage.count(exchange)
      const { validate } = exchange.timing
      validate.begin()
      const input = route.query.read(mark === -1 ? '' : target.slice(mark + 1), this.#values)
      const validator = route.validator()
      if (!validator.Check(input)) throw refuseInput(validator, input)
      validate.end()
      this.#handle(route, input, exchange)
    }
  }

  /** @returns null for a request that is answered here, because it asks for no route */
  #match(path: string, exchange: Exchange): CompiledRoute | null {
    const { method } = exchange.request
    this.#values.length = 0
    const endpoint = this.#router.match(path, this.#values)
    if (endpoint === null) {
      if (path !== '*' || method !== 'OPTIONS') throw this.#notFound(path)
      this.#options.replier.preflight(exchange, HTTP_METHODS)
      return null
    }
    if (method !== 'POST' && announcedBytes(exchange.request) > DISCARD_BYTES) exchange.leaveUnread()
    const route = method === 'POST' ? endpoint.post : endpoint.get
    if (route !== null && (method === 'GET' || method === 'POST' || method === 'HEAD')) return route
    this.#answerOtherMethod(endpoint, exchange)
    return null
  }

  #notFound(path: string): GatewayError {
    const meant = this.#router.nearest(path)
    const hint = meant === null ? '' : ` Did you mean \`${meant}\`?`
    const message = `Nothing is served at this path; GET /openapi.json lists what is.${hint}`
    return new GatewayError('not_found', message)
  }

  #answerOtherMethod({ allow }: Endpoint<CompiledRoute>, exchange: Exchange): void {
    if (exchange.request.method === 'OPTIONS') this.#options.replier.preflight(exchange, allow)
    else {
      const error = new GatewayError('wrong_method', `This path takes ${allow}.`)
      this.#delivery.fail(exchange, error, ['Allow', allow])
    }
  }

  #receive(compiled: CompiledRoute, exchange: Exchange): void {
    const { request } = exchange
    const { accounts, held, replier } = this.#options
    const { maxBytes } = compiled.route as PostRoute
    replier.requireOwnOrigin(request)
    if (!accounts.admitsBody(exchange, Math.min(announcedBytes(request), maxBytes))) {
      exchange.leaveUnread()
      replier.refuse(exchange)
      return
    }
    checkContentType(request)
    if (request.headers.expect !== undefined) exchange.response.writeContinue()
    const meter = new BodyMeter(exchange, accounts, held, () => refuse())
    const received = (bytes: BodyResult): void => {
      // A body that came too late was answered already, and is not handled either.
      if (exchange.replied) return
      try {
        if (bytes === null) replier.abandon(exchange)
        else if (bytes === METERED_OUT) this.#refuseMetered(meter, exchange)
        else if (bytes instanceof GatewayError) {
          exchange.receivedBytes = maxBytes
          throw bytes
        } else this.#handlePost(compiled, bytes, exchange)
      } catch (error) {
        this.#delivery.fail(exchange, error)
      }
    }
    const { tape } = exchange
    const refuse = readBody(request, maxBytes, meter, (bytes) => {
      if (tape === null || !Buffer.isBuffer(bytes)) received(bytes)
      else tape.received(bytes, () => received(bytes))
    })
  }

  /** Refuses an unfinished body, and closes the connection. */
  #refuseMetered({ bytes, refusal }: BodyMeter, exchange: Exchange): void {
    exchange.receivedBytes = bytes
    this.#delivery.charge(exchange)
    exchange.leaveUnread()
    if (refusal === 'budget') this.#options.replier.refuse(exchange)
    else throw refusal
  }

  #handlePost(compiled: CompiledRoute, bytes: Buffer, exchange: Exchange): void {
    exchange.receivedBytes = bytes.length
    if (this.#triage.shedsBytes(compiled, bytes, exchange)) {
      this.#delivery.shed(exchange)
      return
    }
    const { validate } = exchange.timing
    validate.begin()
    const route = compiled.route as PostRoute
    const checked = (): unknown => checkedBody(compiled, bytes)
    const body = route.read === undefined ? checked() : route.read(bytes, checked)
    validate.end()
    if (this.#triage.shedsBody(compiled, body, exchange)) this.#delivery.shed(exchange)
    else this.#handle(compiled, body, exchange)
  }

  #handle({ route }: CompiledRoute, input: unknown, exchange: Exchange): void {
    const { clock } = this.#options
    const since = clock.now()
    const result = route.handle(input, exchange)
    this.#triage.charge(exchange, clock.now() - since)
    this.#delivery.answer(exchange, result)
  }
}

/** @throws GatewayError  400 for what is no JSON, or not what the route's schema describes */
function checkedBody({ route, validator: compiled }: CompiledRoute, bytes: Buffer): unknown {
  const validator = compiled()
  const body = parseJson(bytes)
  if (validator.Check(body)) return body
  const refusal = refuseInput(validator, body)
  throw (route as PostRoute).refusalOf?.(refusal, body) ?? refusal
}

/** Ids with a random prefix per process and a counter. */
function requestIds(): () => string {
  const prefix = Math.random().toString(36).slice(2, 10)
  let count = 0
  return () => `${prefix}-${(++count).toString(36)}`
}
