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
 */

import { type HttpReply, type HttpRequest, type Listening, listen } from './listen.ts'

export const FAULTS = ['latency', '429', '500', 'hang', 'garbage', 'stale'] as const
export type Fault = (typeof FAULTS)[number]

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
}

/** A fault, and for a latency how long it is. */
export interface Dial {
  readonly fault: Fault
  readonly ms?: number
}

/** Which provider fails how; all work until they are told otherwise. */
export class Dials {
  readonly #dials = new Map<string, Dial>()

  /**
   * @param fault  null: works again
   * @param ms     of a latency, one second unless told otherwise
   */
  set(provider: string, fault: Fault | null, ms: number = DEFAULT_LATENCY_MS): void {
    if (fault === null) this.#dials.delete(provider)
    else this.#dials.set(provider, fault === 'latency' ? { fault, ms } : { fault })
  }

  get(provider: string): Dial | null {
    return this.#dials.get(provider) ?? null
  }

  clear(): void {
    this.#dials.clear()
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
    }
  })
}

/** The caller's connection keeps the process alive, not the pause. */
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref())
