/**
 * Sends requests at a constant rate whether or not earlier answers have arrived (an
 * open model, for latency). autocannon's rate limit does not fit: it sends each
 * second's requests in one burst, and then waits for the next second.
 */
import { Agent, type Dispatcher } from 'undici'
import { percentile } from './load.ts'

const CONNECTIONS = 50

/** A request, and a check of its answer. */
export interface Question {
  /** A server's URL without a path. */
  readonly origin: string
  readonly path: string
  /** The body of a POST; null for a GET. */
  readonly body: string | null
  /** Names and values alternate; where absent, a POST sends its content type alone. */
  readonly headers?: readonly string[]
  /** 200 where absent. */
  readonly status?: number
  isAnswer(body: string): boolean
}

export interface Latency {
  readonly p50Ms: number
  readonly p99Ms: number
}

const CONTENT_TYPE: readonly string[] = ['content-type', 'application/json']

/**
 * Measures from sending a request to the last byte of its answer.
 * @param questionsAt  the requests sent together at each time; the slowest answer counts
 * @throws Error  when any answer is not the expected one
 */
export async function pace(
  questionsAt: (nth: number) => readonly Question[],
  perSecond: number,
  seconds: number,
): Promise<Latency> {
  const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 })
  const latencies: number[] = []
  const total = perSecond * seconds
  await new Promise<void>((resolve, reject) => {
    let sent = 0
    const startedAt = performance.now()
    const timer = setInterval(() => {
      const due = Math.min(total, ((performance.now() - startedAt) * perSecond) / 1_000)
      for (; sent < due; sent++) ask(agent, questionsAt(sent)).then(settle, fail)
      if (sent === total) clearInterval(timer)
    }, 1)
    const settle = (ms: number): void => {
      if (latencies.push(ms) === total) resolve()
    }
    const fail = (error: unknown): void => {
      clearInterval(timer)
      reject(error)
    }
  }).finally(() => agent.destroy())
  latencies.sort((a, b) => a - b)
  return { p50Ms: percentile(latencies, 50), p99Ms: percentile(latencies, 99) }
}

/** @returns ms until the last byte of the slowest answer */
async function ask(agent: Agent, questions: readonly Question[]): Promise<number> {
  const startedAt = performance.now()
  const ends = await Promise.all(
    questions.map(
      (question) =>
        new Promise<number>((resolve, reject) => {
          agent.dispatch(optionsOf(question), new Timed(question, resolve, reject))
        }),
    ),
  )
  return Math.max(...ends) - startedAt
}

function optionsOf({ origin, path, body, headers }: Question): Agent.DispatchOptions {
  const method = body === null ? 'GET' : 'POST'
  return { origin, method, path, body, headers: [...(headers ?? (body === null ? [] : CONTENT_TYPE))] }
}

/** Reads one answer, and resolves with the time at which it was complete. */
class Timed implements Dispatcher.DispatchHandler {
  readonly #question: Question
  readonly #resolve: (at: number) => void
  readonly #reject: (error: Error) => void
  #status = 0
  #body = ''

  constructor(question: Question, resolve: (at: number) => void, reject: (error: Error) => void) {
    this.#question = question
    this.#resolve = resolve
    this.#reject = reject
  }

  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body += chunk.toString('latin1')
  }

  onResponseEnd(): void {
    const endedAt = performance.now()
    const { origin, path, status = 200, isAnswer } = this.#question
    if (this.#status === status && isAnswer(this.#body)) this.#resolve(endedAt)
    else this.#reject(new Error(`Unexpected answer of ${origin}${path}: ${this.#status} ${this.#body}`))
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error)
  }
}
