/**
 * Joins the client's address to the budgets, and notes on the exchange what the
 * reply says about them.
 *
 * Source: §5.6, §8
 */
import type { Client } from '../../flow/cancellation.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { addToCount } from '../../runtime/lists.ts'
import { type Budget, type Budgets, type ClientKey, REFUSED_UNIT_BYTES } from '../limit/budgets.ts'
import type { SharedWindows } from '../limit/shared-windows.ts'
import type { ClientAccounts, Exchange } from '../request/exchange.ts'
import type { RequestHead } from '../request/head.ts'
import { ClientAddress, type ClientReader, MAX_HOPS } from './client.ts'

/** The units of the longest body of any route, 256 KiB. */
const LONGEST_BODY_UNITS = Math.ceil(262_144 / REFUSED_UNIT_BYTES)

interface AccountsOptions {
  readonly budgets: Budgets
  /** Counts for all instances together; null if each counts for itself. */
  readonly shared: SharedWindows | null
  readonly readClient: ClientReader
  readonly peerOf: ClientAccounts['peerOf']
  /** The header in which trusted proxies forward the client's address, lower case. */
  readonly header: string
  readonly clock: Clock
  /** Called once, at the first untrusted peer that sends that header. */
  readonly onUntrusted: () => void
}

export function createAccounts(options: AccountsOptions): ClientAccounts {
  const { budgets, shared, readClient, peerOf, header, clock, onUntrusted } = options
  // Filled and used within one turn of the event loop, so one object serves all requests.
  const client = new ClientAddress()
  /** The request that it was read of. */
  let known: RequestHead | null = null
  let warned = false
  /** Reserved units of `refused`, for bodies in progress. */
  const reserved = new Map<Client, number>()

  const read = ({ request }: { readonly request: RequestHead }): void => {
    if (request === known) return
    known = request
    readClient(request.socket.remoteAddress, request.headers[header], client)
    if (client.headerIgnored && !warned) {
      warned = true
      onUntrusted()
    }
  }

  const note = (exchange: Exchange, budget: Budget): void => {
    exchange.rateLimit = budget.rateLimit()
    exchange.rateLimitPolicy = budget.rateLimitPolicy
  }

  const refuse = (exchange: Exchange, budget: Budget): void => {
    exchange.refusal = {
      name: budget.name,
      // Null if only the reservations for bodies in progress leave no room.
      refusedBy: budget.refusedBy ?? 'client',
      retryAfterMs: budget.retryAfterMs(),
      retryAfterSeconds: budget.retryAfterSeconds(),
    }
  }

  const settle = (exchange: Exchange, budget: Budget, cost: 0 | 1, admitted: boolean): boolean => {
    note(exchange, budget)
    if (!admitted && cost > 0) refuse(exchange, budget)
    return admitted
  }

  const takeAlone = (exchange: Exchange, budget: Budget, cost: 0 | 1, whose: ClientKey): boolean => {
    const { hi, lo } = whose
    budget.at(clock.now())
    return settle(exchange, budget, cost, cost === 0 ? budget.peek(hi, lo, 1) : budget.take(hi, lo))
  }

  const takeShared = async (
    exchange: Exchange,
    budget: Budget,
    cost: 0 | 1,
    windows: SharedWindows,
  ): Promise<boolean> => {
    const whose = { hi: client.hi, lo: client.lo }
    const seen = budget.at(clock.now()).view(whose.hi, whose.lo)
    const decision = await windows.decide(budget.name, budget.limit, whose, cost, seen)
    windows.decisions[decision === null ? 'local' : 'shared']++
    if (decision === null) return takeAlone(exchange, budget, cost, whose)
    const admitted = budget.at(clock.now()).adopt(whose.hi, whose.lo, decision)
    return settle(exchange, budget, cost, admitted)
  }

  /**
   * Whether `refused` has room for a body of this many units, in addition to those reserved for others.
   * @param own  the part of the reservation that is the body's own
   */
  const hasRoom = (exchange: Exchange, units: number, own: number): boolean => {
    read(exchange)
    const budget = budgets.refused
    // Usually nothing is reserved, and the key would be a string to build.
    const others = reserved.size === 0 ? 0 : (reserved.get(client.key) ?? 0) - own
    const isAffordable = budget.at(clock.now()).peek(client.hi, client.lo, others + units)
    // A fresh window always admits one maximum-size body.
    const isOver = others + units > Math.max(budget.limit.client, others === 0 ? LONGEST_BODY_UNITS : 0)
    if (isAffordable && !isOver) return true
    note(exchange, budget)
    refuse(exchange, budget)
    return false
  }

  return {
    take(exchange, name, cost) {
      read(exchange)
      const budget = budgets[name]
      if (shared === null || budget.rateLimitPolicy === null) return takeAlone(exchange, budget, cost, client)
      if (shared.isUp) return takeShared(exchange, budget, cost, shared)
      shared.decisions.local++
      return takeAlone(exchange, budget, cost, client)
    },
    admitsBody(exchange, bytes) {
      return hasRoom(exchange, Math.max(1, Math.ceil(bytes / REFUSED_UNIT_BYTES)), 0)
    },
    reserve(exchange, units, own) {
      if (!hasRoom(exchange, own + units, own)) return false
      addToCount(reserved, client.key, units)
      return true
    },
    unreserve: (whose, units) => void addToCount(reserved, whose, -units),
    chargeBody(exchange, bytes) {
      read(exchange)
      // A client that retries too early gets its refusals free, but not for bodies of any length.
      const units = bytes / REFUSED_UNIT_BYTES
      const cost = exchange.refusal === null ? Math.max(1, Math.ceil(units)) : Math.floor(units)
      budgets.refused.at(clock.now()).charge(client.hi, client.lo, cost)
    },
    clientOf(exchange) {
      read(exchange)
      return client.key
    },
    peerOf,
    requireClient(exchange) {
      read(exchange)
      if (!client.hasTooManyHops) return
      const message = `The header ${header} must list at most ${MAX_HOPS} trusted hops.`
      throw new GatewayError('malformed_request', message)
    },
  }
}
