/**
 * The responses of an operation apart from its 200: each status that a route lists, and those of HTTP itself,
 * which any route may answer. Those without an example of the route's own appear once, among the components.
 *
 * The path's other methods aren't in the document: they get 405.
 *
 * Source: §7 · OpenAPI Specification 3.1.0, Responses Object
 */
import type { TSchema } from 'typebox'
import type { Route } from '../../http/route.ts'
import headers from './reply-headers.json' with { type: 'json' }
import { type Names, namedSchema } from './schemas.ts'
import shared from './shared-responses.json' with { type: 'json' }

/**
 * The headers of replies, as components of the document. None is required: a refused connection has no
 * request to name.
 *
 * Source: RFC 9110 §10.2.3 (Retry-After) · draft-ietf-httpapi-ratelimit-headers-10 · W3C Server Timing
 */
export const HEADERS = headers
type HeaderName = keyof typeof HEADERS

const refersTo = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

type Json = Record<string, unknown>
type Status = number | 'default'

interface Shared {
  /** The status that it describes, unless its route has a description of its own. */
  readonly status?: Status
  readonly description: string
  /** In addition to those of every reply. */
  readonly headers: readonly HeaderName[]
  /** Error bodies, word for word. */
  readonly examples: Readonly<Record<string, Json>>
}

/** On every reply to a request. */
const ALWAYS = ['X-Request-Id', 'Server-Timing'] as const
/** On every error. */
const ON_ERROR = [...ALWAYS, 'X-Error-Code'] as const
/** If the operation has a budget: from the moment it was spent. */
const BUDGET = ['RateLimit', 'RateLimit-Policy'] as const

type SharedName = keyof typeof shared

const SHARED = shared as Readonly<Record<SharedName, Shared>>

function sharedOf(status: Status, { budgets, description: { isStream } }: Route): SharedName | null {
  if (status === 429 && isStream) return budgets.length > 0 ? 'NoBudgetOrStream' : 'TooManyStreams'
  return (Object.keys(SHARED) as SharedName[]).find((name) => SHARED[name].status === status) ?? null
}

const TEXTS: Readonly<Record<number, string>> = { 404: 'Not found' }

/** Every status of an operation but 200, in rising order, `default` at the end. */
function statusesOf({ method, description: { errors } }: Route): readonly Status[] {
  const always: readonly Status[] = method === 'POST' ? [400, 413, 415, 429, 503] : [400, 503]
  const listed = [...errors, ...always].filter((status) => status !== 'default')
  return [...[...new Set(listed)].sort((a, b) => a - b), 'default']
}

/** The member `responses` of an operation. @param names  `ErrorBody` among them */
export function responsesOf(route: Route, names: Names): Json {
  const failures = statusesOf(route).map((status) => [status, failure(route, status, names)])
  const { noContent } = route.description
  return {
    200: ok(route, names),
    ...(noContent !== undefined && { 204: { description: noContent, headers: refersTo(ALWAYS) } }),
    ...Object.fromEntries(failures),
  }
}

/** The responses that several operations refer to. */
export function sharedResponses(names: Names): Json {
  const body = namedSchema(errorSchema(names), names)
  const responses = Object.entries(SHARED).map(([name, { description, headers, examples }]) => {
    const values = Object.entries(examples).map(([title, value]) => [title, { value }])
    const content = { 'application/json': { schema: body, examples: Object.fromEntries(values) } }
    return [name, { description, headers: refersTo([...ON_ERROR, ...headers]), content }]
  })
  return Object.fromEntries(responses)
}

function failure(route: Route, status: Status, names: Names): Json {
  const { isStream = false, errorExamples, errors } = route.description
  const name = sharedOf(status, route)
  const example = status === 'default' ? undefined : errorExamples?.[status]
  // A route that answers 503 itself describes it in its own words.
  const isOwn = status === 503 && !isStream && errors.includes(503)
  if (name !== null && example === undefined && !isOwn) return { $ref: `#/components/responses/${name}` }
  const error = namedSchema(errorSchema(names), names)
  const schema = isOwn ? { anyOf: [namedSchema(route.description.result, names), error] } : error
  return {
    description: name === null ? TEXTS[status as number] : SHARED[name].description,
    headers: refersTo([
      ...ON_ERROR,
      ...budgetHeaders(route),
      ...(status === 503 ? ['Retry-After' as const] : []),
    ]),
    content: { 'application/json': { schema, example } },
  }
}

function ok(route: Route, names: Names): Json {
  const { result, example, examples = {}, isStream } = route.description
  const { media = [isStream ? 'text/event-stream' : 'application/json'] } = route.description
  const replies = Object.entries(examples).map(([name, { reply }]) => [name, { value: reply }])
  const body = {
    schema: namedSchema(result, names),
    ...(replies.length > 0 ? { examples: Object.fromEntries(replies) } : { example }),
  }
  return {
    description: isStream ? 'OK: events; the schema is that of their data' : 'OK',
    headers: refersTo([...ALWAYS, ...budgetHeaders(route)]),
    content: Object.fromEntries(media.map((type) => [type, body])),
  }
}

const budgetHeaders = ({ budgets }: Route): readonly HeaderName[] => (budgets.length > 0 ? BUDGET : [])

function errorSchema(names: Names): TSchema {
  for (const [schema, name] of names) if (name === 'ErrorBody') return schema
  throw new TypeError('the components hold no ErrorBody')
}
