import { type TObject, Type } from 'typebox'
import { parseAnyAddress } from '../../chains/address.ts'
import { get, jsonOf, type Route } from '../../http/route.ts'
import { FeedPage, type TokenFeed } from '../../research/discover/feed.ts'
import { LookupResult, type TokenLookup } from '../../research/discover/lookup.ts'
import { SearchQuery, SearchResult, type TokenSearch } from '../../research/discover/search.ts'
import { MAX_CURSOR_LENGTH } from '../../runtime/cursor.ts'
import { errorBody, GatewayError, invalidParameter } from '../../runtime/errors.ts'
import recordedFeed from '../examples/discover-feed.json' with { type: 'json' }
import recordedLookup from '../examples/discover-lookup.json' with { type: 'json' }
import recordedTokens from '../examples/discover-tokens.json' with { type: 'json' }
import { described } from '../groups.ts'
import inputs from '../inputs.json' with { type: 'json' }
import operationsResult from './discover-operations.json' with { type: 'json' }

const FeedInput = Type.Object({
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_CURSOR_LENGTH,
      description: '`next` of the page before; the newest events without it',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'events per page' }),
  session: Type.Optional(Type.String(inputs.session)),
  wallet: Type.Optional(Type.String(inputs.wallet)),
})

const LookupInput = Type.Object({ address: Type.String(inputs.address) })

/** What `operation` takes. */
const ALL = 'list'

const OperationInput = Type.Object({ operation: Type.String(inputs.operation) })

const NO_OPERATION = errorBody('not_found', `There is no such operation; \`${ALL}\` lists all.`, {
  field: 'operation',
})

/** The readers behind these routes. */
export interface DiscoverReaders {
  readonly search: TokenSearch
  readonly feed: TokenFeed
  readonly lookup: TokenLookup
}

/** The routes of §4.10 below /api/discover. */
export function discover({ feed, lookup, search }: DiscoverReaders): readonly Route[] {
  const operations = [
    get({
      path: '/api/discover/feed',
      input: FeedInput,
      description: described('getDiscoverFeed', FeedPage, recordedFeed),
      handle({ cursor = null, limit, wallet }) {
        if (wallet !== undefined && parseAnyAddress(wallet) === null) {
          const message = '`wallet` must be an address on a chain of GET /api/chains.'
          throw invalidParameter('wallet', message)
        }
        return jsonOf(feed.read(cursor, limit))
      },
    }),
    get({
      path: '/api/discover/lookup',
      input: LookupInput,
      description: described('lookUpAddress', LookupResult, recordedLookup),
      handle: ({ address }, exchange) => jsonOf(lookup.find(address, exchange.scope())),
    }),
    get({
      path: '/api/discover/tokens',
      input: SearchQuery,
      description: described('findTokens', SearchResult, recordedTokens),
      handle: (input) => jsonOf(search.find(input)),
    }),
  ]
  const items = operations.map((route) => ({
    operation: route.path.slice(route.path.lastIndexOf('/') + 1),
    path: route.path,
    summary: route.description.summary,
    parameters: Object.keys('input' in route ? (route.input as TObject).properties : {}),
  }))
  const list = Buffer.from(JSON.stringify({ items }))
  return [
    ...operations,
    get({
      path: '/api/discover/{operation}',
      input: OperationInput,
      description: described('listDiscoverOperations', operationsResult, {
        example: { items },
        requests: { list: { value: { operation: ALL } } },
        errors: { 404: NO_OPERATION },
      }),
      handle({ operation }) {
        if (operation === ALL) return list
        throw new GatewayError('not_found', NO_OPERATION.error, { field: 'operation' })
      },
    }),
  ]
}
