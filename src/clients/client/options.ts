/** What the client takes and hands over, in types that neither the DOM's nor Node's declarations are needed for. */
import type { SwapgateError } from './errors.ts'

/** Of one call. */
export interface CallOptions {
  /** Ends the call, and any waiting of it. */
  readonly signal?: AbortSignal | undefined
  /** In the place of the client's own. */
  readonly timeoutMs?: number | undefined
  readonly maxWaitMs?: number | undefined
  /** Called beside the client's own, with the requests of this call. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}

/** Of one stream of events. */
export interface EventsOptions {
  /** Ends the stream: its loop is left without an error. */
  readonly signal?: AbortSignal | undefined
  /** The id of the last event that is known from before; the gateway tells what changed since. */
  readonly lastEventId?: string | undefined
  /** Called when the stream is lost and will be opened again after so long. */
  readonly onReconnect?: ((afterMs: number, error: SwapgateError | null) => void) | undefined
}

export interface ServerEvent<Data> {
  /** Its name, such as `snapshot`. */
  event: string
  /** Null where it could resume nothing. */
  id: string | null
  data: Data
}

/** How one method is sent. */
export interface OperationRow {
  readonly method?: 'POST'
  /** Segments in braces are parameters. */
  readonly path: string
  /** The method's first argument is its options. */
  readonly takesNothing?: true
  readonly isStream?: true
  /** Statuses beside 200 that carry the same body, or an Error body. */
  readonly also?: readonly number[]
}

/** What `fetch` is called with. */
export interface FetchInit {
  method: string
  headers: Record<string, string>
  body?: string
  signal: AbortSignal
}

/** What is read of its answer. */
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

/** Time, as far as the client needs it. */
export interface Clock {
  /** Milliseconds; only differences are looked at. */
  now(): number
  /** @returns calls it off */
  after(ms: number, then: () => void): () => void
}

/** One request and its answer, for whoever logs or measures them. */
export interface Exchange {
  /** The method's name; of JSON-RPC calls `rpc`. */
  operation: string
  method: 'GET' | 'POST'
  url: string
  /** As it was sent; null of a GET. */
  body: string | null
  /** 0 where there was no answer. */
  status: number
  /** From sending to the last byte; of a stream to its header. */
  ms: number
  /** Milliseconds by name, of the header `Server-Timing`; empty where there is none. */
  serverTiming: Record<string, number>
  requestId: string | null
  /** What the call ended with; null where it was answered. */
  error: SwapgateError | null
}

export interface ClientOptions {
  /** Such as `https://gateway.example`; empty in a page that the gateway's own host serves. */
  readonly baseUrl: string
  /** In the place of the global one. */
  readonly fetch?: Fetch | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Ends all calls and streams. */
  readonly signal?: AbortSignal | undefined
  /** For one request, to the last byte of its answer; waiting before it is not counted. Default 30,000. */
  readonly timeoutMs?: number | undefined
  /** How long a call may wait in all for a budget or where a refusal tells when to come again. Default 10,000. */
  readonly maxWaitMs?: number | undefined
  /** How often a call is sent again. Default 2. */
  readonly retries?: number | undefined
  /** Called after every request, also one that is sent again. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}
