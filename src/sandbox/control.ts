/**
 * The sandbox's control endpoint, on loopback: whoever tests a wallet against
 * swapgate, or shows it, turns the providers' fault dials here.
 *
 *   GET    /faults             every provider's dial
 *   PUT    /faults/{provider}  {"fault":"latency","ms":800} or {"fault":null}
 *   DELETE /faults             all work again
 *
 * Those that build can also be taken over: {"fault":"steal"}, and GET says what
 * was stolen last.
 */

import { type HttpReply, type HttpRequest, type Listening, listen } from './listen.ts'
import { type Dials, FAULTS, type Fault, STEAL } from './provider-server.ts'

const MAX_LATENCY_MS = 600_000

/** @param thieves  the names of those that can be taken over */
export function startControl(
  dials: Dials,
  providers: readonly string[],
  thieves: readonly string[] = [],
): Promise<Listening> {
  return listen((request) => control(dials, providers, thieves, request))
}

function control(
  dials: Dials,
  providers: readonly string[],
  thieves: readonly string[],
  { method, path, body }: HttpRequest,
): HttpReply {
  if (path === '/faults') {
    if (method !== 'GET' && method !== 'DELETE') return wrongMethod('GET, HEAD, DELETE')
    if (method === 'DELETE') dials.clear()
    return { status: 200, body: Object.fromEntries(providers.map((name) => [name, shown(dials, name)])) }
  }
  const name = /^\/faults\/([^/]+)$/.exec(path)?.[1]
  if (name === undefined) return refusal(404, 'The paths are /faults and /faults/{provider}.')
  if (method !== 'PUT') return wrongMethod('PUT')
  if (!providers.includes(name)) return refusal(400, `The provider must be one of ${providers.join(', ')}.`)

  const { fault, ms } = (typeof body === 'object' ? (body ?? {}) : {}) as { fault?: unknown; ms?: unknown }
  if (!isFault(fault))
    return refusal(400, `\`fault\` must be null or one of ${[...FAULTS, STEAL].join(', ')}.`)
  if (fault === STEAL && !thieves.includes(name)) {
    return refusal(400, `Only who builds can steal: ${thieves.join(', ')}.`)
  }
  if (ms !== undefined && (fault !== 'latency' || !isLatency(ms))) {
    return refusal(400, `\`ms\` goes with a latency, and must be an integer from 0 to ${MAX_LATENCY_MS}.`)
  }
  dials.set(name, fault, ms)
  return { status: 200, body: shown(dials, name) }
}

const shown = (dials: Dials, name: string) => dials.get(name) ?? { fault: null }

const isFault = (value: unknown): value is Fault | null =>
  value === null || value === STEAL || FAULTS.some((fault) => fault === value)

const isLatency = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_LATENCY_MS

const refusal = (status: number, error: string): HttpReply => ({ status, body: { error } })

const wrongMethod = (allow: string): HttpReply => ({
  ...refusal(405, `The methods here are ${allow}.`),
  headers: { allow },
})
