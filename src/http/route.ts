/**
 * The contract between http/ and routes/: what a route declares. The same
 * schemas validate, type the handler and describe the route in OpenAPI.
 */
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { GatewayError } from '../runtime/errors.ts'
import type { BudgetName } from './limit/budgets.ts'
import type { SheddingPriority } from './overload/shedding.ts'
import type { Events, Opening } from './reply/events.ts'
import type { Representation, SharedPieces } from './reply/representation.ts'
import type { Exchange } from './request/exchange.ts'

/** A reply with a status of the route's choice, such as the 503 of a health check. */
export class StatusReply {
  readonly status: number
  readonly body: Buffer

  constructor(status: number, body: Buffer) {
    this.status = status
    this.body = body
  }
}

/**
 * The result of a handler: JSON bytes (status 200), the same prepared for conditional requests and content
 * codings, a StatusReply, Events for an event stream, an Opening for one that costs something to begin, or
 * null if the budget refused, so that the server sends the 429.
 */
export type Result = Buffer | Representation | SharedPieces | StatusReply | Events | Opening | null

/** A result as JSON. */
export const jsonOf = async (answer: object | Promise<object>): Promise<Buffer> =>
  Buffer.from(JSON.stringify(await answer))

/** One request, and the 200 that a sandboxed gateway answered. */
export interface Example {
  /** The parameters, or the body. */
  readonly request: Readonly<Record<string, unknown>>
  readonly reply: unknown
}

/** A request as OpenAPI shows it. */
export interface RequestExample {
  readonly summary?: string
  /** The parameters, or the body. */
  readonly value: Readonly<Record<string, unknown>>
  /** Of the method that a body calls: what checks its params. */
  readonly params?: TSchema
}

export interface Group {
  /** OpenAPI's tag; generated clients name files and classes by it. */
  readonly name: string
  /** What its routes answer; no full stop. */
  readonly summary: string
  readonly text: string
}

/** A route's description in OpenAPI. */
export interface RouteDescription {
  /**
   * OpenAPI's operationId, a verb and its object; generated clients name methods by it, so it never changes.
   */
  readonly id: string
  readonly summary: string
  readonly text: string
  /**
   * Set if the specification names only the route's path (§4.10): the contract is our own, and may change.
   */
  readonly stability?: 'unverified'
  /** Routes of one kind share a section in the documents. */
  readonly group: Group
  /** The body of a 200; for a stream, the data of its events. */
  readonly result: TSchema
  /** The media types of a body that isn't JSON. */
  readonly media?: readonly string[]
  /** Whether the handler answers Events. */
  readonly isStream?: true
  /** When the handler answers 204 instead, without a body. */
  readonly noContent?: string
  readonly example?: unknown
  /** Requests without a recorded reply, by name: parameters, or bodies. */
  readonly requests?: Readonly<Record<string, RequestExample>>
  /** Requests with their replies, by name. */
  readonly examples?: Readonly<Record<string, Example>>
  /** Error statuses that the specification lists for this route; `default` if it lets others through (§7). */
  readonly errors: readonly (number | 'default')[]
  /** The Error body, by status. */
  readonly errorExamples?: Readonly<Record<number, unknown>>
}

/** What the documents need of a route. */
interface Documented {
  readonly description: RouteDescription
  /** The budgets that its handler may take. */
  readonly budgets: readonly BudgetName[]
}

/** The priorities of a path whose requests differ by their bodies. */
export interface PriorityByBody {
  /** A body that is shorter is a quote's at most. */
  readonly leastBuildBytes: number
  /** A guess before the body is parsed; never below the body's priority. */
  ofBytes(bytes: Buffer): SheddingPriority
  /** @param body  as the handler gets it */
  of(body: unknown): SheddingPriority
}

/** A GET route, as the server serves it. */
interface ServedGet<Input extends TObject = TObject> {
  readonly method: 'GET'
  /** Segments in braces are parameters: `/api/token/{chain}/{address}`. */
  readonly path: string
  /** Path and query parameters together: one flat object of scalars. */
  readonly input: Input
  /** Its priority in an overload; `research` if absent. A `probe` is never shed. */
  readonly priority?: SheddingPriority | 'probe'
  handle(input: Static<Input>, exchange: Exchange): Result | Promise<Result>
}

export interface GetRoute<Input extends TObject = TObject> extends ServedGet<Input>, Documented {}

export interface PostRoute<Body extends TSchema = TSchema> extends Documented {
  readonly method: 'POST'
  readonly path: string
  readonly body: Body
  readonly maxBytes: number
  /** As for a GET, or by the body. */
  readonly priority?: SheddingPriority | PriorityByBody
  /** A refusal that says more than the schema's, of a body that the schema refuses. */
  refusalOf?(refusal: GatewayError, body: unknown): GatewayError
  /**
   * Reads the body in another way than JSON.parse does, such as for values that it cannot represent.
   * @param checked  parses the body, and checks it against the schema
   * @returns what `handle` gets, and what decides the priority
   */
  read?(bytes: Buffer, checked: () => Static<Body>): unknown
  handle(body: Static<Body>, exchange: Exchange): Result | Promise<Result>
}

/** A route in a list, without the type of its input. */
export type Route = Untyped<GetRoute> | Untyped<PostRoute>

type Untyped<R> = Omit<R, 'handle'> & {
  handle(input: unknown, exchange: Exchange): Result | Promise<Result>
}

/** A route of the API, or a page for browsers, which isn't in any document. */
export type Served = Route | Untyped<ServedGet>

/** What a declaration may leave out: without `budgets` the handler takes none, without `input` there are no parameters. */
const DEFAULTS = { budgets: [], input: Type.Object({}) }

/** A route as its file declares it. */
type Declared<R> = Omit<R, 'method' | keyof typeof DEFAULTS> &
  Partial<Pick<R, Extract<keyof R, keyof typeof DEFAULTS>>>

export function page<Input extends TObject>(declared: Declared<ServedGet<Input>>): Served {
  return { input: DEFAULTS.input, ...declared, method: 'GET' } as unknown as Served
}

export function get<Input extends TObject>(declared: Declared<GetRoute<Input>>): Route {
  return { ...DEFAULTS, ...declared, method: 'GET' } as unknown as Route
}

export function post<Body extends TSchema>(declared: Declared<PostRoute<Body>>): Route {
  return { budgets: [], ...declared, method: 'POST' } as unknown as Route
}
