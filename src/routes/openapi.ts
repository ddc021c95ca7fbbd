import { Type } from 'typebox'
import { get } from '../http/route.ts'

/**
 * GET /openapi.json (§9). It is written when it is first asked for: it describes
 * this route too, and start-up has more urgent things to do.
 */
export const openapi = (write: () => Buffer) => {
  let document: Buffer | null = null
  return get({
    path: '/openapi.json',
    input: Type.Object({}),
    budgets: [],
    description: {
      summary: 'This document',
      result: Type.Object({}, { description: 'OpenAPI 3.1.0' }),
      errors: [],
    },
    handle: () => (document ??= write()),
  })
}
