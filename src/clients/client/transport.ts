/**
 * One request and its answer, and when it is sent again.
 *
 * A GET is sent again where the network failed, and where a 429 or 503 tells when
 * to come again. A POST may have done something, so it is sent again only where the
 * gateway refused it unread, for its limits.
 */
import { SwapgateError } from './errors.ts'
import { Limits } from './limits.ts'
import type {
  CallOptions,
  ClientOptions,
  Clock,
  Exchange,
  Fetch,
  FetchInit,
  FetchResponse,
} from './options.ts'
import { type Answer, errorOf, holdsAnswer, timingOf } from './responses.ts'
import { aborted, SYSTEM_CLOCK, sleep, whenAborted } from './time.ts'

const TIMEOUT_MS = 30_000
const MAX_WAIT_MS = 10_000
const RETRIES = 2
/** Before a GET is sent again that the network lost, doubled each time. */
const NETWORK_PAUSE_MS = 250

export interface Request {
  /** The method's name. */
  readonly operation: string
  readonly method: 'GET' | 'POST'
  /** Path and query. */
  readonly target: string
  readonly body: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Which answers' budgets are its own, where that is not the operation's: JSON-RPC methods differ. */
  readonly budgetKey?: string
  /** Statuses beside 200 that are answers, unless they hold an Error body. */
  readonly also?: readonly number[]
}

/** A response whose body is still to come; `end` must be called, and ends it. */
export interface Opened {
  readonly response: FetchResponse
  readonly end: () => void
}

/** Operations that may be answered for free when their budget is used up: a wait would not be for certain. */
const MAY_BE_FREE = ['portfolio']

export class Transport {
  readonly limits: Limits
  readonly options: ClientOptions
  readonly clock: Clock
  readonly #fetch: Fetch

  constructor(options: ClientOptions) {
    this.options = options
    this.clock = options.clock ?? SYSTEM_CLOCK
    this.limits = new Limits(this.clock)
    this.#fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  }

  /** Sends until there is an answer, or an error that time does not mend. @throws SwapgateError */
  async call(request: Request, options: CallOptions = {}): Promise<Answer> {
    return this.#repeat(request, options, () => this.#send(request, options))
  }

  /**
   * The same with the header alone: what comes then is a stream.
   * @throws SwapgateError
   */
  async open(request: Request, options: CallOptions): Promise<Opened> {
    return this.#repeat(request, options, () => this.#open(request, options))
  }

  async #repeat<T>(request: Request, options: CallOptions, send: () => Promise<T>): Promise<T> {
    const { retries = RETRIES } = this.options
    const signals = [this.options.signal, options.signal]
    let left = options.maxWaitMs ?? this.options.maxWaitMs ?? MAX_WAIT_MS
    const pause = async (ms: number): Promise<void> => {
      left -= ms
      await sleep(this.clock, ms, signals)
    }
    const knownMs = MAY_BE_FREE.includes(request.operation) ? 0 : this.limits.waitMs(keyOf(request))
    if (knownMs > 0 && knownMs <= left) await pause(knownMs)
    for (let attempt = 0; ; attempt++) {
      try {
        return await send()
      } catch (error) {
        const pauseMs = error instanceof SwapgateError ? pauseOf(request, error, attempt) : null
        if (pauseMs === null || attempt >= retries || pauseMs > left) throw error
        await pause(pauseMs)
      }
    }
  }

  async #send(request: Request, options: CallOptions): Promise<Answer> {
    return this.#exchange(request, options, async (response) => {
      const text = await response.text()
      const { status } = response
      const isAnswer = status === 200 || (request.also?.includes(status) && holdsAnswer(text))
      if (!isAnswer) throw errorOf(response, text)
      return { status, text, requestId: response.headers.get('x-request-id') }
    })
  }

  async #open(request: Request, options: CallOptions): Promise<Opened> {
    return this.#exchange(request, options, async (response, keepOpen) => {
      if (response.status !== 200) throw errorOf(response, await response.text())
      return { response, end: keepOpen() }
    })
  }

  /**
   * @param read  of the response; what it calls `keepOpen` for goes on when it is done, and until it is ended
   */
  async #exchange<T>(
    request: Request,
    options: CallOptions,
    read: (response: FetchResponse, keepOpen: () => () => void) => Promise<T>,
  ): Promise<T> {
    const { baseUrl, signal, timeoutMs = TIMEOUT_MS } = this.options
    const boundMs = options.timeoutMs ?? timeoutMs
    const controller = new AbortController()
    let failure: SwapgateError | null = null
    const fail = (error: SwapgateError): void => {
      failure ??= error
      controller.abort(error)
    }
    let stop = whenAborted([signal, options.signal], (reason) => fail(aborted(reason)))
    if (failure !== null) {
      stop()
      throw failure
    }
    const callOff = this.clock.after(boundMs, () =>
      fail(new SwapgateError('timeout', `No whole answer came within ${boundMs} ms.`)),
    )
    const keepOpen = (): (() => void) => {
      const stopListening = stop
      stop = () => {}
      return () => {
        stopListening()
        controller.abort()
      }
    }
    const url = baseUrl.replace(/\/+$/, '') + request.target
    const sentAt = this.clock.now()
    let response: FetchResponse | null = null
    let result: T | null = null
    let error: SwapgateError | null = null
    try {
      response = await this.#fetch(url, initOf(request, this.options.headers, controller.signal))
      this.limits.note(keyOf(request), response.headers)
      result = await read(response, keepOpen)
    } catch (cause) {
      const isOurs = cause instanceof SwapgateError
      error = failure ?? (isOurs ? cause : new SwapgateError('network', NO_ANSWER, { cause }))
    } finally {
      callOff()
      stop()
    }
    this.#note(options, {
      operation: request.operation,
      method: request.method,
      url,
      body: request.body,
      status: response?.status ?? 0,
      ms: this.clock.now() - sentAt,
      serverTiming: timingOf(response?.headers.get('server-timing') ?? ''),
      requestId: response?.headers.get('x-request-id') ?? null,
      error,
    })
    if (error !== null) throw error
    return result as T
  }

  /** Tells whoever asked for it what became of a request. */
  #note(options: CallOptions, exchange: Exchange): void {
    this.options.onExchange?.(exchange)
    options.onExchange?.(exchange)
  }
}

const NO_ANSWER = 'No answer came: the gateway could not be reached, or the connection broke.'

const keyOf = ({ budgetKey, operation }: Request): string => budgetKey ?? operation

function initOf(request: Request, headers: ClientOptions['headers'], signal: AbortSignal): FetchInit {
  const { method, body } = request
  const type = body === null ? {} : { 'content-type': 'application/json' }
  const all = { accept: 'application/json', ...type, ...headers, ...request.headers }
  return { method, headers: all, signal, ...(body === null ? {} : { body }) }
}

/** How long until a request is sent again that failed so; null where it is not. */
function pauseOf({ method }: Request, error: SwapgateError, attempt: number): number | null {
  if (error.code === 'network') return method === 'GET' ? NETWORK_PAUSE_MS * 2 ** attempt : null
  if (error.status !== 429 && error.status !== 503) return null
  // Of limits, the gateway refuses before it does anything; of an upstream's 429 that is not known.
  return method === 'GET' || error.scope === 'limit' ? error.retryAfterMs : null
}
