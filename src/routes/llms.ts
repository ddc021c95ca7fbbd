import { ByOrigin, ORIGIN } from '../http/reply/by-origin.ts'
import type { Medium } from '../http/reply/representation.ts'
import { page, type Route, type Served } from '../http/route.ts'
import { describeForModels } from './openapi/llms.ts'
import type { OpenApiOptions } from './openapi.ts'

const TEXT: Medium = {
  contentType: 'text/plain; charset=utf-8',
  cacheControl: 'no-store',
  headers: ['X-Content-Type-Options', 'nosniff'],
}

/** GET /llms.txt: an index for language models; not part of the API. */
export function llms(
  routes: readonly Route[],
  { originOf, isOwnOrigin }: Pick<OpenApiOptions, 'originOf' | 'isOwnOrigin'>,
): Served {
  const texts = new ByOrigin(() => describeForModels(routes, ORIGIN), TEXT)
  return page({
    path: '/llms.txt',
    handle(_input, { request }) {
      const origin = originOf(request)
      return texts.of(origin, isOwnOrigin(origin, request))
    },
  })
}
