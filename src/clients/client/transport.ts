/**
 * One request and its response, with retries.
 *
 * A GET is retried after a network failure, and after a 429 or 503 that says when to retry. A POST may have
 * taken effect, so it is retried only if the gateway's own limits refused it before anything was done.
 */
import { SwapgateError } from './errors.ts'
import { KnownLimits } from './limits.ts'
import type * as given from './options.ts'
import { errorOf, holdsAnswer, type ReceivedResponse, timingOf } from './responses.ts'
import { aborted, SYSTEM_CLOCK, sleep, whenAborted } from './time.ts'

const TIMEOUT_MS = 30_000
const MAX_WAIT_MS = 10_000
const RETRIES = 2
/** The backoff before a GET is retried after a network failure, doubled each time. */
const NETWORK_PAUSE_MS = 250

/** How one method is sent over HTTP. */
export interface OperationRow {
  readonly method?: 'POST'
  /** Names in braces are path parameters. */
  readonly path: string
  /** The method takes no input: its first argument is its options. */
  readonly takesNothing?: true
  readonly isStream?: true
  /** Statuses other than 200 that carry the same body, or an Error body. */
  readonly also?: readonly number[]
}

export interface OperationRequest {
  /** The method's name. */
  readonly operation: string
  readonly method: 'GET' | 'POST'
  /** Path and query. */
  readonly target: string
  readonly body: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Groups requests that spend the same budgets; by default the operation. JSON-RPC methods differ. */
  readonly budgetKey?: string
  /** Statuses other than 200 that are answers, unless they carry an Error body. */
  readonly also?: readonly number[] | undefined
}

/** A response whose body is still to be read. The caller must call `end`, which closes it. */
export interface OpenedResponse {
  readonly response: given.FetchResponse
  readonly end: () => void
}

/** Reads a response; by calling `keepOpen` it keeps the connection open until it is ended. */
type Read<T> = (response: given.FetchResponse, keepOpen: () => () => void) => Promise<T>

/** Operations that may be answered for free with an exhausted budget, so waiting first may be needless. */
const MAY_BE_FREE = ['portfolio']

export class Transport {
  readonly limits: KnownLimits
  readonly options: given.ClientOptions
  readonly clock: given.Clock
  readonly #fetch: given.Fetch
  readonly #baseUrl: string
  readonly #headers: Readonly<Record<string, string>>

  /** @throws TypeError  if `baseUrl` isn't a gateway's URL */
  constructor(options: given.ClientOptions) {
    this.options = options
    const [baseUrl, credentials] = parseBaseUrl(options.baseUrl)
    this.#baseUrl = baseUrl
    this.#headers = { ...credentials, ...options.headers }
    this.clock = options.clock ?? SYSTEM_CLOCK
    this.limits = new KnownLimits(this.clock)
    this.#fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  }

  /** @param target  path and query */
  urlOf(target: string): string {
    return this.#baseUrl + target
  }

  /** Sends a request, with retries, until it is answered or fails for good. @throws SwapgateError */
  async call(request: OperationRequest, options: given.CallOptions = {}): Promise<ReceivedResponse> {
    return this.#repeat(request, options, async (response) => {
      const text = await response.text()
      const { status } = response
      const isAnswer = status === 200 || (request.also?.includes(status) && holdsAnswer(text))
      if (!isAnswer) throw errorOf(response, text)
      return { status, text, requestId: response.headers.get('x-request-id') }
    })
  }

  /**
   * The same, but returns after the headers: the body is a stream.
   * @throws SwapgateError
   */
  async open(request: OperationRequest, options: given.CallOptions): Promise<OpenedResponse> {
    return this.#repeat(request, options, async (response, keepOpen) => {
      if (response.status !== 200) throw errorOf(response, await response.text())
      return { response, end: keepOpen() }
    })
  }

  async #repeat<T>(request: OperationRequest, options: given.CallOptions, read: Read<T>): Promise<T> {
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
        return await this.#exchange(request, options, read)
      } catch (error) {
        const pauseMs = error instanceof SwapgateError ? pauseOf(request, error, attempt) : null
        if (pauseMs === null || attempt >= retries || pauseMs > left) throw error
        await pause(pauseMs)
      }
    }
  }

  async #exchange<T>(request: OperationRequest, options: given.CallOptions, read: Read<T>): Promise<T> {
    const { signal, timeoutMs = TIMEOUT_MS } = this.options
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
      fail(new SwapgateError('timeout', `No complete answer within ${boundMs} ms.`)),
    )
    const keepOpen = (): (() => void) => {
      const stopListening = stop
      stop = () => {}
      return () => {
        stopListening()
        controller.abort()
      }
    }
    const url = this.urlOf(request.target)
    const sentAt = this.clock.now()
    let response: given.FetchResponse | null = null
    let result: T | null = null
    let error: SwapgateError | null = null
    try {
      response = await this.#fetch(url, initOf(request, this.#headers, controller.signal))
      this.limits.note(keyOf(request), response.headers)
      result = await read(response, keepOpen)
    } catch (cause) {
      const isOurs = cause instanceof SwapgateError
      error = failure ?? (isOurs ? cause : new SwapgateError('network', NO_ANSWER, { cause }))
    } finally {
      callOff()
      stop()
    }
    const exchange: given.Exchange = {
      operation: request.operation,
      method: request.method,
      url,
      body: request.body,
      status: response?.status ?? 0,
      ms: this.clock.now() - sentAt,
      serverTiming: timingOf(response?.headers.get('server-timing') ?? ''),
      requestId: response?.headers.get('x-request-id') ?? null,
      error,
    }
    this.options.onExchange?.(exchange)
    options.onExchange?.(exchange)
    if (error !== null) throw error
    return result as T
  }
}

const NO_ANSWER = 'No answer: the gateway could not be reached, or the connection broke.'

const keyOf = ({ budgetKey, operation }: OperationRequest): string => budgetKey ?? operation

/**
 * The URL that targets are appended to, and the credentials in it as a header, because fetch takes none in a URL.
 *
 * Source: RFC 7617 (userinfo becomes Basic credentials)
 */
function parseBaseUrl(text: string): readonly [url: string, headers: Readonly<Record<string, string>>] {
  const [, scheme, userinfo, rest] = /^(https?:\/\/)(?:([^/?#]*)@)?([^/?#@]+(?:\/[^?#]*)?)$/i.exec(text) ?? []
  if (scheme === undefined) {
    if (text === '' || text.startsWith('/')) return [text.replace(/\/+$/, ''), {}]
    // It may hold a password, and is not repeated.
    throw new TypeError(
      'baseUrl must begin with http:// or https:// and have no query, such as https://gateway.example; empty is the host of the page.',
    )
  }
  const url = scheme + rest!.replace(/\/+$/, '')
  if (userinfo === undefined) return [url, {}]
  const [user = '', ...password] = userinfo.split(':').map(decodeURIComponent)
  const bytes = new TextEncoder().encode(`${user}:${password.join(':')}`)
  return [url, { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }]
}

function initOf(
  request: OperationRequest,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): given.FetchInit {
  const { method, body } = request
  const type = body === null ? {} : { 'content-type': 'application/json' }
  const all = { accept: 'application/json', ...type, ...headers, ...request.headers }
  return { method, headers: all, signal, ...(body === null ? {} : { body }) }
}

/** Milliseconds until a failed request is retried; null if it is not. */
function pauseOf({ method }: OperationRequest, error: SwapgateError, attempt: number): number | null {
  if (error.code === 'network') return method === 'GET' ? NETWORK_PAUSE_MS * 2 ** attempt : null
  if (error.status !== 429 && error.status !== 503) return null
  // The gateway's own limits refuse before anything is done; an upstream's 429 gives no such assurance.
  return method === 'GET' || error.scope === 'limit' ? error.retryAfterMs : null
}
