/**
 * One request and its reply: what the pipeline and the handlers need to know of
 * them, and the budget that the request took.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { CancellationScope, type Client, type OriginatingRequest } from '../../flow/cancellation.ts'
import type { Pieces } from '../../flow/pieces.ts'
import { Timing } from '../../flow/timing.ts'
import { parseTraceparent, type TraceContext } from '../../flow/trace-context.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { GatewayError } from '../../runtime/errors.ts'
import type { BudgetName } from '../limit/budgets.ts'
import type { RequestHead } from './head.ts'
import type { RequestTape } from './tape.ts'

/** Identifies clients, and counts what they spend. */
export interface ClientAccounts {
  /**
   * Spends one request of a budget for the client of an exchange: at once if this
   * instance decides, later if the instances share the budget.
   * @param cost  0: spends nothing, and only notes what is left
   * @returns whether there was room
   */
  take(exchange: Exchange, name: BudgetName, cost: 0 | 1): boolean | Promise<boolean>
  /**
   * Whether a body of this many bytes is read. If false, the refusal is noted: too many of this client's
   * bodies were refused recently, or are in progress.
   */
  admitsBody(exchange: Exchange, bytes: number): boolean
  /**
   * Reserves more units of `refused` for a body in progress. If false, the refusal is noted: there is no
   * room.
   * @param own  the units already reserved for it
   */
  reserve(exchange: Exchange, units: number, own: number): boolean
  /** Releases reserved units. */
  unreserve(client: Client, units: number): void
  /** Spends for a refused body, or for the body of a refused request. */
  chargeBody(exchange: Exchange, bytes: number): void
  /** The client whose shares the exchange's upstream calls take. */
  clientOf(exchange: { readonly request: RequestHead }): Client
  /** The client that a connection counts for; null for a trusted proxy. */
  peerOf(address: string | undefined): string | null
  /** @throws 400  if the proxies list too many hops to identify the client */
  requireClient(exchange: Pick<Exchange, 'request'>): void
}

/** What clients cost the event loop. */
export interface CostMeter {
  /** @param calls  upstream calls that the request waited for  @param bytes  of its body and its reply */
  end(client: Client, calls: number, bytes: number): void
  /** Charges processor time that was measured. */
  work(client: Client, ms: number): void
}

/** The connection that carries exchanges. */
export interface Carrier {
  /**
   * Whether it has arrived completely and nothing follows it, so that the connection may close after its
   * reply.
   */
  isLast(exchange: Exchange): boolean
  /**
   * Ends the exchange.
   * @param bytes   the reply's own memory, which is held until it is read
   * @param shared  memory that it shares with other replies; null for none, or if it outlives them
   */
  settle(exchange: Exchange, bytes: number, shared: Pieces | null): void
  /** Closes the connection, because the reply is not read. */
  drop(exchange: Exchange): void
  /** The last request has arrived: nothing after it is read. */
  ignoreRest(): void
}

/** The data of a 429, kept with the exchange because a budget knows only its last decision. */
interface BudgetRefusal {
  readonly name: BudgetName
  readonly refusedBy: 'client' | 'global'
  readonly retryAfterMs: number
  readonly retryAfterSeconds: number
}

/** The route's name for no match; log lines and metrics never carry a path that a client chose. */
export const NO_ROUTE = 'none'

interface ExchangeOptions {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
  readonly clock: Clock
  readonly accounts: ClientAccounts
  readonly carrier: Carrier
  /** Null or absent for a request that is not recorded. */
  readonly tape?: RequestTape | null
}

export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
  /** The client's; null if it sends none. */
  readonly trace: TraceContext | null
  readonly timing: Timing
  /** Null for a request that is not recorded. */
  readonly tape: RequestTape | null
  /** The pattern of its route. */
  route: string = NO_ROUTE
  /** RateLimit headers after the last budget decision; null without a budget, or with a lifted one. */
  rateLimit: string | null = null
  rateLimitPolicy: string | null = null
  /** Set if no call was made for it: it joined one in progress, or a cached answer was kept. */
  sharedAnswer: 'coalesced' | 'cached' | null = null
  /** Why a budget refused; null if none did. */
  refusal: BudgetRefusal | null = null
  /** The JSON-RPC method of a relayed request, one of the relay's list, or `array`; null elsewhere. */
  rpc: string | null = null
  /** The error that was answered; null if there was none. */
  failure: Pick<GatewayError, 'code' | 'fields'> | null = null
  replied = false
  /** Whether its reply is an event stream, whose duration isn't a latency. */
  isStream = false
  /**
   * The length of the body that was read, or the limit that it exceeded; for one refused on its way, what had
   * arrived.
   */
  receivedBytes = 0
  /** Whether a budget paid for the request. */
  isPaid = false
  /** Whether load shedding has admitted it by its head alone: its body is too short for a build. */
  isAdmitted = false
  /** Counts the exchange's cost; null before it is counted and after it is reported. */
  meter: CostMeter | null = null
  readonly #accounts: ClientAccounts
  readonly #carrier: Carrier
  #client: Client | null = null
  #isGone = false
  #whenGone: (() => void)[] | null = null

  constructor({ request, response, id, clock, accounts, carrier, tape = null }: ExchangeOptions) {
    this.request = request
    this.response = response
    this.id = id
    this.trace = parseTraceparent(request.headers.traceparent)
    this.timing = new Timing(clock)
    this.tape = tape
    this.#accounts = accounts
    this.#carrier = carrier
  }

  /** The client whose shares it takes. */
  get client(): Client {
    if (this.#client === null) {
      this.#client = this.#accounts.clientOf(this)
      this.tape?.from(this.#client)
    }
    return this.#client
  }

  /**
   * Runs the handler if one request fits the client's and the global window. If either has no room, nothing
   * is spent, and the handler answers null (§8).
   */
  withBudget<T>(name: BudgetName, run: () => T): T | null | Promise<Awaited<T> | null> {
    const taken = this.#take(name, 1)
    if (typeof taken !== 'boolean') return this.#afterDecision(taken, run)
    this.isPaid = taken
    return taken ? run() : null
  }

  async #afterDecision<T>(taken: Promise<boolean>, run: () => T): Promise<Awaited<T> | null> {
    this.isPaid = await taken
    return this.isPaid ? await run() : null
  }

  /** Reads a budget without spending, for a reply that is free, and runs the handler (§8). */
  peekBudget<T>(name: BudgetName, run: () => T): T | Promise<Awaited<T>> {
    const noted = this.#take(name, 0)
    return typeof noted === 'boolean' ? run() : noted.then(run as () => Awaited<T>)
  }

  /** A round trip to Redis if instances share the windows. */
  #take(name: BudgetName, cost: 0 | 1): boolean | Promise<boolean> {
    const { budget } = this.timing
    budget.begin()
    const taken = this.#accounts.take(this, name, cost)
    if (typeof taken !== 'boolean') return taken.finally(() => budget.end())
    budget.end()
    return taken
  }

  /** True once the client's connection is gone. */
  get gone(): boolean {
    return this.#isGone
  }

  /** Calls back when the client goes away before its reply. */
  onGone(callback: () => void): void {
    this.#whenGone ??= []
    this.#whenGone.push(callback)
  }

  /** The client has gone away. */
  leave(): void {
    this.#isGone = true
    if (!this.replied) for (const callback of this.#whenGone ?? []) callback()
  }

  /** As in `Carrier.isLast`. */
  get isLast(): boolean {
    return this.#carrier.isLast(this)
  }

  /** Ends the exchange, as in `Carrier.settle`. @param sentBytes  of its reply's body */
  settle(sentBytes: number, heldBytes: number, shared: Pieces | null = null): void {
    this.reportCost(sentBytes)
    this.#carrier.settle(this, heldBytes, shared)
  }

  /** Reports the cost, once. */
  reportCost(sentBytes: number): void {
    this.meter?.end(this.client, this.timing.upstream.count, this.receivedBytes + sentBytes)
    this.meter = null
  }

  /** Closes the connection after the reply instead of reading the rest of the request. */
  leaveUnread(): void {
    this.response.shouldKeepAlive = false
    this.#carrier.ignoreRest()
  }

  /** Closes the connection of a client that does not read its reply. */
  drop(): void {
    this.#carrier.drop(this)
  }

  /** The cancellation scope of the calls for this request: cancelled when the client goes away before its reply. */
  scope(): CancellationScope {
    const { id, trace, timing } = this
    // Not the exchange itself: a cached answer keeps its scope.
    const request: OriginatingRequest = { id, trace, timing }
    const scope = new CancellationScope(this.client, request)
    if (this.gone) scope.cancel()
    else this.onGone(() => scope.cancel())
    return scope
  }
}
