/** A route as the server runs it, with what is made of its declaration. */
import type { TSchema } from 'typebox'
import { compiledOnce } from '../runtime/validate.ts'
import { QueryReader } from './request/query.ts'
import type { Served } from './route.ts'
import { pathParameters } from './router.ts'

export type CompiledRoute = Readonly<ReturnType<typeof compileRoute>>

export function compileRoute(route: Served) {
  const { method, path, priority = 'research' } = route
  const isPost = method === 'POST'
  return {
    method,
    path,
    route,
    /** Compiled by the first request: all of them take a tenth of the processor time of a start. */
    validator: compiledOnce<TSchema>(isPost ? route.body : route.input),
    /** Null for a POST. */
    query: isPost ? null : new QueryReader(route.input, pathParameters(path)),
    /** Null if the body decides, or if it is never shed. */
    priority: typeof priority === 'object' || priority === 'probe' ? null : priority,
    byBody: typeof priority === 'object' ? priority : null,
  }
}
