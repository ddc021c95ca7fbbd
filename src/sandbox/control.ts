/**
 * The sandbox's control endpoint, on loopback. Tests and demonstrations set the fault
 * dials of the providers and nodes here.
 *
 *   GET    /kinds          the faults of each server, with their amounts
 *   GET    /faults         all dials
 *   PUT    /faults/{name}  {"fault":"latency","ms":800} or {"fault":null}
 *   DELETE /faults         clears all faults
 *
 * Providers that build transactions can also be compromised: {"fault":"steal"}; GET
 * then describes the last theft. The faults are listed in dials.ts.
 */

import { isOwnName, saysBrowser } from '../http/client/origin.ts'
import { DialRefusal, type Dials } from './dials.ts'
import { type HttpReply, type HttpRequest, type Listening, listen } from './listen.ts'

export function startControl(dials: Dials): Promise<Listening> {
  return listen((request) => control(dials, request))
}

function control(dials: Dials, { method, path, headers, body }: HttpRequest): HttpReply {
  if (saysBrowser(headers) && !isOwnName(headers.host, null)) {
    return refusal(421, 'Pages may ask under an IP address or localhost only.')
  }
  if (path === '/faults') {
    if (method !== 'GET' && method !== 'DELETE') return wrongMethod('GET, HEAD, DELETE')
    if (method === 'DELETE') dials.clear()
    return { status: 200, body: Object.fromEntries(dials.names().map((name) => [name, shown(dials, name)])) }
  }
  if (path === '/kinds') {
    if (method !== 'GET') return wrongMethod('GET, HEAD')
    return { status: 200, body: Object.fromEntries(dials.names().map((name) => [name, dials.kindsOf(name)])) }
  }
  const name = /^\/faults\/([^/]+)$/.exec(path)?.[1]
  if (name === undefined) return refusal(404, 'The paths are /kinds, /faults and /faults/{provider}.')
  if (method !== 'PUT') return wrongMethod('PUT')
  const { fault, ...amounts } = (typeof body === 'object' ? (body ?? {}) : {}) as Record<string, unknown>
  try {
    dials.set(name, fault, amounts)
  } catch (error) {
    if (error instanceof DialRefusal) return refusal(400, error.message)
    throw error
  }
  return { status: 200, body: shown(dials, name) }
}

const shown = (dials: Dials, name: string) => dials.get(name) ?? { fault: null }

const refusal = (status: number, error: string): HttpReply => ({ status, body: { error } })

const wrongMethod = (allow: string): HttpReply => ({
  ...refusal(405, `The methods here are ${allow}.`),
  headers: { allow },
})
