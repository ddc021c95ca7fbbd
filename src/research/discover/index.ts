/**
 * The rooms behind /api/discover/*, from what the list, the providers and the
 * nodes give them.
 */
import type { Cursors } from '../../runtime/cursor.ts'
import type { TokenList } from '../list/token-list.ts'
import { DiscoverFeed } from './feed.ts'
import { Lookup, type LookupOptions } from './lookup.ts'
import { TokenSearch } from './search.ts'

export interface DiscoveryOptions extends Omit<LookupOptions, 'list'> {
  readonly tokenList: TokenList
  readonly cursors: Cursors
}

export interface Discovery {
  readonly search: TokenSearch
  readonly feed: DiscoverFeed
  readonly lookup: Lookup
}

export function createDiscovery({ tokenList: list, cursors, ...options }: DiscoveryOptions): Discovery {
  const { clock, deadlineMs } = options
  return {
    search: new TokenSearch(list, deadlineMs),
    feed: new DiscoverFeed({ list, cursors, clock, deadlineMs }),
    lookup: new Lookup({ ...options, list }),
  }
}
