/**
 * The errors about themselves that nodes and their proxies answer with status 200.
 *
 * Source: see upstream/nodes/node-errors.ts
 */
import type { HttpReply, HttpRequest } from './listen.ts'

const MESSAGES: Readonly<Record<number, string>> = {
  429: 'Too many requests',
  [-32005]: 'daily request count exceeded, request rate limited',
  [-32007]:
    '50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com',
  [-32012]: 'You have reached the request limit of your plan',
  [-32029]: 'Rate limit exceeded',
  [-32429]: 'rate limited',
  [-32401]: 'Unauthorized',
  [-32603]: 'Internal error',
  [-32000]: 'Unauthorized: You must authenticate your request with an API key.',
}

/** By JSON-RPC. A proxy that refuses a key has not read the id. */
export function nodeError({ body }: Pick<HttpRequest, 'body'>, code: number): HttpReply {
  const message = MESSAGES[code] ?? 'upstream request failed'
  const isRefusal = message.startsWith('Unauthorized')
  const one = (call: unknown) => {
    const { id = null } = (call ?? {}) as { readonly id?: unknown }
    return { jsonrpc: '2.0', id: isRefusal ? null : id, error: { code, message } }
  }
  return { status: 200, body: Array.isArray(body) ? body.map(one) : one(body) }
}
