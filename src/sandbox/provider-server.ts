/**
 * The base of every provider and node of the sandbox: its HTTP server, and the fault
 * dial that makes it fail as a real one does.
 */

import type { Fields } from '../chains/json/fields.ts'
import { getOrInsert } from '../runtime/lists.ts'
import {
  type Dial,
  type Dials,
  FAULTS,
  type Fault,
  type FaultKind,
  HOSTILE,
  LIES,
  SHAVE,
  type StatusFault,
} from './dials.ts'
import { type HttpReply, type HttpRequest, type Listening, listen, RESET } from './listen.ts'
import { delayOf, type Give, isFailing } from './market/manners.ts'
import { nodeError } from './node-error.ts'
import { PublicLimits } from './public-limits.ts'
import type { Thief } from './theft.ts'

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
  /** The provider in a market whose trades give something else; for providers that build transactions. */
  readonly giving?: (give: Give) => ProviderServer
  /** Whether its swaps get what the market gives at their block. */
  readonly isFilled?: boolean
  /** The names of the members that hold prices, of a source that can lie about them. */
  readonly prices?: ReadonlySet<string>
  /** A node's additional faults. */
  readonly faults?: readonly FaultKind[]
  /** A node's own reply for the fault `nodeError`: JSON-RPC's if absent. */
  readonly nodeError?: (request: HttpRequest, code: number) => ProviderReply
  /** Whether it is a transaction, which the fault `drop` may drop; for a node that takes them. */
  readonly isDropped?: (request: HttpRequest) => boolean
  /** The time that a node lives in while it is this many blocks behind, Unix ms; for a node that can lag. */
  readonly behind?: (blocks: number, now: number) => number
}

/** Answers requests as the provider's server does. */
export type Answer = (request: HttpRequest) => Promise<HttpReply | null | typeof RESET>

interface ProviderServerOptions {
  /** Default 0: any free port. */
  readonly port?: number
  /** Called with each request's body and path, whatever the fault. */
  readonly onRequest?: (text: string, path: string) => void
  /** Waits for the ms of the dial `latency`, or for as long as a lifelike server takes. */
  readonly pause?: (ms: number) => Promise<void>
  /** It takes its time and fails now and then, see market/manners.ts. */
  readonly lifelike?: boolean
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
  { port = 0, onRequest, pause, lifelike }: ProviderServerOptions = {},
): Promise<Listening> {
  const answer = answering(provider, dials, now, pause, lifelike)
  return listen((request) => {
    onRequest?.(request.text, request.path)
    return answer(request)
  }, port)
}

/** Adds the provider's dial. @param now  Unix time in ms */
export function answering(
  provider: ProviderServer,
  dials: Dials,
  now: () => number,
  pause = sleepIdle,
  lifelike = false,
): Answer {
  const { name, thief, giving, isFilled, prices, faults = [], behind } = provider
  const isHostile = ({ fault }: FaultKind) => (fault === 'steal' ? thief : giving) !== undefined
  const hostile = [...HOSTILE, ...(isFilled ? [SHAVE] : [])].filter(isHostile)
  dials.add(name, [...FAULTS, ...hostile, ...(prices === undefined ? [] : [LIES]), ...faults])
  const limits = new PublicLimits()
  let stoodAt = now()
  let count = 0
  const others = new Map<string, ProviderServer>()
  const otherOne = (dial: Dial): ProviderServer =>
    getOrInsert(others, JSON.stringify(dial), () => giving!(statedBy(dial)))
  const work = (request: HttpRequest, at: number, fault: Fault | null = null) => {
    stoodAt = at
    return provider.handle({ ...request, now: at, fault })
  }
  /** As a lifelike server does. A build from a quote does not fail. */
  const labour = async (request: HttpRequest) => {
    const asked = questionOf(request)
    await pause(delayOf(name, asked, now()))
    const fails = request.method === 'GET' && isFailing(name, asked, now())
    return fails ? { status: 500, body: { error: REFUSALS[500] } } : work(request, now())
  }
  return async (request) => {
    const dial = dials.get(name)
    switch (dial?.fault) {
      case undefined:
        return lifelike ? labour(request) : work(request, now())
      case 'latency':
        if (isDue(dial!.percent ?? 100, count++)) await pause(dial!.ms!)
        return work(request, now())
      case 'stale':
        return work(request, stoodAt)
      case 'lag':
        return work(request, behind!((dial!.slots ?? dial!.blocks)!, now()))
      case 'drop': {
        const isDropped = provider.isDropped!(request) && isDue(dial!.share!, count++)
        return work(request, now(), isDropped ? 'forget' : null)
      }
      case 'limited': {
        const seconds = limits.take(request.body, now())
        if (seconds === null) return work(request, now())
        const reply = provider.rateLimited()
        return { ...reply, headers: { ...reply.headers, 'retry-after': `${seconds}` } }
      }
      case 'nodeError':
        return (provider.nodeError ?? nodeError)(request, dial!.code!)
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
      case 'cheap':
      case 'shave':
        return otherOne(dial!).handle({ ...request, now: now(), fault: null })
      case 'lies': {
        const reply = await work(request, now())
        return { ...reply, body: repriced(parsed(reply.body), prices!, dial!.power!) }
      }
      case 'steal': {
        const reply = await work(request, now())
        if (reply.status !== 200) return reply
        const body = parsed(reply.body)
        const robbed = dials.rob(name, await thief!(), body as Fields, questionOf(request))
        // Without a theft, the text is sent unparsed: it may hold integers that a double cannot.
        return robbed === body ? reply : { ...reply, body: robbed }
      }
      default:
        return work(request, now(), dial!.fault)
    }
  }
}

/** What a trade gives by the word of a provider with this dial. */
const statedBy =
  ({ fault, parts, bps, weekday, fromUsd = 0 }: Dial): Give =>
  ({ amountOut, amountOutUsd }, _in, _out, _amount, at) => {
    if (fault === 'cheap') return amountOut / BigInt(parts!)
    const isDay = weekday === undefined || new Date(at).getUTCDay() === weekday
    return isDay && Number(amountOutUsd) >= fromUsd
      ? (amountOut * 10_000n) / BigInt(10_000 - bps!)
      : amountOut
  }

const questionOf = ({ path, query, text }: HttpRequest): string => `${path}?${query} ${text}`

const parsed = (body: unknown): unknown => (typeof body === 'string' ? JSON.parse(body) : body)

/** The answer with each price times ten to this power, in its own form. */
export function repriced(value: unknown, prices: ReadonlySet<string>, power: number): unknown {
  if (Array.isArray(value)) return value.map((one) => repriced(one, prices, power))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (!prices.has(name) || typeof member === 'object') return [name, repriced(member, prices, power)]
      const price = Number(member) * 10 ** power
      return [name, typeof member === 'string' ? price.toFixed(30).replace(/\.?0+$/, '') : price]
    }),
  )
}

/** Spreads the fault evenly: with 25 percent, every fourth has it. */
function isDue(percent: number, count: number): boolean {
  return Math.floor(((count + 1) * percent) / 100) > Math.floor((count * percent) / 100)
}

/** The timer does not keep the process alive; the client's connection does. */
const sleepIdle = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref())
