/**
 * JSON-RPC 2.0 as agave's server library implements it: requests and batches, with no
 * reply to notifications.
 *
 * Source: paritytech/jsonrpc core/src/io.rs, types/request.rs
 */

import { CHAIN } from './chain.ts'
import { HISTORY } from './history.ts'
import { type Json, type JsonObject, toJson } from './ledger/json.ts'
import { invalidParams, RpcError } from './ledger/params.ts'
import type { Method } from './method.ts'
import type { Node } from './node.ts'
import { READS } from './reads.ts'
import { SUBMISSIONS } from './submissions.ts'

const METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries({ ...CHAIN, ...READS, ...HISTORY, ...SUBMISSIONS }),
)

type JsonRpcCall = Readonly<Record<string, unknown>>
type Id = null | number | string

/** @returns the reply's text; empty for notifications */
export function answer(node: Node, text: string): string {
  let request: unknown
  try {
    request = JSON.parse(text)
  } catch {
    request = undefined
  }
  if (isCall(request)) return toText(reply(node, request))
  if (!Array.isArray(request) || !request.every(isCall)) {
    return toJson(failure(null, new RpcError(-32700, 'Parse error')))
  }
  const replies = request.map((call) => reply(node, call)).filter((one) => one !== null)
  return toText(replies.length === 0 ? null : replies)
}

const toText = (value: Json): string => (value === null ? '' : toJson(value))

const isCall = (value: unknown): value is JsonRpcCall =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @returns null for a notification, which is executed without a reply */
function reply(node: Node, call: JsonRpcCall): JsonObject | null {
  const id = isId(call.id) ? call.id : null
  if (!isRequest(call)) return failure(id, new RpcError(-32600, 'Invalid request'))
  const outcome = run(node, call, id)
  return call.id === undefined ? null : outcome
}

function run(node: Node, call: JsonRpcCall, id: Id): JsonObject {
  if (call.jsonrpc === undefined) {
    return failure(id, new RpcError(-32600, 'Unsupported JSON-RPC protocol version'))
  }
  try {
    if (node.fault === 'unhealthy') throw new RpcError(-32005, 'Node is unhealthy', { numSlotsBehind: null })
    const method = METHODS.get(call.method as string)
    if (method === undefined) throw new RpcError(-32601, 'Method not found')
    const result = method.answer(node, readParams(method, call.params ?? []))
    return { jsonrpc: '2.0', result, id }
  } catch (error) {
    return failure(id, error instanceof RpcError ? error : new RpcError(-32603, 'Internal error'))
  }
}

const failure = (id: Id, { code, message, data }: RpcError): JsonObject => ({
  jsonrpc: '2.0',
  error: { code, message, data },
  id,
})

const ENVELOPE: ReadonlySet<string> = new Set(['jsonrpc', 'method', 'params', 'id'])

/** The library refuses unknown members. */
function isRequest(call: JsonRpcCall): boolean {
  return (
    Object.keys(call).every((key) => ENVELOPE.has(key)) &&
    (call.jsonrpc === undefined || call.jsonrpc === '2.0') &&
    typeof call.method === 'string' &&
    (call.params === undefined || typeof call.params === 'object') &&
    (call.id === undefined || isId(call.id))
  )
}

const isId = (id: unknown): id is Id => id === null || typeof id === 'string' || Number.isSafeInteger(id)

/** @throws -32602  not a list, or not as many as the method takes (P1) */
function readParams({ minParams, maxParams }: Method, params: unknown): readonly unknown[] {
  if (!Array.isArray(params)) throw invalidParams('`params` should be an array')
  if (params.length < minParams) {
    throw invalidParams(`\`params\` should have at least ${minParams} argument(s)`)
  }
  if (params.length > maxParams) {
    throw invalidParams(`Expected from ${minParams} to ${maxParams} parameters.`, `"Got: ${params.length}"`)
  }
  return params
}
