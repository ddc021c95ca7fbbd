/**
 * One HTTP origin of a provider: its connections, its circuit breaker, and
 * where its credentials go. Redirects are never followed, so that a key cannot
 * be carried elsewhere. The only user of undici's dispatchers.
 *
 * Source: RFC 7617 (userinfo becomes Basic credentials)
 */

import type { Pool as PoolType } from 'undici'
import Pool from 'undici/lib/dispatcher/pool.js'
import { CLOCK, type Clock } from '../clock.ts'
import { type ErrorFields, GatewayError } from '../errors.ts'
import { Breaker, type BreakerState } from './breaker.ts'
import { type AskOptions, Call, type Origin, type UpstreamRequest } from './call.ts'
import { Governor, type Quota } from './governor.ts'
import { decoded, reveals, revealsInPieces, secretsOf } from './secrets.ts'

/** Open connections: as many as the public Solana endpoints grant one address. */
const CONNECTIONS = 40
/** Idle connections are kept for less than the 60 s and 75 s after which common proxies drop them. */
const KEEP_ALIVE_MS = 50_000
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
  /** The longest pause that a 429 may ask for. */
  readonly maxPauseMs?: number
  readonly clock?: Clock
}

/** An upstream's state as GET /api/health shows it. */
export interface UpstreamState extends BreakerState {
  readonly name: string
}

export class Upstream {
  readonly label: string
  readonly breaker: Breaker
  readonly #pool: PoolType
  readonly #fresh: PoolType
  readonly #origin: Origin
  readonly #url: URL
  readonly #headers: string[]
  readonly #sendHeaders: string[]
  readonly #secrets: readonly string[]
  readonly #governor: Governor | null

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
    const clock = options.clock ?? CLOCK
    this.label = options.label
    this.breaker = new Breaker(clock, options.maxPauseMs)
    this.#governor = options.quota ? new Governor(options.quota, clock) : null
    this.#pool = new Pool(url.origin, { ...pool, connections: CONNECTIONS })
    this.#fresh = new Pool(url.origin, { ...pool, pipelining: 0 })
    this.#origin = {
      label: options.label,
      scope: options.scope ?? 'rpc',
      pool: this.#pool,
      fresh: this.#fresh,
      breaker: this.breaker,
      clock,
      maxBytes: options.maxBytes,
    }
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
    this.#secrets = secretsOf(url, credentials, options.publicHosts ?? [])
  }

  /**
   * Make one call. It ends at the deadline, whatever the upstream does.
   * @throws GatewayError  502 upstream_*, upstream_status with the status that is passed through,
   *                       or what the request's reader throws
   */
  ask<T>(
    request: UpstreamRequest<T>,
    { deadlineMs, priority = 'build', caller = null }: AskOptions,
  ): Promise<T> {
    if (!this.breaker.isReady) return Promise.reject(coolingDown(this.breaker.waitMs, this.#origin))
    const waitMs = this.#governor?.admit(priority) ?? 0
    if (waitMs > 0) return Promise.reject(quotaUsedUp(waitMs, this.#origin))
    const pass = this.breaker.admit()
    const { method, body } = request
    const headers = body === null ? this.#headers : this.#sendHeaders
    const options = { method, path: this.#pathOf(request.path), headers, body }
    return new Call(this.#origin, options, request, pass, caller).run(deadlineMs)
  }

  get state(): UpstreamState {
    return { name: this.label, ...this.breaker.state }
  }

  /** Whether the bytes give away where this upstream is or how it is paid for. */
  isRevealedBy(bytes: Buffer): boolean {
    return reveals(bytes, this.#secrets)
  }

  /** The same, of bytes that may be many. */
  isRevealedByMany(bytes: Buffer): Promise<boolean> {
    return revealsInPieces(bytes, this.#secrets)
  }

  /** Closes the connections; a call that is still under way fails. */
  async close(): Promise<void> {
    await Promise.all([this.#pool.destroy(), this.#fresh.destroy()])
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
export function coolingDown(retryAfterMs: number, origin?: Origin): GatewayError {
  const message = 'The upstreams are cooling down after failures. Try again when retryAfterMs have passed.'
  return new GatewayError('upstream_unavailable', message, { ...nameOf(origin), retryAfterMs })
}

function quotaUsedUp(retryAfterMs: number, origin: Origin): GatewayError {
  const message = "The gateway's quota at this upstream is used up. Try again when retryAfterMs have passed."
  return new GatewayError('upstream_rate_limited', message, { ...nameOf(origin), retryAfterMs })
}

function nameOf(origin: Origin | undefined): ErrorFields {
  return origin === undefined ? {} : { provider: origin.label, scope: origin.scope }
}

function basicTokenOf(url: URL): string {
  return Buffer.from(`${decoded(url.username)}:${decoded(url.password)}`).toString('base64')
}
