import type { IncomingMessage } from 'node:http'
import { Type } from 'typebox'
import { ByOrigin, ORIGIN } from '../http/by-origin.ts'
import type { Medium } from '../http/representation.ts'
import { page, type Route, type Served } from '../http/route.ts'
import type { Clock } from '../runtime/clock.ts'
import { describeForModels } from './openapi/llms.ts'

const TEXT: Medium = {
  contentType: 'text/plain; charset=utf-8',
  cacheControl: 'no-store',
  headers: ['X-Content-Type-Options', 'nosniff'],
}

/** GET /llms.txt: an index for language models; not part of the API. */
export function llms(
  routes: readonly Route[],
  originOf: (request: IncomingMessage) => string,
  clock: Clock,
): Served {
  const texts = new ByOrigin(() => describeForModels(routes, ORIGIN), clock)
  return page({
    path: '/llms.txt',
    input: Type.Object({}),
    handle: (_input, { request }) => texts.plain(originOf(request), TEXT),
  })
}
