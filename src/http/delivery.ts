/**
 * What becomes of a route's result: a reply, a stream, a refusal by a budget, or an error.
 */

import { type TurnQueues, WRITTEN } from '../flow/turn-share.ts'
import { GatewayError } from '../runtime/errors.ts'
import { RETRY_HEADERS } from './connections/socket-replies.ts'
import { Events, Opening } from './reply/events.ts'
import type { Replier } from './reply/reply.ts'
import { Representation, SharedPieces } from './reply/representation.ts'
import type { EventStreams } from './reply/streams.ts'
import { announcedBytes, DISCARD_BYTES } from './request/body.ts'
import type { ClientAccounts, Exchange } from './request/exchange.ts'
import { type Result, StatusReply } from './route.ts'

export interface DeliveryOptions {
  readonly replier: Replier
  readonly accounts: ClientAccounts
  /** Called with errors that no route should throw; the exchange is null for a WebSocket. */
  readonly onFault: (error: unknown, exchange: Exchange | null) => void
  /** Required if a route answers events. */
  readonly streams?: EventStreams | null
  /** How much a turn of the event loop writes of shared documents; if absent, shared by all servers. */
  readonly written?: TurnQueues
}

export class Delivery {
  readonly #options: DeliveryOptions

  constructor(options: DeliveryOptions) {
    this.#options = options
  }

  answer(exchange: Exchange, result: Result | Promise<Result>): void {
    if (result instanceof Promise) {
      result.then(
        (settled) => this.#deliver(exchange, settled),
        (error) => this.fail(exchange, error),
      )
    } else this.#deliver(exchange, result)
  }

  #deliver(exchange: Exchange, result: Result): void {
    const replier = this.#options.replier
    if (exchange.gone) replier.abandon(exchange)
    else if (result === null) {
      this.charge(exchange)
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
    const { written = WRITTEN } = this.#options
    const { socket } = exchange.request
    if (written.mustWait(socket)) written.wait(socket, () => this.#sendShared(exchange, result))
    else written.wrote(this.#sendShared(exchange, result))
  }

  /** @returns the length of the body */
  #sendShared(exchange: Exchange, result: Representation | SharedPieces): number {
    const replier = this.#options.replier
    try {
      if (!exchange.gone) {
        return result instanceof Representation
          ? replier.sendRepresentation(exchange, result)
          : replier.sendPieces(exchange, result)
      }
      replier.abandon(exchange)
    } catch (error) {
      this.fail(exchange, error)
    }
    return 0
  }

  #stream(exchange: Exchange, events: Events): void {
    try {
      this.#requireStreams().begin(exchange, events, this.#options.replier)
    } catch (error) {
      this.fail(exchange, error)
    }
  }

  #open(exchange: Exchange, { open }: Opening): void {
    try {
      const streams = this.#requireStreams()
      if (exchange.request.method === 'HEAD') streams.answerHead(exchange, this.#options.replier)
      else this.answer(exchange, streams.holdingPlace(exchange.client, open))
    } catch (error) {
      this.fail(exchange, error)
    }
  }

  /** @throws TypeError  where a route answers events, and the server has none */
  #requireStreams(): EventStreams {
    const { streams } = this.#options
    if (!streams) throw new TypeError('this server has no streams')
    return streams
  }

  /** @param headers  of the reply, names and values in turn */
  fail(exchange: Exchange, error: unknown, headers: readonly string[] | null = null): void {
    if (exchange.gone) this.#options.replier.abandon(exchange)
    else if (error instanceof GatewayError) {
      if (error.status < 500) this.charge(exchange)
      this.#options.replier.fail(exchange, error, error.code === 'overloaded' ? RETRY_HEADERS : headers)
    } else {
      this.#options.onFault(error, exchange)
      this.#options.replier.fail(
        exchange,
        new GatewayError('internal_error', 'The gateway failed; its log says why.'),
      )
    }
  }

  shed(exchange: Exchange): void {
    const { request } = exchange
    if (!request.complete && announcedBytes(request) > DISCARD_BYTES) exchange.leaveUnread()
    this.#options.replier.shed(exchange)
  }

  /** Charges the client's `refused` budget for the body of a request that no other budget paid for. */
  charge(exchange: Exchange): void {
    const bytes = announcedBytes(exchange.request)
    if (bytes === 0 || exchange.isPaid) return
    this.#options.accounts.chargeBody(exchange, bytes === Infinity ? exchange.receivedBytes : bytes)
    if (!exchange.request.complete && bytes > DISCARD_BYTES) exchange.leaveUnread()
  }
}
