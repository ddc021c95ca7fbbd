import { Type } from 'typebox'
import { get } from '../http/route.ts'

/** GET /openapi.json (§9). The bytes are given late, because the document describes this route too. */
export const openapi = (document: () => Buffer) =>
  get({
    path: '/openapi.json',
    input: Type.Object({}),
    budgets: [],
    description: {
      summary: 'This document',
      result: Type.Object({}, { description: 'OpenAPI 3.1.0' }),
      errors: [],
    },
    handle: document,
  })
