/** What the OpenAPI document says of each route, its error statuses too, and of the groups that are its tags. */
import type { TSchema } from 'typebox'
import type { Group, RouteDescription } from '../http/route.ts'
import texts from './descriptions.json' with { type: 'json' }
import tags from './tags.json' with { type: 'json' }

const GROUPS: Readonly<Record<keyof typeof tags, Group>> = tags
export const { SERVICE, STATISTICS, SWAPS, COMMUNITY } = GROUPS

/** A row of descriptions.json, which names its group by the key in tags.json. */
type Row = Pick<RouteDescription, 'summary' | 'stability' | 'text' | 'errors'> & {
  readonly group: keyof typeof GROUPS
}

/** What was recorded of a route's answers: requests with their replies or a reply alone, and Error bodies by status. */
interface Recorded extends Pick<RouteDescription, 'examples' | 'example' | 'requests'> {
  readonly errors?: NonNullable<RouteDescription['errorExamples']>
}

/**
 * @param id      of the operation
 * @param result  the body of a 200
 */
export function described(
  id: keyof typeof texts,
  result: TSchema,
  { examples, example, requests, errors }: Recorded = {},
): RouteDescription {
  const { group, ...row } = texts[id] as Row
  return {
    ...{ id, ...row, group: GROUPS[group], result },
    ...(examples && { examples }),
    ...(requests && { requests }),
    ...(example !== undefined && { example }),
    ...(errors && { errorExamples: errors }),
  }
}
