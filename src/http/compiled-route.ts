/** A route as the server runs it, with everything that is compiled from its declaration at start-up. */
import { compile, type Validator } from '../runtime/validate.ts'
import type { SheddingPriority } from './overload/shedding.ts'
import { QueryReader } from './request/query.ts'
import type { PriorityByBody, Served } from './route.ts'
import { pathParameters } from './router.ts'

export interface CompiledRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly route: Served
  readonly validator: Validator
  /** Null for a POST. */
  readonly query: QueryReader | null
  /** Null if the body decides, or if it is never shed. */
  readonly priority: SheddingPriority | null
  readonly byBody: PriorityByBody | null
}

/** @throws TypeError  if a schema does not compile */
export function compileRoute(route: Served): CompiledRoute {
  const { method, path, priority = 'research' } = route
  const isPost = method === 'POST'
  return {
    method,
    path,
    route,
    validator: compile(isPost ? route.body : route.input),
    query: isPost ? null : new QueryReader(route.input, pathParameters(path)),
    priority: typeof priority === 'object' || priority === 'probe' ? null : priority,
    byBody: typeof priority === 'object' ? priority : null,
  }
}
