/** A route as the server runs it, with everything that is compiled from its declaration at start-up. */
import type { TSchema } from 'typebox'
import { compile } from '../runtime/validate.ts'
import { QueryReader } from './request/query.ts'
import type { Served } from './route.ts'
import { pathParameters } from './router.ts'

export type CompiledRoute = Readonly<ReturnType<typeof compileRoute>>

/** @throws TypeError  if a schema does not compile */
export function compileRoute(route: Served) {
  const { method, path, priority = 'research' } = route
  const isPost = method === 'POST'
  return {
    method,
    path,
    route,
    validator: compile<TSchema>(isPost ? route.body : route.input),
    /** Null for a POST. */
    query: isPost ? null : new QueryReader(route.input, pathParameters(path)),
    /** Null if the body decides, or if it is never shed. */
    priority: typeof priority === 'object' || priority === 'probe' ? null : priority,
    byBody: typeof priority === 'object' ? priority : null,
  }
}
