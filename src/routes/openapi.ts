import type { createOwnOrigins, OriginReader } from '../http/client/origin.ts'
import { ByOrigin, ORIGIN } from '../http/reply/by-origin.ts'
import { get } from '../http/route.ts'
import { INTERFACE_VERSION } from '../runtime/version.ts'
import { described } from './groups.ts'
import schema from './openapi/document-schema.json' with { type: 'json' }

export interface OpenApiOptions {
  /** The document for the origin that the request was sent to. */
  readonly document: (origin: string) => unknown
  readonly originOf: OriginReader
  readonly isOwnOrigin: ReturnType<typeof createOwnOrigins>
}

/**
 * GET /openapi.json (§9). Built at the first request, because it describes this
 * route too, and to keep start-up short.
 */
export const openapi = ({ document, originOf, isOwnOrigin }: OpenApiOptions) => {
  const texts = new ByOrigin(() => JSON.stringify(document(ORIGIN)))
  return get({
    path: '/openapi.json',
    description: described('getOpenApi', schema, {
      example: { openapi: '3.1.0', info: { title: 'swapgate', version: INTERFACE_VERSION }, paths: {} },
    }),
    handle(_input, { request }) {
      const origin = originOf(request)
      return texts.of(origin, isOwnOrigin(origin, request))
    },
  })
}
