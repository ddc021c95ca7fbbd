/**
 * Routes and resources to the OpenAPI 3.1.0 document: the schemas that it
 * shows are the ones that validate. Nothing is described twice.
 *
 * Source: §9 · OpenAPI Specification 3.1.0
 */
import type { TSchema } from 'typebox'
import { CODES } from './errors.ts'
import type { Description, Example, Group, Route } from './http/route.ts'
import { pathParameters } from './http/router.ts'
import type { BudgetName, Limits } from './limit/budgets.ts'
import { VERSION } from './version.ts'

/** Schemas that stand once under components, by name. */
export type Components = Readonly<Record<string, TSchema>>

type Json = Record<string, unknown>

const STATUS_TEXT: Readonly<Record<number | 'default', string>> = {
  400: 'The request is wrong, or is refused before it reaches a chain: `code` says why',
  404: 'Not found',
  429: "The client's or the global budget is exhausted",
  502: 'A provider is unavailable or returned an unusable response',
  503: 'The service is stopping',
  default: "Another refusal: of the body, of the HTTP itself, or an upstream's own, unlisted status",
}

/** What else they say where the answer is a stream of events. */
const STREAM_STATUS_TEXT: Readonly<Record<number, string>> = {
  429: 'The client has as many event streams open as one may have',
  503: 'There are too many event streams in all',
}

/** @param components  `ErrorBody` is the body of every error */
export function describeApi(routes: readonly Route[], components: Components, limits: Limits): Json {
  const names = new Map(Object.entries(components).map(([name, schema]) => [schema, name]))
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operation(route, names, limits),
    }
  }
  const schemas = Object.entries(components).map(([name, schema]) => [name, inline(schema, names, true)])
  return {
    openapi: '3.1.0',
    info: {
      title: 'swapgate',
      version: VERSION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: `Errors carry a stable \`code\`: ${Object.keys(CODES).join(', ')}.`,
    },
    servers: [{ url: '/' }],
    security: [],
    tags: groupsOf(routes).map(({ name, summary, text }) => ({ name, description: `${summary}. ${text}` })),
    paths,
    components: { schemas: Object.fromEntries(schemas) },
  }
}

function operation(route: Route, names: ReadonlyMap<TSchema, string>, limits: Limits): Json {
  const { summary, text, stability, group, isStream, result, errors, errorExamples } = route.description
  const budgets = route.budgets.map((name) => `\`${name}\`: ${bounds(limits[name])}`)
  const description = [text, budgets.length === 0 ? undefined : `Budgets: ${budgets.join('; ')}.`]
    .filter(Boolean)
    .join('\n\n')
  const failures = errors.map((status) => {
    const texts = isStream ? { ...STATUS_TEXT, ...STREAM_STATUS_TEXT } : STATUS_TEXT
    const schema = inline(status === 503 && !isStream ? result : errorSchema(names), names)
    const example = status === 'default' ? undefined : errorExamples?.[status]
    return [status, { description: texts[status], content: content(schema, { example }) }]
  })
  return {
    operationId: operationId(route),
    summary,
    ...(description === '' ? {} : { description }),
    ...(group === undefined ? {} : { tags: [group.name] }),
    ...(stability === undefined ? {} : { 'x-stability': stability }),
    ...(route.method === 'GET'
      ? { parameters: parameters(route, names) }
      : { requestBody: requestBody(route, names) }),
    responses: { 200: ok(route, names), ...Object.fromEntries(failures) },
  }
}

function groupsOf(routes: readonly Route[]): readonly Group[] {
  return [...new Set(routes.flatMap(({ description: { group } }) => group ?? []))]
}

/** `GET /api/token/{chain}` is getApiTokenChain. */
function operationId({ method, path }: Route): string {
  const words = path.split(/[^A-Za-z0-9]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return method.toLowerCase() + words.join('')
}

function bounds({ client, global }: Limits[BudgetName]): string {
  const bound = (limit: number): string => (limit === Infinity ? 'no limit' : String(limit))
  return `${bound(client)} per client and ${bound(global)} in all per 60 s`
}

function ok({ description }: Route, names: ReadonlyMap<TSchema, string>): Json {
  const { result, example, isStream } = description
  const examples = named(description, ({ reply }) => reply)
  const body = { schema: inline(result, names), example, examples }
  return isStream
    ? { description: 'OK: events; the schema is that of their data', content: { 'text/event-stream': body } }
    : { description: 'OK', content: { 'application/json': body } }
}

function parameters(route: Route & { method: 'GET' }, names: ReadonlyMap<TSchema, string>): Json[] {
  const inPath = pathParameters(route.path)
  const required = new Set(route.input.required as readonly string[] | undefined)
  return Object.entries(route.input.properties).map(([name, property]) => {
    const { description, ...schema } = inline(property, names) as Json
    return {
      name,
      in: inPath.includes(name) ? 'path' : 'query',
      description,
      // A default is filled in before validation, so its parameter may be left out.
      required: required.has(name) && schema.default === undefined,
      schema,
      examples: named(route.description, ({ request }) => request[name]),
    }
  })
}

function requestBody(route: Route & { method: 'POST' }, names: ReadonlyMap<TSchema, string>): Json {
  const { bodyExamples = {} } = route.description
  const alone = Object.entries(bodyExamples).map(([name, value]) => [name, { value }])
  const examples = { ...Object.fromEntries(alone), ...named(route.description, ({ request }) => request) }
  return { required: true, content: content(inline(route.body, names), { examples }) }
}

/** A part of each of the route's examples under the example's name; undefined where none has it. */
function named({ examples = {} }: Description, part: (example: Example) => unknown): Json | undefined {
  const values = Object.entries(examples).map(([name, example]) => [name, { value: part(example) }] as const)
  const given = values.filter(([, { value }]) => value !== undefined)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

/** The `content` of a body; what is undefined does not reach the document. */
function content(schema: unknown, more: Json = {}): Json {
  return { 'application/json': { schema, ...more } }
}

function errorSchema(names: ReadonlyMap<TSchema, string>): TSchema {
  for (const [schema, name] of names) if (name === 'ErrorBody') return schema
  throw new TypeError('the components hold no ErrorBody')
}

/** The schema as JSON without the keywords of ours, a reference wherever a component stands in it. */
function inline(schema: unknown, names: ReadonlyMap<TSchema, string>, isRoot = false): unknown {
  if (Array.isArray(schema)) return schema.map((member) => inline(member, names))
  if (typeof schema !== 'object' || schema === null) return schema
  const name = names.get(schema as TSchema)
  if (name !== undefined && !isRoot) return { $ref: `#/components/schemas/${name}` }
  const keywords = Object.entries(schema).filter(([key]) => !key.startsWith('x-'))
  return Object.fromEntries(keywords.map(([key, value]) => [key, inline(value, names)]))
}
