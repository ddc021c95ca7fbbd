/** What the admin listener answers: asked as the console's queries ask. */
import { type Rebroadcasts, type SubmissionReceipt, SwapgateError } from '../../client/index.ts'
import type { Asking } from '../data/query.ts'
import { History, type Scrape } from './history.ts'
import { parse } from './series.ts'

/** Without what a scrape begins anew. */
const METRICS = '/metrics?without=eventloop'
const TIMEOUT_MS = 10_000

export interface Service {
  readonly mode: 'live' | 'sandbox'
  readonly version: string
  /** Of the last whole minute. */
  readonly loopDelay: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number }
  readonly rebroadcasts: Rebroadcasts
  /** The last first. */
  readonly receipts: readonly SubmissionReceipt[]
}

export const history = new History()

export async function askMetrics(asking: Asking): Promise<Scrape> {
  const scrape = { samples: parse(await ask(METRICS, asking)), at: Date.now() }
  history.add(scrape)
  return scrape
}

export async function askInstance(asking: Asking): Promise<Service> {
  return JSON.parse(await ask('/instance', asking)) as Service
}

/** @throws SwapgateError  as the client does */
async function ask(url: string, { signal, onExchange }: Asking): Promise<string> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), TIMEOUT_MS)
  const leave = (): void => timeout.abort()
  signal.addEventListener('abort', leave)
  const startedAt = performance.now()
  let status = 0
  try {
    const response = await fetch(url, { signal: timeout.signal })
    status = response.status
    const text = await response.text()
    if (!response.ok) {
      throw new SwapgateError('unexpected_response', `The admin listener answers ${status}.`, { status })
    }
    const ms = performance.now() - startedAt
    const operation = url.slice(1)
    const request = { operation, method: 'GET', url, body: null } as const
    onExchange({ ...request, status, ms, serverTiming: {}, requestId: null, error: null })
    return text
  } catch (cause) {
    if (cause instanceof SwapgateError) throw cause
    const code = timeout.signal.aborted ? 'timeout' : 'network'
    throw new SwapgateError(code, 'The admin listener does not answer.', { cause })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  }
}
