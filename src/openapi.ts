/**
 * Routes and resources to the OpenAPI 3.1.0 document: the schemas that it
 * shows are the ones that validate. Nothing is described twice.
 *
 * Source: §9 · OpenAPI Specification 3.1.0
 */
import type { TSchema } from 'typebox'
import { CODES } from './errors.ts'
import type { Route } from './http/route.ts'
import { pathParameters } from './http/router.ts'
import type { Limits } from './limit/budgets.ts'
import { VERSION } from './version.ts'

/** Schemas that stand once under components, by name. */
export type Components = Readonly<Record<string, TSchema>>

type Json = Record<string, unknown>

const STATUS_TEXT: Readonly<Record<number, string>> = {
  400: 'The request failed validation, or the relay refused it before forwarding it',
  404: 'Not found',
  429: "The client's or the global budget is exhausted",
  502: 'A provider is unavailable or returned an unusable response',
  503: 'The service is stopping',
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
    paths,
    components: { schemas: Object.fromEntries(schemas) },
  }
}

function operation(route: Route, names: ReadonlyMap<TSchema, string>, limits: Limits): Json {
  const { summary, text, result, example, errors } = route.description
  const budgets = route.budgets.map(
    (name) => `\`${name}\`: ${limits[name].client} per client and ${limits[name].global} in all per 60 s`,
  )
  const ok = content(inline(result, names), example === undefined ? undefined : { example })
  const failures = errors.map((status) => [
    status,
    {
      description: STATUS_TEXT[status],
      content: content(inline(status === 503 ? result : errorSchema(names), names)),
    },
  ])
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replaceAll(/[^A-Za-z0-9]+(.)/g, (_, letter) => letter.toUpperCase())}`,
    summary,
    ...(text === undefined && budgets.length === 0
      ? {}
      : {
          description: [text, budgets.length === 0 ? undefined : `Budgets: ${budgets.join('; ')}.`]
            .filter(Boolean)
            .join('\n\n'),
        }),
    ...(route.method === 'GET'
      ? { parameters: parameters(route, names) }
      : { requestBody: requestBody(route, names) }),
    responses: { 200: { description: 'OK', content: ok }, ...Object.fromEntries(failures) },
  }
}

function parameters(route: Route & { method: 'GET' }, names: ReadonlyMap<TSchema, string>): Json[] {
  const inPath = pathParameters(route.path)
  const required = new Set(route.input.required as readonly string[] | undefined)
  return Object.entries(route.input.properties).map(([name, schema]) => ({
    name,
    in: inPath.includes(name) ? 'path' : 'query',
    required: required.has(name),
    schema: inline(schema, names),
  }))
}

function requestBody(route: Route & { method: 'POST' }, names: ReadonlyMap<TSchema, string>): Json {
  const { bodyExamples } = route.description
  const examples = Object.entries(bodyExamples ?? {}).map(([name, value]) => [name, { value }])
  return {
    required: true,
    content: content(
      inline(route.body, names),
      examples.length === 0 ? undefined : { examples: Object.fromEntries(examples) },
    ),
  }
}

function content(schema: unknown, more: Json | undefined = undefined): Json {
  return { 'application/json': { schema, ...more } }
}

function errorSchema(names: ReadonlyMap<TSchema, string>): TSchema {
  for (const [schema, name] of names) if (name === 'ErrorBody') return schema
  throw new TypeError('the components hold no ErrorBody')
}

/** The schema as JSON, a reference wherever a component stands in it. */
function inline(schema: unknown, names: ReadonlyMap<TSchema, string>, isRoot = false): unknown {
  if (Array.isArray(schema)) return schema.map((member) => inline(member, names))
  if (typeof schema !== 'object' || schema === null) return schema
  const name = names.get(schema as TSchema)
  if (name !== undefined && !isRoot) return { $ref: `#/components/schemas/${name}` }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, inline(value, names)]))
}
