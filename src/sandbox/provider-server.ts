/**
 * The frame around every provider of the sandbox: its HTTP server, and the dial
 * that makes it fail in the ways that a real one does.
 *
 *   latency  answers, but only after so many ms
 *   429      answers a rate limit in the provider's own form
 *   500      answers a server error
 *   hang     takes the request and never answers
 *   garbage  answers 200 with something that is not JSON
 *   stale    answers with the prices of the last answer before the dial was turned
 *   steal    was taken over: what it builds robs whoever signs it, each time in another way
 */

import { type HttpReply, type HttpRequest, type Listening, listen } from './listen.ts'
import type { Fields, Thief } from './theft/thief.ts'

/** Those of every provider. */
export const FAULTS = ['latency', '429', '500', 'hang', 'garbage', 'stale'] as const
/** That of the providers that build. */
export const STEAL = 'steal'
export type Fault = (typeof FAULTS)[number] | typeof STEAL

/** The latency where a fault does not say how long. */
const DEFAULT_LATENCY_MS = 1_000

export interface ProviderRequest extends HttpRequest {
  /** The market's time, Unix ms: it stands still while the dial says stale. */
  readonly now: number
}

export type ProviderReply = HttpReply

export interface ProviderServer {
  readonly name: string
  /** The reply to a 429 fault, in the provider's own form. */
  readonly rateLimited: () => ProviderReply
  handle(request: ProviderRequest): ProviderReply | Promise<ProviderReply>
  /** Of those that build: how they rob. Imported when they do. */
  readonly thief?: () => Promise<Thief>
}

/** A fault, for a latency how long it is, and of a thief what it did last. */
export interface Dial {
  readonly fault: Fault
  readonly ms?: number
  readonly theft?: string | null
}

/** Which provider fails how; all work until they are told otherwise. */
export class Dials {
  readonly #dials = new Map<string, Dial>()
  /** Thefts since the dial was turned. */
  readonly #thefts = new Map<string, number>()

  /**
   * @param fault  null: works again
   * @param ms     of a latency, one second unless told otherwise
   */
  set(provider: string, fault: Fault | null, ms: number = DEFAULT_LATENCY_MS): void {
    this.#thefts.delete(provider)
    if (fault === null) this.#dials.delete(provider)
    else if (fault === 'latency') this.#dials.set(provider, { fault, ms })
    else this.#dials.set(provider, fault === STEAL ? { fault, theft: null } : { fault })
  }

  /** @returns what the provider answers in place of its honest body; the body itself where there is nothing in it to rob with */
  rob(provider: string, thief: Thief, body: Fields): Fields {
    const thefts = thief(body)
    if (thefts.length === 0) return body
    const count = this.#thefts.get(provider) ?? 0
    const { what, rob } = thefts[count % thefts.length]!
    this.#thefts.set(provider, count + 1)
    // Unless it was turned back meanwhile.
    if (this.get(provider)?.fault === STEAL) this.#dials.set(provider, { fault: STEAL, theft: what })
    return rob()
  }

  get(provider: string): Dial | null {
    return this.#dials.get(provider) ?? null
  }

  clear(): void {
    this.#dials.clear()
    this.#thefts.clear()
  }
}

/** @param now  Unix time in ms */
export function startProviderServer(
  provider: ProviderServer,
  dials: Dials,
  now: () => number,
): Promise<Listening> {
  let pricesAt = now()
  const work = (request: HttpRequest, at: number) => {
    pricesAt = at
    return provider.handle({ ...request, now: at })
  }
  return listen(async (request) => {
    const dial = dials.get(provider.name)
    switch (dial?.fault) {
      case undefined:
        return work(request, now())
      case 'latency':
        await pause(dial!.ms!)
        return work(request, now())
      case 'stale':
        return work(request, pricesAt)
      case '429':
        return provider.rateLimited()
      case '500':
        return { status: 500, body: { error: 'Internal Server Error' } }
      case 'garbage':
        return { status: 200, body: '{"garbage":' }
      case 'hang':
        return null
      case STEAL: {
        const reply = await work(request, now())
        const thief = await provider.thief?.()
        if (thief === undefined || reply.status !== 200) return reply
        const body = typeof reply.body === 'string' ? JSON.parse(reply.body) : reply.body
        const robbed = dials.rob(provider.name, thief, body)
        // An honest text goes out as it stands: it may hold integers that a double does not.
        return robbed === body ? reply : { ...reply, body: robbed }
      }
    }
  })
}

/** The caller's connection keeps the process alive, not the pause. */
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref())
