/**
 * Requests at fixed times, whether or not the answers before have come (an open
 * model, for latency). Not autocannon's rates: it sends each second's requests
 * in one burst, and then waits for the next second.
 */
import { type Dispatcher, Pool } from 'undici'
import { percentile, type Target } from './load.ts'

const CONNECTIONS = 50

export interface Latency {
  readonly p50Ms: number
  readonly p99Ms: number
}

/**
 * From the moment a request is sent to the last byte of its answer.
 * @throws Error  when any answer is not the expected one
 */
export async function pace(target: Target, perSecond: number, seconds: number): Promise<Latency> {
  const pool = new Pool(target.server.url, { connections: CONNECTIONS, pipelining: 1 })
  const latencies: number[] = []
  const total = perSecond * seconds
  await new Promise<void>((resolve, reject) => {
    let sent = 0
    const startedAt = performance.now()
    const timer = setInterval(() => {
      const due = Math.min(total, ((performance.now() - startedAt) * perSecond) / 1_000)
      for (; sent < due; sent++) pool.dispatch(optionsOf(target), new Timed(target.expected, settle))
      if (sent === total) clearInterval(timer)
    }, 1)
    const settle = (ms: number | null): void => {
      if (ms === null) {
        clearInterval(timer)
        reject(new Error(`${target.name} gave another answer than the expected one.`))
      } else if (latencies.push(ms) === total) resolve()
    }
  }).finally(() => pool.destroy())
  latencies.sort((a, b) => a - b)
  return { p50Ms: percentile(latencies, 50), p99Ms: percentile(latencies, 99) }
}

function optionsOf({ path, body }: Target): Dispatcher.DispatchOptions {
  if (body === null) return { method: 'GET', path }
  return { method: 'POST', path, body, headers: { 'content-type': 'application/json' } }
}

/** Hands in how long the answer took, or null when it is not the expected one. */
class Timed implements Dispatcher.DispatchHandler {
  readonly #expected: string
  readonly #settle: (ms: number | null) => void
  readonly #startedAt = performance.now()
  #body = ''

  constructor(expected: string, settle: (ms: number | null) => void) {
    this.#expected = expected
    this.#settle = settle
  }

  onRequestStart(): void {}

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body += chunk.toString('latin1')
  }

  onResponseEnd(): void {
    this.#settle(this.#body === this.#expected ? performance.now() - this.#startedAt : null)
  }

  onResponseError(): void {
    this.#settle(null)
  }
}
