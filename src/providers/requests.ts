/** Requests to providers. They may be retried, because they change nothing. */
import { finish, finishInPieces } from '../flow/loop-share.ts'
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
export function get<T>(path: string, read: (body: Buffer) => ReturnType<UpstreamRequest<T>['read']>) {
  return getAny<T>(path, (status, body) => (status === 200 ? read(body) : null))
}

/** A GET for a provider whose error statuses also carry answers. */
export function getAny<T>(path: string, read: UpstreamRequest<T>['read']): UpstreamRequest<T> {
  return { method: 'GET', path, body: null, resend: true, read }
}

export function post<T>(path: string, body: string, read: UpstreamRequest<T>['read']): UpstreamRequest<T> {
  return { method: 'POST', path, body, resend: true, read }
}

/**
 * A GET whose answer may be so long that it is read in pieces, which leave the event loop free between them.
 * @param read  reads the body of a 200; null if it isn't an answer
 */
export function getInPieces<T>(
  path: string,
  maxBytes: number,
  read: (body: Buffer) => Generator<void, T | null, void>,
): UpstreamRequest<T> {
  /** Those of long answers. */
  const prepared = new WeakMap<Buffer, { readonly value: T | null }>()
  return {
    ...get<T>(path, (body) => (prepared.get(body) ?? { value: finish(read(body)) }).value),
    maxBytes,
    async prepare(body) {
      prepared.set(body, { value: await finishInPieces(read(body)) })
    },
  }
}
