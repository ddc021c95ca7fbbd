/**
 * The contract between http/ and routes/: what a route says of itself. The
 * same schemas validate, type the handler and describe it in OpenAPI.
 */
import type { Static, TObject, TSchema } from 'typebox'
import type { Events } from './events.ts'
import type { Exchange } from './exchange.ts'
import type { BudgetName } from './limit/budgets.ts'
import type { Representation } from './representation.ts'
import type { SheddingPriority } from './shedding.ts'

/** A reply whose status is part of what the route says, such as the 503 of a health check. */
export class StatusReply {
  readonly status: number
  readonly body: Buffer

  constructor(status: number, body: Buffer) {
    this.status = status
    this.body = body
  }
}

/**
 * What a handler answers: bytes that are JSON already (status 200), the same
 * prepared for conditional requests and content codings, a StatusReply, Events
 * where the reply goes on, or null when `exchange.take` refused, so that the
 * server sends the refusal.
 */
export type Result = Buffer | Representation | StatusReply | Events | null

/** One request, and the 200 that a sandboxed gateway gave to it. */
export interface Example {
  /** The parameters, or the body. */
  readonly request: Readonly<Record<string, unknown>>
  readonly reply: unknown
}

export interface Group {
  /** One word; OpenAPI's tag. */
  readonly name: string
  /** What all of them answer; no full stop. */
  readonly summary: string
  readonly text: string
}

/** What OpenAPI shows of a route. */
export interface RouteDescription {
  readonly summary: string
  readonly text?: string
  /** Where the specification knows of the route by its path only (§4.10): the contract is ours, and may change. */
  readonly stability?: 'unverified'
  /** Routes of one kind, which the documents show in one table. */
  readonly group?: Group
  /** The body of a 200; of a stream, what the data of its events is. */
  readonly result: TSchema
  /** The handler answers Events. */
  readonly isStream?: true
  readonly example?: unknown
  readonly bodyExamples?: Readonly<Record<string, unknown>>
  /** Whole exchanges, by name, where a request and its reply explain each other. */
  readonly examples?: Readonly<Record<string, Example>>
  /** Error statuses that the specification lists for this route; `default` where it lets others through (§7). */
  readonly errors: readonly (number | 'default')[]
  /** The Error body, by status. */
  readonly errorExamples?: Readonly<Record<number, unknown>>
}

/** What the documents say of a route. */
interface Documented {
  readonly description: RouteDescription
  /** The budgets that its handler may take. */
  readonly budgets: readonly BudgetName[]
}

/** Where one path takes requests of several priorities. */
export interface PriorityByBody {
  /** Before anything is parsed; never below that of the body. */
  ofBytes(bytes: Buffer): SheddingPriority
  /** @param body  that was validated */
  of(body: unknown): SheddingPriority
}

/** GET, as the server serves it. */
interface ServedGet<Input extends TObject = TObject> {
  readonly method: 'GET'
  /** Segments in braces are parameters: `/api/token/{chain}/{address}`. */
  readonly path: string
  /** Path and query parameters together: one flat object of scalars. */
  readonly input: Input
  /** What it is worth when not all can be answered: `research` where absent. A `probe` is answered always. */
  readonly priority?: SheddingPriority | 'probe'
  handle(input: Static<Input>, exchange: Exchange): Result | Promise<Result>
}

export interface GetRoute<Input extends TObject = TObject> extends ServedGet<Input>, Documented {}

export interface PostRoute<Body extends TSchema = TSchema> extends Documented {
  readonly method: 'POST'
  readonly path: string
  readonly body: Body
  readonly maxBytes: number
  /** As of a GET, or what its body is worth. */
  readonly priority?: SheddingPriority | PriorityByBody
  /** @param bytes  the body as received, for what JSON.parse cannot keep */
  handle(body: Static<Body>, exchange: Exchange, bytes: Buffer): Result | Promise<Result>
}

/** A route in a list, where the difference between their inputs is forgotten. */
export type Route =
  | (Omit<GetRoute, 'handle'> & { handle(input: unknown, exchange: Exchange): Result | Promise<Result> })
  | (Omit<PostRoute, 'handle'> & {
      handle(body: unknown, exchange: Exchange, bytes: Buffer): Result | Promise<Result>
    })

/** A route of the API, or one that is beside it: a page for browsers, which no document describes. */
export type Served =
  | Route
  | (Omit<ServedGet, 'handle'> & { handle(input: unknown, exchange: Exchange): Result | Promise<Result> })

export function page<Input extends TObject>(declared: Omit<ServedGet<Input>, 'method'>): Served {
  return { ...declared, method: 'GET' } as unknown as Served
}

export function get<Input extends TObject>(declared: Omit<GetRoute<Input>, 'method'>): Route {
  return { ...declared, method: 'GET' } as unknown as Route
}

export function post<Body extends TSchema>(declared: Omit<PostRoute<Body>, 'method'>): Route {
  return { ...declared, method: 'POST' } as unknown as Route
}
