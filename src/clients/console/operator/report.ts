/** What the page shows of what the admin listener reports of its instance, in the form that the console's queries take. */
import { type Health, SwapgateError } from '../../client/index.ts'
import type { QueryCallOptions } from '../data/query.ts'

export const SOURCE = 'GET /instance'
const PATH = '/instance'
const TIMEOUT_MS = 10_000

export interface InstanceReport extends Pick<Health, 'mode' | 'version' | 'redis' | 'redisCause'> {
  readonly isDraining: boolean
  readonly lastMinute: LastMinute
  /** Over the last full minute. */
  readonly loopDelay: { readonly p99Ms: number; readonly maxMs: number }
  readonly upstreams: Health['providers']
  /** The limit is null if it is lifted. */
  readonly budgets: readonly {
    readonly name: string
    readonly spent: number
    readonly limit: number | null
  }[]
  /**
   * The instances that share its Redis, this one included; null if there is none, or Redis does not answer.
   */
  readonly instances:
    | readonly { readonly name: string; readonly state: string; readonly isThis: boolean }[]
    | null
  readonly droppedLines: number
  /** Newest first, equal ones as one. */
  readonly errors: readonly RecentError[]
}

interface LastMinute {
  /** The time that the rest is about, ms. */
  readonly ms: number
  readonly requests: number
  /** Replies with a 5xx; those that were shed are among them. */
  readonly failed: number
  readonly shed: number
  readonly p95Ms: number | null
}

export interface RecentError {
  readonly at: number
  readonly count: number
  readonly where: string
  readonly code: string
  readonly cause: string | null
  readonly requestId: string | null
}

/** @throws SwapgateError  with the codes that the client uses */
export async function askInstance({ signal, onExchange }: QueryCallOptions): Promise<InstanceReport> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const startedAt = performance.now()
  try {
    const response = await fetch(PATH, { signal: AbortSignal.any([signal, timeout]) })
    const { ok, status } = response
    if (!ok)
      throw new SwapgateError('unexpected_response', `The admin listener answered ${status}.`, { status })
    const report = (await response.json()) as InstanceReport
    const request = { operation: 'instance', method: 'GET', url: PATH, body: null } as const
    const ms = performance.now() - startedAt
    onExchange({ ...request, status, ms, serverTiming: {}, requestId: null, error: null })
    return report
  } catch (cause) {
    if (cause instanceof SwapgateError) throw cause
    const code = timeout.aborted ? 'timeout' : 'network'
    throw new SwapgateError(code, 'The admin listener does not answer.', { cause })
  }
}
