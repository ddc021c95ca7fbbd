/**
 * The frame around every provider and node of the sandbox: its HTTP server, and
 * the dial that makes it fail in the ways that a real one does.
 */

import {
  type Dial,
  type Dials,
  FAULTS,
  type Fault,
  type FaultKind,
  STEAL,
  type StatusFault,
} from './dials.ts'
import { type HttpReply, type HttpRequest, type Listening, listen, RESET } from './listen.ts'
import { PublicLimits } from './public-limits.ts'
import type { Thief } from './theft/thief.ts'

export interface ProviderRequest extends HttpRequest {
  /** The market's time, Unix ms: it stands still while the dial says stale, and is past while it says lag. */
  readonly now: number
  /** What the dial says, for the faults that the server itself has to act out. */
  readonly fault: Fault | null
}

export type ProviderReply = HttpReply

export interface ProviderServer {
  readonly name: string
  /** The reply to a 429 fault, in the provider's own form. */
  readonly rateLimited: () => ProviderReply
  handle(request: ProviderRequest): ProviderReply | Promise<ProviderReply>
  /** Of those that build: how they rob. Imported when they do. */
  readonly thief?: () => Promise<Thief>
  /** Of a node: what it can do wrong beside what every server can. */
  readonly faults?: readonly FaultKind[]
  /** Of a node that can lag: how long one of its blocks takes. */
  readonly blockMs?: number
}

export interface ServerOptions {
  /** Default 0: any that is free. */
  readonly port?: number
  /** Told of each request's body as it came, whatever the dial makes of it. */
  readonly onRequest?: (text: string) => void
}

/** What the frame says beside a status. */
const REFUSALS: Readonly<Record<StatusFault, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  500: 'Internal Server Error',
}

/** @param now  Unix time in ms */
export function startProviderServer(
  provider: ProviderServer,
  dials: Dials,
  now: () => number,
  { port = 0, onRequest }: ServerOptions = {},
): Promise<Listening> {
  const { name, thief, faults = [], blockMs = 0 } = provider
  dials.add(name, [...FAULTS, ...(thief === undefined ? [] : [STEAL]), ...faults])
  const limits = new PublicLimits()
  let stoodAt = now()
  let count = 0
  const work = (request: HttpRequest, at: number, fault: Fault | null = null) => {
    stoodAt = at
    return provider.handle({ ...request, now: at, fault })
  }
  const answer = async (request: HttpRequest): Promise<HttpReply | null | typeof RESET> => {
    const dial = dials.get(name)
    switch (dial?.fault) {
      case undefined:
        return work(request, now())
      case 'latency':
        if (isSlow(dial!, count++)) await pause(dial!.ms!)
        return work(request, now())
      case 'stale':
        return work(request, stoodAt)
      case 'lag':
        return work(request, now() - (dial!.slots ?? dial!.blocks!) * blockMs)
      case 'limited': {
        const seconds = limits.take(request.body, now())
        if (seconds === null) return work(request, now())
        const reply = provider.rateLimited()
        return { ...reply, headers: { ...reply.headers, 'retry-after': `${seconds}` } }
      }
      case '429':
        return provider.rateLimited()
      case '401':
      case '403':
      case '404':
      case '500':
        return { status: Number(dial!.fault), body: { error: REFUSALS[dial!.fault as StatusFault] } }
      case 'garbage':
        return { status: 200, body: '{"garbage":' }
      case 'hang':
        return null
      case 'reset':
        return RESET
      case 'steal': {
        const reply = await work(request, now())
        if (reply.status !== 200) return reply
        const body = typeof reply.body === 'string' ? JSON.parse(reply.body) : reply.body
        const robbed = dials.rob(name, await thief!(), body)
        // An honest text goes out as it stands: it may hold integers that a double does not.
        return robbed === body ? reply : { ...reply, body: robbed }
      }
      default:
        return work(request, now(), dial!.fault)
    }
  }
  return listen((request) => {
    onRequest?.(request.text)
    return answer(request)
  }, port)
}

/** The slow ones are spread evenly: of 25 percent every fourth. */
function isSlow({ percent = 100 }: Dial, count: number): boolean {
  return Math.floor(((count + 1) * percent) / 100) > Math.floor((count * percent) / 100)
}

/** The caller's connection keeps the process alive, not the pause. */
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref())
