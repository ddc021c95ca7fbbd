/**
 * One request and its answer, and when it is sent again.
 *
 * A GET is sent again where the network failed, and where a 429 or 503 tells when
 * to come again. A POST may have done something, so it is sent again only where the
 * gateway refused it unread, for its limits.
 */
import { codeOf, SwapgateError } from './errors.ts'
import { Limits } from './limits.ts'
import type { CallOptions, ClientOptions, Exchange, Fetch, FetchInit, FetchResponse } from './options.ts'
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
  /** Statuses beside 200 that are answers and no errors. */
  readonly also?: readonly number[]
}

export interface Answer {
  readonly status: number
  readonly text: string
  readonly requestId: string | null
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
  readonly clock
  readonly #fetch: Fetch

  constructor(options: ClientOptions) {
    this.options = options
    this.clock = options.clock ?? SYSTEM_CLOCK
    this.limits = new Limits(this.clock)
    this.#fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  }

  /** Sends until there is an answer, or an error that time does not mend. @throws SwapgateError */
  async call(request: Request, options: CallOptions = {}): Promise<Answer> {
    return this.repeat(request, options, () => this.#send(request, options))
  }

  /**
   * The same with the header alone: what comes then is a stream.
   * @throws SwapgateError
   */
  async open(request: Request, options: CallOptions): Promise<Opened> {
    return this.repeat(request, options, () => this.#open(request, options))
  }

  async repeat<T>(request: Request, options: CallOptions, send: () => Promise<T>): Promise<T> {
    const { retries = RETRIES } = this.options
    const signals = [this.options.signal, options.signal]
    let left = options.maxWaitMs ?? this.options.maxWaitMs ?? MAX_WAIT_MS
    const pause = async (ms: number): Promise<void> => {
      left -= ms
      await sleep(this.clock, ms, signals)
    }
    for (let attempt = 0; ; attempt++) {
      const knownMs = MAY_BE_FREE.includes(request.operation) ? 0 : this.limits.waitMs(keyOf(request))
      if (knownMs > 0 && knownMs <= left) await pause(knownMs)
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
      const requestId = response.headers.get('x-request-id')
      const { status } = response
      if (status !== 200 && !request.also?.includes(status)) throw errorOf(response, text)
      return { status, text, requestId }
    })
  }

  async #open(request: Request, options: CallOptions): Promise<Opened> {
    let end = (): void => {}
    const response = await this.#exchange(
      request,
      options,
      async (response) => {
        if (response.status !== 200) throw errorOf(response, await response.text())
        return response
      },
      (abort) => (end = abort),
    )
    return { response, end }
  }

  /** @param keep  the request goes on after its header, until the function that it is given is called */
  async #exchange<T>(
    request: Request,
    options: CallOptions,
    read: (response: FetchResponse) => Promise<T>,
    keep?: (abort: () => void) => void,
  ): Promise<T> {
    const { baseUrl, signal, timeoutMs = TIMEOUT_MS } = this.options
    const bound = options.timeoutMs ?? timeoutMs
    const controller = new AbortController()
    let failure: SwapgateError | null = null
    const fail = (error: SwapgateError): void => {
      failure ??= error
      controller.abort(error)
    }
    const stop = whenAborted([signal, options.signal], (reason) => fail(aborted(reason)))
    if (failure !== null) throw failure
    const callOff = this.clock.after(bound, () =>
      fail(new SwapgateError('timeout', `No whole answer came within ${bound} ms.`)),
    )
    const url = baseUrl.replace(/\/+$/, '') + request.target
    const note = this.#noteOf(request, url, options)
    let response: FetchResponse | null = null
    try {
      response = await this.#fetch(url, initOf(request, this.options.headers, controller.signal))
      this.limits.note(keyOf(request), response.headers)
      const result = await read(response)
      note(response, null)
      keep?.(() => {
        stop()
        controller.abort()
      })
      return result
    } catch (cause) {
      const error =
        failure ??
        (cause instanceof SwapgateError ? cause : new SwapgateError('network', NO_ANSWER, { cause }))
      note(response, error)
      throw error
    } finally {
      callOff()
      if (keep === undefined || failure !== null) stop()
    }
  }

  /** Tells whoever asked for it what became of a request, which goes out now. */
  #noteOf({ operation, method, body }: Request, url: string, options: CallOptions) {
    const { onExchange } = this.options
    const sentAt = this.clock.now()
    return (response: FetchResponse | null, error: SwapgateError | null): void => {
      if (onExchange === undefined && options.onExchange === undefined) return
      const exchange: Exchange = {
        operation,
        method,
        url,
        body,
        status: response?.status ?? 0,
        ms: this.clock.now() - sentAt,
        serverTiming: timingOf(response?.headers.get('server-timing') ?? ''),
        requestId: response?.headers.get('x-request-id') ?? null,
        error,
      }
      onExchange?.(exchange)
      options.onExchange?.(exchange)
    }
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

/** The error that a response tells of. */
function errorOf({ status, headers }: FetchResponse, text: string): SwapgateError {
  const body = objectOf(text)
  const code = codeOf(body?.code)
  const details = {
    status,
    body,
    retryAfterMs: retryAfterMs(body?.retryAfterMs, headers.get('retry-after')),
    requestId: headers.get('x-request-id'),
  }
  if (code !== null) return new SwapgateError(code, String(body!.error), details)
  const said = typeof body?.error === 'string' ? `: ${body.error}` : '.'
  return new SwapgateError('unexpected_response', `The answer has status ${status}${said}`, details)
}

/** What the body tells to the millisecond, or else the header: seconds, or a date. */
function retryAfterMs(told: unknown, header: string | null): number | null {
  if (typeof told === 'number') return told
  if (header === null) return null
  if (/^\d+$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now())
}

export function objectOf(text: string): { readonly [name: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

/** `validate;dur=0.02, total;dur=1.5` */
function timingOf(header: string): Record<string, number> {
  const pairs = header.split(',').flatMap((metric) => {
    const [name, ...parameters] = metric.split(';').map((part) => part.trim())
    const dur = parameters.map((parameter) => /^dur=("?)([\d.]+)\1$/i.exec(parameter)?.[2]).find(Boolean)
    return name === '' || dur === undefined ? [] : [[name!, Number(dur)]]
  })
  return Object.fromEntries(pairs) as Record<string, number>
}
