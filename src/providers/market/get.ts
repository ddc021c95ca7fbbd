/**
 * How market providers are asked: with a GET that may go out again, because it
 * changes nothing, and whose answer is read where its status is 200.
 */
import type { UpstreamRequest } from '../../upstream/call.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import type { CallOptions } from '../provider.ts'

/** All that an adapter needs of its upstream. */
export type Asking = Pick<Upstream, 'exchange'>

/**
 * @param read  of the body of a 200; see UpstreamRequest
 * @throws GatewayError  502 upstream_*
 */
export function get<T>(
  upstream: Asking,
  path: string,
  options: CallOptions,
  read: (body: Buffer) => ReturnType<UpstreamRequest<T>['read']>,
): Promise<T> {
  return getAny<T>(upstream, path, options, (status, body) => (status === 200 ? read(body) : null))
}

/** For those whose refusals are answers too. */
export function getAny<T>(
  upstream: Asking,
  path: string,
  { deadlineMs, priority, cancel }: CallOptions,
  read: UpstreamRequest<T>['read'],
): Promise<T> {
  const request: UpstreamRequest<T> = { method: 'GET', path, body: null, priority, resend: true, read }
  return upstream.exchange(request, deadlineMs, cancel)
}
