/**
 * One request and its reply, for as long as it lasts: what the pipeline and a
 * handler need to know of it, and the budget that it took.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { CancellationScope, type Client, type OriginatingRequest } from '../runtime/cancellation.ts'
import type { Clock } from '../runtime/clock.ts'
import type { GatewayError } from '../runtime/errors.ts'
import { Timing } from '../runtime/timing.ts'
import { parseTraceparent, type TraceContext } from '../runtime/trace-context.ts'
import type { BudgetName } from './limit/budgets.ts'

/** Tells clients apart, and counts what they spend. */
export interface ClientAccounts {
  /**
   * Spends one request of a budget for the client behind an exchange: at once
   * where this instance decides, later where it asks those that share the budget.
   * @param cost  0: spends none, and only notes what is left
   * @returns whether there was room
   */
  take(exchange: Exchange, name: BudgetName, cost: 0 | 1): boolean | Promise<boolean>
  /** Whether a body of so many bytes is read, or too many of this client were refused lately; that is noted then. */
  admitsBody(exchange: Exchange, bytes: number): boolean
  /** Spends for a body that was refused, or that the budget of its request refused. */
  chargeBody(exchange: Exchange, bytes: number): void
  /** Whose shares the exchange's upstream calls take. */
  clientOf(exchange: Pick<Exchange, 'request'>): Client
  /** Whom a connection is counted for; null where it is a trusted proxy. */
  peerOf(address: string | undefined): string | null
  /** @throws 400  where the proxies name more hops than are looked at, so that the client cannot be told */
  requireClient(exchange: Pick<Exchange, 'request'>): void
}

/** What carries exchanges, and is told when one is over. */
export interface Carrier {
  /** Whether all of it is here and nothing came behind it, so that what carries it can be closed behind its reply. */
  isLast(exchange: Exchange): boolean
  /** @param bytes  of a reply that were made for it alone, and are held until they are read */
  settle(exchange: Exchange, bytes: number): void
  /** Closes what carries it, because its reply is not read. */
  drop(exchange: Exchange): void
}

/** A 429 in the making; kept with the exchange because the budget itself speaks of its last decision only. */
interface BudgetRefusal {
  readonly name: BudgetName
  readonly refusedBy: 'client' | 'global'
  readonly retryAfterMs: number
  readonly retryAfterSeconds: number
}

/** The route of a request that met none; log lines and metrics never carry a path that a caller chose. */
const NO_ROUTE = 'none'

export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
  /** The caller's; null where it names none. */
  readonly trace: TraceContext | null
  readonly timing: Timing
  /** The pattern of the route that was met. */
  route: string = NO_ROUTE
  /** What the budget headers say, as of when the budget was taken or looked at; null where none was, or it is lifted. */
  rateLimit: string | null = null
  rateLimitPolicy: string | null = null
  /** Whose answer it is, where no call was made for it: one under way, or one of before. */
  sharedAnswer: 'joined' | 'kept' | null = null
  /** Why a budget refused, null where none did. */
  refusal: BudgetRefusal | null = null
  /** The JSON-RPC method that the relay was asked for, one of its list; null elsewhere. */
  rpc: string | null = null
  /** What was answered in the place of a result, null where there was one. */
  failure: Pick<GatewayError, 'code' | 'fields'> | null = null
  replied = false
  /** Whether its reply goes on until somebody leaves, so that how long it took says nothing. */
  isStream = false
  /** Of a body that came in chunks, or a bound that it passed. */
  receivedBytes = 0
  /** Whether a budget paid for the request. */
  isPaid = false
  readonly #accounts: ClientAccounts
  readonly #carrier: Carrier
  #isGone = false
  #whenGone: (() => void)[] | null = null

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    clock: Clock,
    accounts: ClientAccounts,
    carrier: Carrier,
  ) {
    this.request = request
    this.response = response
    this.id = id
    this.trace = parseTraceparent(request.headers.traceparent)
    this.timing = new Timing(clock)
    this.#accounts = accounts
    this.#carrier = carrier
  }

  /** Whose shares it takes. */
  get client(): Client {
    return this.#accounts.clientOf(this)
  }

  /**
   * Spends one request of the client's and the global window, and goes on. Where
   * there is no room, nothing was spent, and the handler answers null (§8).
   */
  spending<T>(name: BudgetName, goOn: () => T): T | null | Promise<Awaited<T> | null> {
    const taken = this.#take(name, 1)
    if (typeof taken !== 'boolean') return this.#goOnLater(taken, goOn)
    this.isPaid = taken
    return taken ? goOn() : null
  }

  async #goOnLater<T>(taken: Promise<boolean>, goOn: () => T): Promise<Awaited<T> | null> {
    this.isPaid = await taken
    return this.isPaid ? await goOn() : null
  }

  /** Notes what is left of a budget, for a reply that is free, and goes on (§8). */
  noting<T>(name: BudgetName, goOn: () => T): T | Promise<Awaited<T>> {
    const noted = this.#take(name, 0)
    return typeof noted === 'boolean' ? goOn() : noted.then(goOn as () => Awaited<T>)
  }

  /** Where windows are shared, that is a round trip to Redis. */
  #take(name: BudgetName, cost: 0 | 1): boolean | Promise<boolean> {
    const { budget } = this.timing
    budget.begin()
    const taken = this.#accounts.take(this, name, cost)
    if (typeof taken !== 'boolean') return taken.finally(() => budget.end())
    budget.end()
    return taken
  }

  /** True once the client's connection is gone, so that an answer could reach nobody. */
  get gone(): boolean {
    return this.#isGone
  }

  /** Calls back when the client goes away before it has its answer. */
  onGone(callback: () => void): void {
    this.#whenGone ??= []
    this.#whenGone.push(callback)
  }

  /** The client has gone away. */
  leave(): void {
    this.#isGone = true
    if (!this.replied) for (const callback of this.#whenGone ?? []) callback()
  }

  /** As of `Carrier.isLast`. */
  get isLast(): boolean {
    return this.#carrier.isLast(this)
  }

  /** It is over for the gateway. @param bytes  as of `Carrier.settle` */
  settle(bytes: number): void {
    this.#carrier.settle(this, bytes)
  }

  /** Its client does not read what it gets: the connection is closed. */
  drop(): void {
    this.#carrier.drop(this)
  }

  /** For the calls that are made for this request: given up when the client goes away before it has its answer. */
  scope(): CancellationScope {
    const { id, trace, timing } = this
    // Not the exchange itself: an answer that is kept keeps its caller.
    const request: OriginatingRequest = { id, trace, timing }
    const scope = new CancellationScope(this.client, request)
    if (this.gone) scope.cancel()
    else this.onGone(() => scope.cancel())
    return scope
  }
}
