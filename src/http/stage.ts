/** A route as the server runs it: with what is compiled from its declaration at the start. */
import { compile, type Validator } from '../runtime/validate.ts'
import { QueryReader } from './query.ts'
import type { PriorityByBody, Served } from './route.ts'
import { pathParameters } from './router.ts'
import type { Priority } from './shedding.ts'

export interface Stage {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly route: Served
  readonly validator: Validator
  /** Null where it takes a body. */
  readonly query: QueryReader | null
  /** Null where the body tells, or nothing of it is shed. */
  readonly priority: Priority | null
  readonly byBody: PriorityByBody | null
}

/** @throws TypeError  when a schema does not compile */
export function toStage(route: Served): Stage {
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
