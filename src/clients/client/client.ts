/** The client: a method for each operation, the relay, and what the client knows of the budgets. */

import { events } from './events.ts'
import { OPERATIONS, type Operations } from './generated/operations.ts'
import type { Limit } from './limits.ts'
import type { CallOptions, ClientOptions, EventsOptions } from './options.ts'
import { parseAnswer } from './responses.ts'
import { createRpc, type Rpc } from './rpc.ts'
import { createSubmissions, type Submissions } from './submission.ts'
import { type OperationRequest, type OperationRow, Transport } from './transport.ts'

export interface Client extends Operations, Rpc, Submissions {
  /** The URL of a token's logo, for an `img` (`GET /api/logo/{chain}/{address}`); nothing is sent. */
  logoUrl(token: { readonly chain: string; readonly address: string }): string
  /** What is left of each budget, as of the gateway's last answer. */
  readonly limits: readonly Limit[]
}

type OperationInput = Readonly<Record<string, unknown>>

/** A client of the gateway at `baseUrl`. Nothing is sent before a method is called. */
export function createClient(options: ClientOptions): Client {
  const transport = new Transport(options)
  const methods = Object.entries<OperationRow>(OPERATIONS).map(([name, row]) => [
    name,
    (...given: unknown[]) => {
      const [input, how] = row.takesNothing ? [{}, given[0]] : given
      const request = requestOf(name, row, (input ?? {}) as OperationInput)
      return row.isStream
        ? events(transport, request, (how ?? {}) as EventsOptions)
        : transport.call(request, (how ?? {}) as CallOptions).then((reply) => parseAnswer(reply, JSON.parse))
    },
  ])
  const asks = { ...(Object.fromEntries(methods) as Operations), ...createRpc(transport) }
  const client = {
    ...asks,
    ...createSubmissions(transport, asks),
    logoUrl: ({ chain, address }: { readonly chain: string; readonly address: string }) =>
      transport.urlOf(`/api/logo/${encodeURIComponent(chain)}/${encodeURIComponent(address)}`),
  }
  return Object.defineProperty(client, 'limits', { get: () => transport.limits.all() }) as Client
}

/** Puts the members named in the path into it, and the others into the query (GET) or the body (POST). */
function requestOf(operation: string, row: OperationRow, input: OperationInput): OperationRequest {
  const { method = 'GET', path, also } = row
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const inPath = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest.get(name) ?? '')
    rest.delete(name)
    return encodeURIComponent(value)
  })
  const common: Omit<OperationRequest, 'target' | 'body'> = { operation, method, also }
  if (method === 'POST') return { ...common, target: inPath, body: JSON.stringify(Object.fromEntries(rest)) }
  const query = [...rest].map(([name, value]) => {
    const text = Array.isArray(value) ? value.join() : String(value)
    return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`
  })
  return { ...common, target: query.length === 0 ? inPath : `${inPath}?${query.join('&')}`, body: null }
}
