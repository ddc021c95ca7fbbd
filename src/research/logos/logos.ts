/**
 * Tokens' logos, through the gateway: a client that looks at a token is not seen by who
 * hosts its picture. Only what a list names can be asked for, and a URL is asked
 * once a day, however many look.
 *
 *   chain, address ──> the URL that a list names ──> cache, or a file of the public web
 *                                                     ──> looked at ──> reply
 *
 * What fails is remembered, too, so that a host that hangs is not asked by every page.
 */

import { Call } from '../../flow/call.ts'
import type { CancellationScope, Client } from '../../flow/cancellation.ts'
import { type Medium, Representation } from '../../http/reply/representation.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { getOrInsert } from '../../runtime/lists.ts'
import { named } from '../../runtime/tape.ts'
import { ConcurrencyLimiter, ConnectionSlots } from '../../upstream/admission/concurrency.ts'
import { type CacheState, Coalescer } from '../../upstream/answers/coalescing.ts'
import type { PublicFiles } from '../../upstream/public-files.ts'
import { imageTypeOf, MAX_IMAGE_BYTES, MAX_SIDE } from './image.ts'

/** Hosts that negotiate will answer with one of these. */
const ACCEPT = 'image/png, image/jpeg;q=0.9'
/** For a whole fetch: connections, redirects and the body. */
const DEADLINE_MS = 5_000
/** The longest wait for a slot: a page shows a hundred logos at once. */
const WAIT_MS = 5_000
/** Concurrent fetches per client, per host and in total: a slow host only holds its own slots. */
const AT_ONCE = { client: 4, host: 8, global: 32 }
const DAY_SECONDS = 86_400
/** How long a picture is cached, a refusal of one, and a failure of its host. */
const KEEP_MS = DAY_SECONDS * 1_000
const REFUSED_MS = 3_600_000
const FAILED_MS = 300_000
const MAX_CACHED_BYTES = 32 * 1024 * 1024
/** The memory of an answer in addition to its bytes. */
const OVERHEAD_BYTES = 1_024

const HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy',
  'cross-origin',
]

/** The slots of one host. */
class HostSlots extends ConnectionSlots {
  /** Fetches that have one or wait for one. */
  users = 0
}

/** A picture, or the reason why there is none. */
interface Logo {
  readonly reply: Representation | null
  readonly refusal: GatewayError | null
  readonly bytes: number
  readonly keepMs: number
}

interface LogosOptions {
  /** The URL that a list names for a token, by its canonical address; null if none does. */
  readonly namedFor: (chain: string, address: string) => string | null
  readonly files: Pick<PublicFiles, 'get'>
  readonly clock: Clock
}

export class Logos {
  readonly #options: LogosOptions
  readonly #logos: Coalescer<Logo>
  readonly #limiter: ConcurrencyLimiter
  readonly #hosts = new Map<string, HostSlots>()

  constructor(options: LogosOptions) {
    const { clock } = options
    this.#options = options
    this.#limiter = new ConcurrencyLimiter(AT_ONCE, clock)
    const bounds = { maxBytes: MAX_CACHED_BYTES, bytesOf: ({ bytes }: Logo) => bytes + OVERHEAD_BYTES }
    this.#logos = new Coalescer(({ keepMs }) => keepMs, named(clock, 'logos'), bounds)
  }

  get cache(): CacheState {
    return this.#logos.cache
  }

  /**
   * The URL of its logo.
   * @param address  canonical
   * @throws 404  logo_not_found
   */
  urlOf(chain: string, address: string): string {
    const url = this.#options.namedFor(chain, address)
    if (url === null)
      throw new GatewayError('logo_not_found', 'No list that was read names a logo of this token.')
    return url
  }

  /** Whether `get` would fetch nothing. */
  isCached(url: string, client: Client): boolean {
    return this.#logos.has(url, client)
  }

  /** @throws GatewayError  upstream_*: it cannot be fetched, or isn't an accepted picture */
  async get(url: string, scope: CancellationScope): Promise<Representation> {
    const { reply, refusal } = await this.#logos.join(url, scope, (shared) => this.#fetch(url, shared))
    if (reply === null) throw refusal!
    return reply
  }

  async #fetch(url: string, scope: CancellationScope): Promise<Logo> {
    const { host } = new URL(url)
    const slots = getOrInsert(this.#hosts, host, () => new HostSlots(AT_ONCE.host))
    slots.users++
    try {
      return await this.#fetchAt(slots, url, scope)
    } finally {
      if (--slots.users === 0) this.#hosts.delete(host)
    }
  }

  async #fetchAt(slots: HostSlots, url: string, scope: CancellationScope): Promise<Logo> {
    await this.#acquire(slots, scope)
    const upstream = scope.request?.timing.upstream
    upstream?.begin()
    try {
      const call = Call.of(this.#options.clock, 'research', DEADLINE_MS, scope)
      const request = { url, accept: ACCEPT, maxBytes: MAX_IMAGE_BYTES, call }
      const file = await this.#options.files.get(request)
      const contentType = imageTypeOf(file)
      if (contentType !== null) return logoOf(contentType, file)
      const message = `What a list names as the logo is no PNG or JPEG of at most ${MAX_SIDE} x ${MAX_SIDE} pixels.`
      return failed(new GatewayError('upstream_unusable', message, { scope: 'provider' }))
    } catch (error) {
      if (!(error instanceof GatewayError) || scope.isCancelled) throw error
      return failed(error)
    } finally {
      upstream?.end()
      this.#limiter.release(scope.client, slots)
    }
  }

  /** @throws 503  overloaded: too many of the client's are waiting already, or it waited too long */
  async #acquire(slots: HostSlots, scope: CancellationScope): Promise<void> {
    if (this.#limiter.tryAcquire(scope.client, slots)) return
    const isAcquired = await new Promise<boolean>((settle) => {
      this.#limiter.acquire({ client: scope.client, slots, waitMs: WAIT_MS, scope, onSettled: settle })
    })
    if (isAcquired) return
    scope.markThrottled()
    throw new GatewayError('overloaded', 'Too many logos are being fetched for you. Try again later.')
  }
}

function logoOf(contentType: string, bytes: Buffer): Logo {
  const cacheControl = `public, max-age=${DAY_SECONDS}`
  const medium: Medium = { contentType, cacheControl, headers: HEADERS }
  return {
    reply: Representation.plain(bytes, medium),
    refusal: null,
    bytes: bytes.length,
    keepMs: KEEP_MS,
  }
}

function failed(refusal: GatewayError): Logo {
  const keepMs = refusal.code === 'upstream_unusable' ? REFUSED_MS : FAILED_MS
  return { reply: null, refusal, bytes: 0, keepMs }
}
