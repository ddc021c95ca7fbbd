/**
 * Loads one server with autocannon, for peak throughput: fifty connections, each of
 * which sends its next request when it has its answer (a closed model). Every body is
 * compared; an unexpected one ends the run.
 */
import autocannon from 'autocannon'
import { cpuMs, type ServerProcess } from './process.ts'

const CONNECTIONS = 50

/** A server, the request sent to it, and the expected answer. */
export interface Target {
  readonly name: string
  readonly server: ServerProcess
  readonly path: string
  /** The body of a POST; null for a GET. */
  readonly body: string | null
  readonly expected: string
}

export interface Load {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The server's processor time per request, in microseconds. */
  readonly cpuUs: number
  /** Share of its core that the server used; well below 1, the client was the bottleneck. */
  readonly busy: number
}

/**
 * @param until  the length of the run, in seconds or in requests
 * @throws Error  when any answer is not the expected one
 */
export function load(target: Target, until: { seconds: number } | { amount: number }): Promise<Load> {
  const { server, path, body, expected } = target
  const latencies: number[] = []
  const cpuBefore = cpuMs(server.pid)
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const done = (error: unknown, result: autocannon.Result): void => {
      if (error) {
        reject(error)
        return
      }
      if (result.non2xx + result.errors + result.mismatches > 0 || latencies.length === 0) {
        reject(new Error(`${target.name} gave an unexpected answer.`))
        return
      }
      const elapsedMs = performance.now() - startedAt
      const usedMs = cpuMs(server.pid) - cpuBefore
      latencies.sort((a, b) => a - b)
      resolve({
        requestsPerSecond: (latencies.length * 1_000) / elapsedMs,
        p50Ms: percentile(latencies, 50),
        p99Ms: percentile(latencies, 99),
        cpuUs: (usedMs * 1_000) / latencies.length,
        busy: usedMs / elapsedMs,
      })
    }
    const options: autocannon.Options = {
      url: server.url + path,
      connections: CONNECTIONS,
      ...('seconds' in until ? { duration: until.seconds } : { amount: until.amount }),
      expectBody: expected,
      ...(body !== null && { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
    }
    // Autocannon's own histogram counts whole milliseconds.
    autocannon(options, done).on('response', (_client, _status, _bytes, ms) => latencies.push(ms))
  })
}

/** @param sorted  ascending, not empty */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))]!
}

/**
 * Sends one request before anything is timed.
 * @returns the number of headers of the reply
 * @throws Error  when the answer is not the expected one
 */
export async function checkAnswer({ name, server, path, body, expected }: Target): Promise<number> {
  const response = await fetch(server.url + path, {
    ...(body !== null && { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
  })
  if (response.status !== 200 || (await response.text()) !== expected) {
    throw new Error(`${name} does not give the gateway's answer.`)
  }
  return [...response.headers].length
}
