/**
 * The readers behind /api/discover/*: search, feed and lookup.
 */
import type { Cursors } from '../../runtime/cursor.ts'
import type { LiveTokenList } from '../list/token-list.ts'
import { TokenFeed } from './feed.ts'
import { TokenLookup, type TokenLookupOptions } from './lookup.ts'
import { TokenSearch } from './search.ts'

interface DiscoveryOptions extends Omit<TokenLookupOptions, 'list'> {
  readonly tokenList: LiveTokenList
  readonly cursors: Cursors
}

export interface DiscoverReaders {
  readonly search: TokenSearch
  readonly feed: TokenFeed
  readonly lookup: TokenLookup
}

export function createDiscovery({ tokenList: list, cursors, ...options }: DiscoveryOptions): DiscoverReaders {
  const { clock, deadlineMs } = options
  return {
    search: new TokenSearch(list, deadlineMs),
    feed: new TokenFeed({ list, cursors, clock, deadlineMs }),
    lookup: new TokenLookup({ ...options, list }),
  }
}
