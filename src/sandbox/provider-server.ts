/**
 * The base of every provider and node of the sandbox: its HTTP server, and the fault
 * dial that makes it fail as a real one does.
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
  /** The market's time, Unix ms: frozen by the fault `stale`, in the past with `lag`. */
  readonly now: number
  /** The current fault, for those that the server itself simulates. */
  readonly fault: Fault | null
}

export type ProviderReply = HttpReply

export interface ProviderServer {
  readonly name: string
  /** The provider's own reply for the fault 429. */
  readonly rateLimited: () => ProviderReply
  handle(request: ProviderRequest): ProviderReply | Promise<ProviderReply>
  /** The thefts of a provider that builds transactions, imported at the first theft. */
  readonly thief?: () => Promise<Thief>
  /** A node's additional faults. */
  readonly faults?: readonly FaultKind[]
  /** The block time of a node that can lag, ms. */
  readonly blockMs?: number
}

interface ProviderServerOptions {
  /** Default 0: any free port. */
  readonly port?: number
  /** Called with each request's body, whatever the fault. */
  readonly onRequest?: (text: string) => void
  /** Waits for as many ms as the dial `latency` says. */
  readonly pause?: (ms: number) => Promise<void>
}

/** The messages of the status faults. */
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
  { port = 0, onRequest, pause = sleepIdle }: ProviderServerOptions = {},
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
        // Without a theft, the text is sent unparsed: it may hold integers that a double cannot.
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

/** Spreads slow answers evenly: with 25 percent, every fourth is slow. */
function isSlow({ percent = 100 }: Dial, count: number): boolean {
  return Math.floor(((count + 1) * percent) / 100) > Math.floor((count * percent) / 100)
}

/** The timer does not keep the process alive; the client's connection does. */
const sleepIdle = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref())
