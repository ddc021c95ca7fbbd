/**
 * One HTTP origin of a provider: its connection pool, its circuit breaker and
 * its credentials. Redirects are never followed, so that a key never goes to
 * another host. The only user of undici's dispatchers.
 *
 * Source: RFC 7617 (userinfo becomes Basic credentials) · RFC 6750 (Bearer)
 */

import { createHash } from 'node:crypto'
import type { Dispatcher, Pool as PoolType } from 'undici'
import Pool from 'undici/lib/dispatcher/pool.js'
import type { Call } from '../flow/call.ts'
import type { CancellationScope } from '../flow/cancellation.ts'
import { traceparentOf } from '../flow/trace-context.ts'
import { sleep } from '../runtime/clock.ts'
import { type Code, GatewayError } from '../runtime/errors.ts'
import { once } from '../runtime/once.ts'
import { recorded } from '../runtime/tape.ts'
import { Admission, type AdmissionVerdict } from './admission/admission.ts'
import { Breaker } from './admission/breaker.ts'
import { type ConcurrencyLimiter, ConnectionSlots } from './admission/concurrency.ts'
import type { Cooldowns } from './admission/cooldown.ts'
import type { Quota } from './admission/governor.ts'
import { DEFAULT_LANE, UpstreamCall, type UpstreamOrigin } from './call.ts'
import { createUpstreamContext, type UpstreamContext } from './context.ts'
import type { Carries, Diagnosable, Diagnosis } from './diagnosis.ts'
import { UpstreamHealth, type UpstreamState } from './health.ts'
import type { UpstreamRequest } from './request.ts'
import { basicTokenOf, decoded, reveals, revealsInPieces, secretsOf } from './secrets.ts'
import { askTaped, type OnAnswer } from './taped-ask.ts'
import { proxyOf, tunnelConnector } from './tunnel.ts'
import why from './why-not-called.json' with { type: 'json' }

/** Open connections; a call that finds none free waits in its client's queue. */
const CONNECTIONS = 40
/** Idle connections are kept for less than the 60 s or 75 s after which common proxies close them. */
const KEEP_ALIVE_MS = 50_000
/** The longest wait for a slot of the client, or for a connection. */
const MAX_WAIT_MS = 2_000
/** The longest wait for a quota; a call that would wait longer is rejected. */
const QUOTA_WAIT_MS = 500
/** The longest cooldown that a 429 may ask for, by default. */
const MAX_COOLDOWN_MS = 60_000
/** How long a cooldown lasts before a call probes it, by default. */
const PROBE_MS = 1_000
/** Shorter than deadlines, so that a host that drops packets does not use up a call's whole deadline. */
const CONNECT_TIMEOUT_MS = 4_000

const POOL_OPTIONS: PoolType.Options = {
  pipelining: 1,
  connect: { timeout: CONNECT_TIMEOUT_MS },
  keepAliveTimeout: KEEP_ALIVE_MS,
  // The deadline of each call covers what these two would.
  headersTimeout: 0,
  bodyTimeout: 0,
}

export interface UpstreamOptions {
  /** Its name in logs and replies, such as `solana-1`. */
  readonly label: string
  /** http: or https:; may have a path, a query and userinfo. */
  readonly url: string
  /** Sent with every request, such as an API key. */
  readonly headers?: Readonly<Record<string, string>>
  /** Names of those headers that are left out once the upstream has refused them: it answers without a key. */
  readonly optionalHeaders?: readonly string[]
  /** Hosts that aren't secret. */
  readonly publicHosts?: readonly string[]
  /** The largest answer accepted, counted as it arrives. */
  readonly maxBytes: number
  /** The scope of its errors: `rpc` if absent. */
  readonly scope?: 'rpc' | 'provider'
  /** The quota that the provider publishes; null or absent if it publishes none. */
  readonly quota?: Quota | null
  /** A quota of each lane, in addition. */
  readonly laneQuota?: Quota | null
  /** The longest cooldown that a 429 may ask for, and how long one lasts before a call probes it. */
  readonly maxCooldownMs?: number
  readonly probeMs?: number
  readonly connections?: number
  /** `calls` if absent; submissions have a concurrency limiter of their own. */
  readonly carries?: Carries
  readonly context?: UpstreamContext
}

export class Upstream implements Diagnosable {
  readonly label: string
  /** Name and port. Where several must agree, upstreams with the same host have one vote. */
  readonly host: string
  readonly carries: Carries
  readonly breaker: Breaker
  readonly #pool: () => Dispatcher
  readonly #fresh: () => Dispatcher
  readonly #origin: UpstreamOrigin
  readonly #url: URL
  #headers: string[]
  #sendHeaders: string[]
  /** Until they were refused. */
  #optionalHeaders: readonly string[]
  readonly #admission: Admission
  readonly #cooldowns: Cooldowns
  readonly #health: UpstreamHealth
  readonly #slots: ConnectionSlots
  readonly #limiter: ConcurrencyLimiter
  readonly #context: UpstreamContext

  constructor(options: UpstreamOptions) {
    const url = new URL(options.url)
    const context = options.context ?? createUpstreamContext()
    const { clock } = context
    const connections = options.connections ?? CONNECTIONS
    this.#context = context
    this.label = options.label
    this.host = url.host
    this.carries = options.carries ?? 'calls'
    context.opened.add(this)
    this.breaker = new Breaker(clock)
    this.#health = new UpstreamHealth(clock)
    this.#admission = new Admission({
      clock,
      quota: options.quota ?? null,
      laneQuota: options.laneQuota ?? null,
      maxCooldownMs: options.maxCooldownMs ?? MAX_COOLDOWN_MS,
      probeMs: options.probeMs ?? PROBE_MS,
      shared:
        context.shareLimits?.({
          label: this.label,
          carries: this.carries,
          fingerprint: fingerprintOf(url, options.headers ?? {}),
        }) ?? null,
    })
    this.#cooldowns = this.#admission.cooldowns
    this.#slots = new ConnectionSlots(connections)
    this.#limiter = options.carries === 'submissions' ? context.submissions : context.calls
    const proxy = proxyOf(context.proxies, url)
    const connect = proxy === null ? {} : { connect: tunnelConnector(proxy, CONNECT_TIMEOUT_MS) }
    const open = (more: PoolType.Options): Dispatcher =>
      context.dispatcherOf?.(url.origin) ?? new Pool(url.origin, { ...POOL_OPTIONS, ...connect, ...more })
    this.#pool = once(() => open({ connections }))
    this.#fresh = once(() => open({ pipelining: 0 }))
    this.#url = url
    const { headers, credentials } = headersOf(options, url)
    this.#headers = headers
    this.#sendHeaders = [...headers, 'content-type', 'application/json']
    this.#optionalHeaders = options.optionalHeaders ?? []
    this.#origin = this.#createOrigin(
      options,
      context,
      secretsOf(url, credentials, options.publicHosts ?? []),
    )
  }

  /**
   * Makes one call. It ends at the deadline, whatever the upstream does; the
   * deadline covers the wait for a slot of the client, for a connection and for a
   * quota.
   * @throws GatewayError  502 upstream_*, upstream_status with the status that is passed through,
   *                       or what the request's reader throws
   */
  ask<T>(request: UpstreamRequest<T>, call: Call): Promise<T> {
    const tape = this.#context.clock.tape?.() ?? null
    if (tape === null) return this.#ask(request, call, null)
    const { label, carries } = this
    const ask = (onAnswer: OnAnswer) => this.#ask(request, call, onAnswer)
    return askTaped(tape, `${label} ${carries}`, request, call.scope, ask)
  }

  async #ask<T>(request: UpstreamRequest<T>, call: Call, onAnswer: OnAnswer | null): Promise<T> {
    const lane = request.lane ?? DEFAULT_LANE
    const acquired = this.#acquire(lane, call)
    if (acquired !== null) await acquired
    const asked = this.#spend(request.lane, call)
    let spent = typeof asked === 'number' ? asked : await asked
    const waitMs = typeof spent === 'number' ? spent : spent.waitMs
    if (waitMs > 0 && waitMs <= Math.min(QUOTA_WAIT_MS, call.leftMs / 2)) {
      await sleep(this.#context.clock, waitMs)
      spent = await this.#spend(request.lane, call)
    }
    this.#requireRoom(lane, call, spent)
    const answer = this.#begin(request, call, onAnswer).run()
    if (this.#optionalHeaders.length === 0) return await answer
    try {
      return await answer
    } catch (error) {
      const isRefused = error instanceof GatewayError && error.fields.upstreamStatus === 401
      if (!isRefused) throw error
      this.#leaveOutKey()
      return await this.#ask(request, call, onAnswer)
    }
  }

  /** A refused key turns answers that need none into refusals. */
  #leaveOutKey(): void {
    if (this.#optionalHeaders.length === 0) return
    const names = new Set(this.#optionalHeaders)
    const without = (headers: string[]): string[] =>
      headers.filter((_, i) => !names.has(headers[i - (i % 2)]!))
    this.#headers = without(this.#headers)
    this.#sendHeaders = without(this.#sendHeaders)
    this.#optionalHeaders = []
    this.#context.onKeyRefused(this.label)
  }

  /** Gets a slot of the client: at once if it returns null, else after a wait. */
  #acquire(lane: string, { leftMs, scope }: Call): Promise<void> | null {
    if (!this.isReady(lane)) throw this.#rejection(lane)
    // Others have used up the time: it isn't this upstream's failure, and it gets no call.
    if (leftMs <= 0) throw notMade('upstream_timeout', why.outOfTime, this.#origin)
    if (this.#limiter.tryAcquire(scope.client, this.#slots)) return null
    const waitMs = Math.min(leftMs / 2, MAX_WAIT_MS)
    return new Promise<boolean>((onSettled) => {
      this.#limiter.acquire({ client: scope.client, slots: this.#slots, waitMs, scope, onSettled })
    }).then((isAcquired) => {
      if (isAcquired) return
      scope.markThrottled()
      this.#context.onRejected(this.label, 'slots')
      throw notMade('upstream_rate_limited', why.tooManyCalls, this.#origin, MAX_WAIT_MS)
    })
  }

  /** Whether a call would be made now, rather than rejected by the circuit breaker or a cooldown. */
  isReady(lane: string = DEFAULT_LANE): boolean {
    return this.#recorded(
      `ready ${lane}`,
      () => !this.isBarred && this.breaker.isReady && this.#cooldowns.isReady(lane),
    )
  }

  /** What was read of its state, by way of a request's tape. */
  #recorded<T>(name: string, read: () => T): T {
    const { clock } = this.#context
    if (clock.tape === undefined) return read()
    return recorded(clock, `${this.label} ${this.carries} ${name}`, read)
  }

  /**
   * Stops all calls, because it isn't the upstream that it should be.
   * @param code  null lifts this
   */
  bar(code: Code | null): void {
    this.#health.barred(code)
  }

  get isBarred(): boolean {
    return this.#health.isBarred
  }

  /** Until a call is worth trying, ms; 0 if it is now, Infinity if it never is. */
  waitMs(lane: string = DEFAULT_LANE): number {
    return this.#recorded(`wait ${lane}`, () => {
      if (this.isBarred) return Infinity
      return this.isReady(lane) ? 0 : this.breaker.waitMs || this.#cooldowns.leftMs(lane)
    })
  }

  get state(): UpstreamState {
    const isCooling = this.breaker.isOpen || !this.#cooldowns.isReady(DEFAULT_LANE)
    return this.#health.state(this.label, isCooling, this.#cooldowns.isAny)
  }

  get diagnosis(): Diagnosis {
    return {
      name: this.label,
      carries: this.carries,
      state: this.state.state,
      breaker: this.breaker.phase,
      breakerMs: this.breaker.waitMs,
      cooldowns: this.#cooldowns.active,
      quota: this.#admission.governor?.state ?? null,
      callsUnderWay: this.#slots.used,
    }
  }

  /** The part of its quota that is left, 0 to 1; null if it has none. */
  get quotaLeft(): number | null {
    return this.#recorded('quota', () => this.#admission.left)
  }

  /** Whether the bytes contain a secret of this upstream. */
  isRevealedBy(bytes: Buffer): boolean {
    return this.#origin.reveals(bytes)
  }

  /** Closes the connections; calls in progress fail. */
  async close(): Promise<void> {
    this.#context.opened.delete(this)
    this.#admission.close()
    await Promise.all([this.#pool().destroy(), this.#fresh().destroy()])
  }

  #createOrigin(
    { label, scope = 'rpc', maxBytes }: UpstreamOptions,
    context: UpstreamContext,
    secrets: readonly string[],
  ): UpstreamOrigin {
    return {
      label,
      scope,
      pool: this.#pool,
      fresh: this.#fresh,
      breaker: this.breaker,
      cooldowns: this.#cooldowns,
      clock: context.clock,
      held: context.held,
      maxBytes,
      reveals: (bytes) => reveals(bytes, secrets),
      revealsInPieces: (bytes) => revealsInPieces(bytes, secrets),
      isWaitedFor: (client) => this.#limiter.isWaitedFor(this.#slots, client),
      onEnd: (end) => {
        this.#limiter.release(end.client, this.#slots)
        if (!this.isBarred) this.#health.ended(end)
        context.onCall(end)
      },
    }
  }

  /** Spends a call of the quotas, as in `Admission.spend`. */
  #spend(lane: string | undefined, { priority, scope }: Call): number | Promise<AdmissionVerdict> {
    return this.#admission.spend(lane, lane ?? DEFAULT_LANE, priority, scope.client)
  }

  /** @throws GatewayError  if the call may not begin now; its slot is released */
  #requireRoom(lane: string, { scope }: Call, spent: number | AdmissionVerdict): void {
    const { waitMs, isHeld } =
      typeof spent === 'number' ? { waitMs: spent, isHeld: !this.#cooldowns.isReady(lane) } : spent
    if (waitMs === 0 && !isHeld && !this.isBarred && this.breaker.isReady) return
    this.#limiter.release(scope.client, this.#slots)
    if (waitMs === 0) throw this.#rejection(lane)
    scope.markThrottled()
    this.#context.onRejected(this.label, 'quota')
    throw notMade('upstream_rate_limited', why.quotaUsedUp, this.#origin, waitMs)
  }

  #begin<T>(request: UpstreamRequest<T>, call: Call, onAnswer: OnAnswer | null): UpstreamCall<T> {
    const pass = this.breaker.admit(call.scope.client)
    this.#cooldowns.begin(request.lane ?? DEFAULT_LANE)
    const { method, body } = request
    const own = body === null ? this.#headers : this.#sendHeaders
    const all = request.headers === undefined ? own : [...own, ...request.headers]
    const options = { method, path: this.#pathOf(request.path), headers: this.#traced(all, call.scope), body }
    return new UpstreamCall(this.#origin, { options, request, pass, call, onAnswer })
  }

  /** The headers, with the trace context of the request that the call is for, if it has one. */
  #traced(headers: string[], scope: CancellationScope): string[] {
    const trace = this.#context.passesTrace ? scope.request?.trace : null
    return trace == null ? headers : [...headers, 'traceparent', traceparentOf(trace)]
  }

  #rejection(lane: string): GatewayError {
    const waitMs = this.waitMs(lane)
    const isCooldown = this.breaker.isReady && !this.isBarred
    this.#context.onRejected(this.label, isCooldown ? 'cooldown' : 'breaker')
    if (!isCooldown) return coolingDown(waitMs, this.#origin)
    const code = this.#cooldowns.codeOf(lane)
    return notMade(code, why.cooldowns[code], this.#origin, waitMs)
  }

  /** The request's path below the base URL's, with both their queries. */
  #pathOf(path: string): string {
    const { pathname, search } = this.#url
    if (path === '') return pathname + search
    const joined = (pathname.endsWith('/') ? pathname.slice(0, -1) : pathname) + path
    if (search === '') return joined
    return path.includes('?') ? `${joined}&${search.slice(1)}` : joined + search
  }
}

/** The headers of a call without a body, alternating names and values, and the secrets among their values. */
function headersOf(
  { headers: own = {} }: UpstreamOptions,
  url: URL,
): { readonly headers: string[]; readonly credentials: string[] } {
  const { accept = 'application/json', ...others } = own
  const headers = ['accept', accept, 'accept-encoding', 'identity', 'user-agent', 'swapgate']
  const credentials: string[] = []
  for (const [name, value] of Object.entries(others)) {
    headers.push(name, value)
    credentials.push(value)
  }
  if (url.username !== '' || url.password !== '') {
    const [name, value] = KEY_HEADERS.has(url.username.toLowerCase())
      ? keyHeaderOf(url.username.toLowerCase(), decoded(url.password))
      : ['authorization', `Basic ${basicTokenOf(url)}`]
    headers.push(name, value)
    credentials.push(value.replace(/^\w+ /, ''))
  }
  return { headers, credentials }
}

/**
 * User names that say which header carries the password as a key, as some services want it:
 * `https://x-api-key:KEY@tx.jup.ag`.
 */
const KEY_HEADERS: ReadonlySet<string> = new Set(['bearer', 'x-api-key', 'api-key', 'apikey'])

const keyHeaderOf = (name: string, key: string): readonly [string, string] =>
  name === 'bearer' ? ['authorization', `Bearer ${key}`] : [name, key]

/**
 * The error of a call that a circuit breaker rejected.
 * @param origin  undefined if all of several upstreams rejected it
 */
export function coolingDown(retryAfterMs: number, origin?: UpstreamOrigin): GatewayError {
  if (retryAfterMs === Infinity) return notMade('wrong_cluster', why.wrongCluster, origin)
  return notMade('upstream_unavailable', why.coolingDown, origin, retryAfterMs)
}

/** The error of a call that was not made. */
const notMade = (
  code: Code,
  message: string,
  origin: UpstreamOrigin | undefined,
  retryAfterMs?: number,
): GatewayError =>
  new GatewayError(code, message, {
    ...(origin && { provider: origin.label, scope: origin.scope }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })

/** Equal for two instances that call the same upstream on the same account; it reveals nothing else. */
function fingerprintOf(url: URL, headers: Readonly<Record<string, string>>): string {
  const text = JSON.stringify([url.href, Object.entries(headers)])
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

export type QuotaLeft = ReturnType<typeof quotasOf>[number]

/** What is left of each quota, 0 to 1; nothing of an upstream without one. */
export const quotasOf = (upstreams: readonly Upstream[]) =>
  upstreams.flatMap(({ label, carries, quotaLeft }) =>
    quotaLeft === null ? [] : [{ upstream: label, quota: carries, left: quotaLeft }],
  )
