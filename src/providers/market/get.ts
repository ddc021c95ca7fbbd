/**
 * What market providers are asked: a GET that may go out again, because it
 * changes nothing, and whose answer is read where its status is 200.
 */
import type { UpstreamRequest } from '../../upstream/call.ts'
import type { Upstream } from '../../upstream/upstream.ts'

/** What an adapter needs of its upstream. */
export type Asking = Pick<Upstream, 'ask'>

/** @param read  of the body of a 200; see UpstreamRequest */
export function get<T>(
  path: string,
  read: (body: Buffer) => ReturnType<UpstreamRequest<T>['read']>,
): UpstreamRequest<T> {
  return getAny<T>(path, (status, body) => (status === 200 ? read(body) : null))
}

/** A GET of a provider whose refusals are answers too. */
export function getAny<T>(path: string, read: UpstreamRequest<T>['read']): UpstreamRequest<T> {
  return { method: 'GET', path, body: null, resend: true, read }
}
