/**
 * One HTTP origin of a provider: its connections, its circuit breaker, and
 * where its credentials go. Redirects are never followed, so that a key cannot
 * be carried elsewhere. The only user of undici's dispatchers.
 *
 * Source: RFC 7617 (userinfo becomes Basic credentials)
 */

import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool as PoolType } from 'undici'
import Pool from 'undici/lib/dispatcher/pool.js'
import { type CancellationScope, type Client, GATEWAY } from '../runtime/cancellation.ts'
import { type Clock, countdown } from '../runtime/clock.ts'
import { type Code, type ErrorFields, GatewayError } from '../runtime/errors.ts'
import { traceparentOf } from '../runtime/trace-context.ts'
import { Admission, type AdmissionVerdict } from './admission.ts'
import { Breaker } from './breaker.ts'
import {
  type AskOptions,
  type CallEnd,
  UpstreamCall,
  type UpstreamOrigin,
  type UpstreamRequest,
  WHOLE,
} from './call.ts'
import { type ConcurrencyLimiter, ConnectionSlots } from './concurrency.ts'
import { createUpstreamContext, type HeldBackBy, type UpstreamContext } from './context.ts'
import type { Cooldowns } from './cooldown.ts'
import type { Carries, Diagnosable, Diagnosis } from './diagnosis.ts'
import type { Priority, Quota } from './governor.ts'
import { UpstreamHealth, type UpstreamState } from './health.ts'
import { decoded, reveals, revealsInPieces, secretsOf } from './secrets.ts'

/** Open connections; what needs another waits in its client's line. */
const CONNECTIONS = 40
/** Idle connections are kept for less than the 60 s and 75 s after which common proxies drop them. */
const KEEP_ALIVE_MS = 50_000
/** How long a call waits at most for its client's other calls, or for a connection. */
const MAX_WAIT_MS = 2_000
/** A call waits for a quota that has room again so soon; else it is refused. */
const QUOTA_WAIT_MS = 500
/** The longest pause that a 429 may ask for, where nothing else is said. */
const MAX_PAUSE_MS = 60_000
/** A pause is tested after so long, where nothing else is said. */
const PROBE_MS = 1_000
/** A host that drops packets should not use up a call's whole deadline. */
const CONNECT_TIMEOUT_MS = 4_000

export interface UpstreamOptions {
  /** What logs and replies call it, such as `solana-1`. */
  readonly label: string
  /** http: or https:, with a path, a query and userinfo if need be. */
  readonly url: string
  /** Sent with every request, such as an API key. */
  readonly headers?: Readonly<Record<string, string>>
  /** Hosts that are no secret. */
  readonly publicHosts?: readonly string[]
  /** Bound of an answer's body, counted as it arrives. */
  readonly maxBytes: number
  /** The scope of its failures: `rpc` where absent. */
  readonly scope?: 'rpc' | 'provider'
  /** What the provider grants us; null or absent where it publishes nothing. */
  readonly quota?: Quota | null
  /** What it grants in each lane besides. */
  readonly laneQuota?: Quota | null
  /** The longest pause that a 429 may ask for, and after how much of one a call is let through to see. */
  readonly maxPauseMs?: number
  readonly probeMs?: number
  readonly connections?: number
  /** `calls` where absent; submissions have lines of their own. */
  readonly carries?: Carries
  readonly commons?: UpstreamContext
}

/** What is left of a quota that is kept towards an upstream. */
export interface QuotaLeft {
  readonly upstream: string
  readonly quota: Carries
  /** 0 to 1. */
  readonly left: number
}

export class Upstream implements Diagnosable {
  readonly label: string
  readonly carries: Carries
  readonly breaker: Breaker
  readonly #pool: PoolType
  readonly #fresh: PoolType
  readonly #origin: UpstreamOrigin
  readonly #url: URL
  readonly #headers: string[]
  readonly #sendHeaders: string[]
  readonly #admission: Admission
  readonly #pauses: Cooldowns
  readonly #standing: UpstreamHealth
  readonly #slots: ConnectionSlots
  readonly #inFlight: ConcurrencyLimiter
  readonly #opened: Set<Diagnosable>
  readonly #clock: Clock
  readonly #passesTrace: boolean
  readonly #onHeldBack: (by: HeldBackBy) => void

  constructor(options: UpstreamOptions) {
    const url = new URL(options.url)
    const pool: PoolType.Options = {
      pipelining: 1,
      connect: { timeout: CONNECT_TIMEOUT_MS },
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The deadline of each call covers what these two would.
      headersTimeout: 0,
      bodyTimeout: 0,
    }
    const commons = options.commons ?? createUpstreamContext()
    const { clock } = commons
    const connections = options.connections ?? CONNECTIONS
    this.label = options.label
    this.carries = options.carries ?? 'calls'
    this.#opened = commons.opened
    this.#opened.add(this)
    this.breaker = new Breaker(clock)
    this.#clock = clock
    this.#passesTrace = commons.passesTrace
    this.#onHeldBack = (by) => commons.onHeldBack(options.label, by)
    this.#standing = new UpstreamHealth(clock)
    this.#admission = new Admission({
      clock,
      quota: options.quota ?? null,
      laneQuota: options.laneQuota ?? null,
      maxPauseMs: options.maxPauseMs ?? MAX_PAUSE_MS,
      probeMs: options.probeMs ?? PROBE_MS,
      shared:
        commons.shareLimits?.({
          label: options.label,
          carries: this.carries,
          fingerprint: fingerprintOf(url, options.headers ?? {}),
        }) ?? null,
    })
    this.#pauses = this.#admission.pauses
    this.#slots = new ConnectionSlots(connections)
    this.#inFlight = options.carries === 'submissions' ? commons.submissions : commons.inFlight
    this.#pool = new Pool(url.origin, { ...pool, connections })
    this.#fresh = new Pool(url.origin, { ...pool, pipelining: 0 })
    this.#url = url
    this.#headers = ['accept', 'application/json', 'accept-encoding', 'identity', 'user-agent', 'swapgate']
    const credentials: string[] = []
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      this.#headers.push(name, value)
      credentials.push(value)
    }
    if (url.username !== '' || url.password !== '') {
      const token = basicTokenOf(url)
      this.#headers.push('authorization', `Basic ${token}`)
      credentials.push(token)
    }
    this.#sendHeaders = [...this.#headers, 'content-type', 'application/json']
    const secrets = secretsOf(url, credentials, options.publicHosts ?? [])
    this.#origin = {
      label: options.label,
      scope: options.scope ?? 'rpc',
      pool: this.#pool,
      fresh: this.#fresh,
      breaker: this.breaker,
      pauses: this.#pauses,
      clock,
      maxBytes: options.maxBytes,
      reveals: (bytes) => reveals(bytes, secrets),
      revealsInPieces: (bytes) => revealsInPieces(bytes, secrets),
      onEnd: (end) => {
        this.#inFlight.leave(end.client, this.#slots)
        this.#note(end)
        commons.onCall(end)
      },
    }
  }

  /**
   * Make one call. It ends at the deadline, whatever the upstream does; that
   * covers the wait for its client's other calls, for a connection and for a
   * quota.
   * @throws GatewayError  502 upstream_*, upstream_status with the status that is passed through,
   *                       or what the request's reader throws
   */
  ask<T>(
    request: UpstreamRequest<T>,
    { deadlineMs, priority = 'build', scope = null }: AskOptions,
  ): Promise<T> {
    if (!this.isReady(request.lane)) return Promise.reject(this.#heldBack(request.lane))
    const client = scope?.client ?? GATEWAY
    const asked = { deadlineMs, priority, scope }
    if (!this.#inFlight.enter(client, this.#slots)) return this.#askInTurn(request, asked)
    const quotaMs = this.#spend(request.lane, priority, client)
    if (typeof quotaMs !== 'number') return this.#askOnceTold(quotaMs, request, asked)
    if (quotaMs > 0) return this.#askWithinQuota(quotaMs, request, asked)
    return this.#begin(request, deadlineMs, scope)
  }

  /** Whether a call would be made now, rather than held back by failures or by a 429. */
  isReady(lane: string = WHOLE): boolean {
    return !this.isBarred && this.breaker.isReady && this.#pauses.isReady(lane)
  }

  /** Makes no more calls: it is not what it was taken for. */
  bar(code: Code): void {
    this.#standing.barred(code)
  }

  get isBarred(): boolean {
    return this.#standing.isBarred
  }

  /** How long until a call is worth trying, in ms; 0 when it is now, Infinity where it never is. */
  waitMs(lane: string = WHOLE): number {
    if (this.isBarred) return Infinity
    return this.isReady(lane) ? 0 : this.breaker.waitMs || this.#pauses.leftMs(lane)
  }

  get state(): UpstreamState {
    const isCooling = this.breaker.isOpen || !this.#pauses.isReady(WHOLE)
    return this.#standing.state(this.label, isCooling, this.#pauses.isAny)
  }

  get diagnosis(): Diagnosis {
    return {
      name: this.label,
      carries: this.carries,
      state: this.state.state,
      breaker: this.breaker.phase,
      breakerMs: this.breaker.waitMs,
      pauses: this.#pauses.held,
      quota: this.#admission.governor?.state ?? null,
      callsUnderWay: this.#slots.used,
    }
  }

  /** Part of its quota that is left, 0 to 1; null where it has none. */
  get quotaLeft(): number | null {
    return this.#admission.governor?.left ?? null
  }

  /** Whether the bytes give away where this upstream is or how it is paid for. */
  isRevealedBy(bytes: Buffer): boolean {
    return this.#origin.reveals(bytes)
  }

  /** Closes the connections; a call that is still under way fails. */
  async close(): Promise<void> {
    this.#opened.delete(this)
    this.#admission.close()
    await Promise.all([this.#pool.destroy(), this.#fresh.destroy()])
  }

  async #askInTurn<T>(
    request: UpstreamRequest<T>,
    { deadlineMs, priority, scope }: Required<AskOptions>,
  ): Promise<T> {
    const client = scope?.client ?? GATEWAY
    const leftMs = countdown(this.#clock, deadlineMs)
    const entered = await this.#inFlight.wait(
      client,
      this.#slots,
      Math.min(deadlineMs / 2, MAX_WAIT_MS),
      scope,
    )
    if (!entered) {
      scope?.markThrottled()
      this.#onHeldBack('places')
      throw tooManyCalls(this.#origin)
    }
    const quotaMs = this.#spend(request.lane, priority, client)
    const asked = { deadlineMs: leftMs(), priority, scope }
    if (typeof quotaMs !== 'number') return this.#askOnceTold(quotaMs, request, asked)
    if (quotaMs > 0) return this.#askWithinQuota(quotaMs, request, asked)
    return this.#begin(request, leftMs(), scope)
  }

  /** @param verdict  of all instances together; the call has its place already */
  async #askOnceTold<T>(
    verdict: Promise<AdmissionVerdict>,
    request: UpstreamRequest<T>,
    { deadlineMs, priority, scope }: Required<AskOptions>,
  ): Promise<T> {
    const leftMs = countdown(this.#clock, deadlineMs)
    const { waitMs, isHeld } = await verdict
    if (waitMs > 0) return this.#askWithinQuota(waitMs, request, { deadlineMs: leftMs(), priority, scope })
    return this.#beginUnless(isHeld, request, leftMs(), scope)
  }

  /** @param quotaMs  until the quota has room; the call has its place already */
  async #askWithinQuota<T>(
    quotaMs: number,
    request: UpstreamRequest<T>,
    { deadlineMs, priority, scope }: Required<AskOptions>,
  ): Promise<T> {
    const client = scope?.client ?? GATEWAY
    const leftMs = countdown(this.#clock, deadlineMs)
    let waitMs = quotaMs
    if (waitMs <= Math.min(QUOTA_WAIT_MS, deadlineMs / 2)) {
      await sleep(waitMs)
      const spent = await this.#spend(request.lane, priority, client)
      if (typeof spent === 'number') waitMs = spent
      else if (spent.waitMs === 0) return this.#beginUnless(spent.isHeld, request, leftMs(), scope)
      else waitMs = spent.waitMs
      if (waitMs === 0) return this.#begin(request, leftMs(), scope)
    }
    this.#inFlight.leave(client, this.#slots)
    scope?.markThrottled()
    this.#onHeldBack('quota')
    throw quotaUsedUp(waitMs, this.#origin)
  }

  /** The call has its place and its part of the quota; what held it back meanwhile is seen here. */
  #begin<T>(request: UpstreamRequest<T>, deadlineMs: number, scope: CancellationScope | null): Promise<T> {
    return this.#beginUnless(!this.#pauses.isReady(request.lane ?? WHOLE), request, deadlineMs, scope)
  }

  /** @param isHeld  by what the upstream said of its limit */
  #beginUnless<T>(
    isHeld: boolean,
    request: UpstreamRequest<T>,
    deadlineMs: number,
    scope: CancellationScope | null,
  ): Promise<T> {
    const client = scope?.client ?? GATEWAY
    if (isHeld || this.isBarred || !this.breaker.isReady) {
      this.#inFlight.leave(client, this.#slots)
      return Promise.reject(this.#heldBack(request.lane))
    }
    const pass = this.breaker.admit(client)
    this.#pauses.begin(request.lane ?? WHOLE)
    const { method, body } = request
    const headers = this.#traced(body === null ? this.#headers : this.#sendHeaders, scope)
    const options = { method, path: this.#pathOf(request.path), headers, body }
    return new UpstreamCall(this.#origin, options, request, pass, scope).run(deadlineMs)
  }

  /** With the trace of the request that the call is for, where that names one. */
  #traced(headers: string[], scope: CancellationScope | null): string[] {
    const trace = this.#passesTrace ? scope?.request?.trace : null
    return trace == null ? headers : [...headers, 'traceparent', traceparentOf(trace)]
  }

  /** Spends a call of the quotas, or says in how many ms it could. */
  #spend(lane: string | undefined, priority: Priority, client: Client): number | Promise<AdmissionVerdict> {
    return this.#admission.spend(lane, lane ?? WHOLE, priority, client)
  }

  #heldBack(lane: string | undefined): GatewayError {
    const waitMs = this.waitMs(lane)
    const isPaused = this.breaker.isReady && !this.isBarred
    this.#onHeldBack(isPaused ? 'pause' : 'breaker')
    return isPaused ? limited(waitMs, this.#origin) : coolingDown(waitMs, this.#origin)
  }

  #note({ failure, isFault, status }: CallEnd): void {
    if (this.isBarred) return
    if (failure === null) this.#standing.succeeded()
    else if (failure === 'given_up') return
    else if (failure === 'upstream_refused' || status === 404) this.#standing.refused(failure, status)
    else if (isFault) this.#standing.failed(failure, status)
    else if (failure === 'upstream_rate_limited') this.#standing.limited(failure, status)
    else if (failure === 'upstream_failed') this.#standing.doubted(failure, status)
    else this.#standing.declined(failure, status)
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

/**
 * What could answer is held back by its breaker.
 * @param origin  the one that it is, undefined for all of several
 */
export function coolingDown(retryAfterMs: number, origin?: UpstreamOrigin): GatewayError {
  if (retryAfterMs === Infinity) {
    const message = 'No upstream that could be asked is of the right cluster; only the operator can mend it.'
    return new GatewayError('wrong_cluster', message, nameOf(origin))
  }
  const message = 'The upstreams are cooling down after failures. Try again when retryAfterMs have passed.'
  return new GatewayError('upstream_unavailable', message, { ...nameOf(origin), retryAfterMs })
}

/** The upstream itself said that its limit is reached, and the time has not passed. */
function limited(retryAfterMs: number, origin: UpstreamOrigin): GatewayError {
  const message = "The upstream's own rate limit is reached. Try again when retryAfterMs have passed."
  return new GatewayError('upstream_rate_limited', message, { ...nameOf(origin), retryAfterMs })
}

function tooManyCalls(origin: UpstreamOrigin): GatewayError {
  const message =
    'Too many calls are under way already. Wait for the answers to yours, or try again when retryAfterMs have passed.'
  return new GatewayError('upstream_rate_limited', message, { ...nameOf(origin), retryAfterMs: MAX_WAIT_MS })
}

function quotaUsedUp(retryAfterMs: number, origin: UpstreamOrigin): GatewayError {
  const message = "The gateway's quota at this upstream is used up. Try again when retryAfterMs have passed."
  return new GatewayError('upstream_rate_limited', message, { ...nameOf(origin), retryAfterMs })
}

function nameOf(origin: UpstreamOrigin | undefined): ErrorFields {
  return origin === undefined ? {} : { provider: origin.label, scope: origin.scope }
}

function basicTokenOf(url: URL): string {
  return Buffer.from(`${decoded(url.username)}:${decoded(url.password)}`).toString('base64')
}

/** Tells two instances whether they ask the same upstream on the same account; nothing else is to be had from it. */
function fingerprintOf(url: URL, headers: Readonly<Record<string, string>>): string {
  const text = JSON.stringify([url.href, Object.entries(headers)])
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
