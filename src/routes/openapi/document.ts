/**
 * Builds the OpenAPI 3.1.0 document from routes and resources: the schemas that it shows are the ones that
 * validate. Nothing is described twice.
 *
 * Source: §9 · OpenAPI Specification 3.1.0
 */
import type { TSchema } from 'typebox'
import type { BudgetName, Limits } from '../../http/limit/budgets.ts'
import type { Group, RequestExample, Route, RouteDescription } from '../../http/route.ts'
import { pathParameters } from '../../http/router.ts'
import { CODES } from '../../runtime/errors.ts'
import { INTERFACE_VERSION } from '../../runtime/version.ts'
import { HEADERS, responsesOf, sharedResponses } from './responses.ts'
import { asComponent, type Names, namedSchema } from './schemas.ts'

/** Schemas that appear once under components, by name. */
type Components = Readonly<Record<string, TSchema>>

type Json = Record<string, unknown>

/**
 * @param components  `ErrorBody` is the body of every error
 * @param origin      of the service, without a slash at its end
 * @param unused      groups for which this gateway has no answers: the reference leaves them out
 */
export function describeApi(
  routes: readonly Route[],
  components: Components,
  limits: Limits,
  origin: string,
  unused: readonly Group[] = [],
): Json {
  const names: Names = new Map(Object.entries(components).map(([name, schema]) => [schema, name]))
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operation(route, names, limits),
    }
  }
  const schemas = Object.entries(components).map(([name, schema]) => [name, asComponent(schema, names)])
  return {
    openapi: '3.1.0',
    info: {
      title: 'swapgate',
      version: INTERFACE_VERSION,
      contact: { name: 'The operator of this host' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: DESCRIPTION,
    },
    servers: [{ url: origin }],
    security: [],
    tags: groupsOf(routes).map((group) => ({
      name: group.name,
      description: `${group.summary}. ${group.text}`,
      ...(unused.includes(group) ? { 'x-unused': true } : {}),
    })),
    paths,
    components: {
      schemas: Object.fromEntries(schemas),
      responses: sharedResponses(names),
      headers: HEADERS,
    },
  }
}

/** In Markdown, which readers of the document render. */
const DESCRIPTION = `Swap quotes, unsigned transactions, cross-chain routes, token research, portfolios, and a Solana JSON-RPC relay that lets only valid, signed transactions through. It holds no keys, and nobody is authenticated: a client is its address.

HEAD is answered wherever GET is; another method of a path is 405, with \`Allow\`. Errors carry a stable \`code\`:

| code | status | meaning |
|---|---|---|
${Object.entries(CODES)
  .map(([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`)
  .join('\n')}`

function operation(route: Route, names: Names, limits: Limits): Json {
  const { id, summary, text, stability, group } = route.description
  const budgets = route.budgets.map((name) => `\`${name}\`: ${bounds(limits[name])}`)
  const description = budgets.length === 0 ? text : `${text}\n\nBudgets: ${budgets.join('; ')}.`
  return {
    operationId: id,
    summary,
    description,
    tags: [group.name],
    ...(stability === undefined ? {} : { 'x-stability': stability }),
    ...(route.method === 'GET'
      ? { parameters: parameters(route, names) }
      : { requestBody: requestBody(route, names) }),
    responses: responsesOf(route, names),
  }
}

function groupsOf(routes: readonly Route[]): readonly Group[] {
  return [...new Set(routes.map(({ description: { group } }) => group))]
}

function bounds({ client, global }: Limits[BudgetName]): string {
  const bound = (limit: number): string => (limit === Infinity ? 'no limit' : String(limit))
  return `${bound(client)} per client and ${bound(global)} in all per 60 s`
}

function parameters(route: Route & { method: 'GET' }, names: Names): Json[] {
  const inPath = pathParameters(route.path)
  const required = new Set(route.input.required as readonly string[] | undefined)
  return Object.entries(route.input.properties).map(([name, property]) => {
    const { description, ...schema } = namedSchema(property, names) as Json
    return {
      name,
      in: inPath.includes(name) ? 'path' : 'query',
      description,
      // A default is filled in before validation, so its parameter may be left out.
      required: required.has(name) && schema.default === undefined,
      schema,
      examples: requested(route.description, ({ value, summary }) =>
        value[name] === undefined ? undefined : { summary, value: value[name] },
      ),
    }
  })
}

function requestBody(route: Route & { method: 'POST' }, names: Names): Json {
  const examples = requested(route.description, ({ params, ...example }) => {
    if (params === undefined) return example
    // Without its type: linters demand one schema for all items of an array.
    const { type: _, ...tuple } = asComponent(params, names)
    return { ...example, 'x-params': tuple }
  })
  return {
    required: true,
    content: { 'application/json': { schema: namedSchema(route.body, names), examples } },
  }
}

/** A part of each example of a request, by the example's name; undefined if none has it. */
function requested(
  { examples = {}, requests = {} }: RouteDescription,
  part: (example: RequestExample) => RequestExample | Json | undefined,
): Json | undefined {
  const recorded = Object.entries(examples).map(([name, { request }]) => [name, { value: request }] as const)
  const shown = [...Object.entries(requests), ...recorded].map(([name, one]) => [name, part(one)] as const)
  const given = shown.filter(([, example]) => example !== undefined)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}
