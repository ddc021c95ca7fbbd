/** Requests to the admin listener, in the form that the console's queries take. */
import { type Rebroadcasts, type SubmissionReceipt, SwapgateError } from '../../client/index.ts'
import type { QueryCallOptions } from '../data/query.ts'
import { type Scrape, ScrapeHistory } from './history.ts'
import type { RecentReport } from './recent.ts'
import { parse } from './series.ts'

/** Excludes the metrics that each scrape resets. */
const METRICS = '/metrics?without=eventloop'
const TIMEOUT_MS = 10_000

export interface InstanceReport {
  readonly mode: 'live' | 'sandbox'
  readonly version: string
  /** Over the last full minute. */
  readonly loopDelay: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number }
  /** Those that share its Redis, itself included; null if there is none, or while it does not say. */
  readonly instances: readonly InstanceSeen[] | null
  /** Those that have spent most of each budget in its current window, in descending order. */
  readonly clients: readonly ClientUse[]
  readonly recent: RecentReport
  readonly rebroadcasts: Rebroadcasts
  /** Newest first. */
  readonly receipts: readonly SubmissionReceipt[]
}

/** An instance as the others see it. */
export interface InstanceSeen {
  readonly name: string
  readonly state: string
  readonly agoMs: number
  readonly isThis: boolean
}

/** What a client has spent of a budget, as its lines in the log name it; null if they do not. */
export interface ClientUse {
  readonly budget: string
  readonly client: string | null
  readonly spent: number
}

export const history = new ScrapeHistory()
/** The reports of the last minutes, by this page's time. */
export const reports = new ScrapeHistory<{ readonly at: number; readonly recent: RecentReport }>()

export async function askMetrics(callOptions: QueryCallOptions): Promise<Scrape> {
  const scrape = { samples: parse(await ask(METRICS, callOptions)), at: Date.now() }
  history.add(scrape)
  return scrape
}

export async function askInstance(callOptions: QueryCallOptions): Promise<InstanceReport> {
  const report = JSON.parse(await ask('/instance', callOptions)) as InstanceReport
  reports.add({ at: Date.now(), recent: report.recent })
  return report
}

/** @throws SwapgateError  with the codes that the client uses */
async function ask(url: string, { signal, onExchange }: QueryCallOptions): Promise<string> {
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
      throw new SwapgateError('unexpected_response', `The admin listener answered ${status}.`, { status })
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
