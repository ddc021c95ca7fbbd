/** What the OpenAPI document says of each route, its error statuses too, and of the groups that are its tags. */
import type { Group, RouteDescription } from '../http/route.ts'
import texts from './descriptions.json' with { type: 'json' }
import tags from './tags.json' with { type: 'json' }

const GROUPS: Readonly<Record<keyof typeof tags, Group>> = tags
export const { SERVICE, STATISTICS, SWAPS, COMMUNITY } = GROUPS

type Described = Pick<RouteDescription, 'id' | 'summary' | 'stability' | 'group' | 'text' | 'errors'>
/** A row of descriptions.json, which names its group by the key in tags.json. */
type Row = Omit<Described, 'id' | 'group'> & { readonly group: keyof typeof GROUPS }

/** @param id  of the operation */
export function described(id: keyof typeof texts): Described {
  const { group, ...row } = texts[id] as Row
  return { id, ...row, group: GROUPS[group] }
}
