/** The client's options and results, in types that need neither the DOM's nor Node's declarations. */
import type { SwapgateError } from './errors.ts'

/** Options of one call. */
export interface CallOptions {
  /** Ends the call, including any wait before a retry. */
  readonly signal?: AbortSignal | undefined
  /** Overrides the client's own. */
  readonly timeoutMs?: number | undefined
  readonly maxWaitMs?: number | undefined
  /** Called for each request of this call, in addition to the client's own. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}

/** Options of one stream of events; those of a call hold each time that the stream is opened. */
export interface EventsOptions extends Pick<CallOptions, 'maxWaitMs' | 'onExchange'> {
  /** Ends the stream; its loop ends without an error. */
  readonly signal?: AbortSignal | undefined
  /** The id of the last event received earlier; the gateway sends what changed since. */
  readonly lastEventId?: string | undefined
  /** Called when the stream is lost, with the delay until it is reopened. */
  readonly onReconnect?: ((afterMs: number, error: SwapgateError | null) => void) | undefined
}

export interface ServerEvent<Data> {
  /** The event's name, such as `snapshot`. */
  event: string
  /** Null for an event that a stream cannot resume from. */
  id: string | null
  data: Data
}

/** The second argument of `fetch`. */
export interface FetchInit {
  method: string
  headers: Record<string, string>
  body?: string
  signal: AbortSignal
}

/** The part of a response that the client reads. */
export interface FetchResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body: FetchBody | null
  text(): Promise<string>
}

export interface FetchBody {
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
    cancel(): Promise<void>
  }
}

export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** The clock and timer that the client uses. */
export interface Clock {
  /** Milliseconds from any origin; only differences are used. */
  now(): number
  /** @returns a function that cancels the timer */
  after(ms: number, then: () => void): () => void
}

/** One request and its response, for logging and measurements. */
export interface Exchange {
  /** The method's name; `rpc` for JSON-RPC calls. */
  operation: string
  method: 'GET' | 'POST'
  url: string
  /** The body sent; null for a GET. */
  body: string | null
  /** 0 without a response. */
  status: number
  /** From sending to the last byte of the response; for a stream, to its headers. */
  ms: number
  /** Milliseconds by name, from the header `Server-Timing`; empty without it. */
  serverTiming: Record<string, number>
  requestId: string | null
  /** Why the request failed; null if it was answered. */
  error: SwapgateError | null
}

export interface ClientOptions {
  /**
   * For example `https://gateway.example`; empty in a page served by the gateway's own host. A user and a password
   * in it are sent as Basic credentials.
   */
  readonly baseUrl: string
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Ends all calls and streams. */
  readonly signal?: AbortSignal | undefined
  /** The limit for one request, to the last byte of its response, without waits before it. Default 30,000. */
  readonly timeoutMs?: number | undefined
  /** How long a call may wait in total, for a budget to refill or a Retry-After to pass. Default 10,000. */
  readonly maxWaitMs?: number | undefined
  /** How many times a call is retried. Default 2. */
  readonly retries?: number | undefined
  /** Called after every request, including retries. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}
