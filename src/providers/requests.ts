/** Requests to providers. They may be retried, because they change nothing. */
import type { Clock } from '../runtime/clock.ts'
import type { UpstreamRequest } from '../upstream/request.ts'
import type { Upstream } from '../upstream/upstream.ts'

/** The part of an upstream that an adapter needs. */
export type AdapterUpstream = Pick<Upstream, 'ask'>

export interface AdapterOptions {
  readonly upstream: AdapterUpstream
  readonly clock?: Clock
}

/** @param read  reads the body of a 200; see UpstreamRequest. Any other status isn't an answer. */
export function get<T>(
  path: string,
  read: (body: Buffer) => ReturnType<UpstreamRequest<T>['read']>,
): UpstreamRequest<T> {
  return getAny<T>(path, (status, body) => (status === 200 ? read(body) : null))
}

/** A GET for a provider whose error statuses also carry answers. */
export function getAny<T>(path: string, read: UpstreamRequest<T>['read']): UpstreamRequest<T> {
  return { method: 'GET', path, body: null, resend: true, read }
}

export function post<T>(path: string, body: string, read: UpstreamRequest<T>['read']): UpstreamRequest<T> {
  return { method: 'POST', path, body, resend: true, read }
}
