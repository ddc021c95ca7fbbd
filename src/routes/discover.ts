import { type TObject, Type } from 'typebox'
import { parseAnyAddress } from '../chains/address.ts'
import { CHAINS } from '../chains/chains.ts'
import { type Group, get, type Route } from '../http/route.ts'
import { FeedPage } from '../research/discover/feed.ts'
import type { DiscoverReaders } from '../research/discover/index.ts'
import { LookupResult } from '../research/discover/lookup.ts'
import { CATEGORIES, SearchResult } from '../research/discover/search.ts'
import { TIER_BOUNDS, TIER_NAMES } from '../research/discover/tiers.ts'
import { BOOK_NAMES } from '../research/list/books.ts'
import { MAX_CURSOR_LENGTH } from '../runtime/cursor.ts'
import { GatewayError, invalidParameter } from '../runtime/errors.ts'
import { FEEDS, LOOKUPS, SEARCHES } from './examples/discover.ts'

const DISCOVER: Group = {
  name: 'discover',
  summary: 'Tokens by their names, by an address, and as they come on the list',
  text: 'All of it is made of the token list; a lookup asks others for what the list does not know. Nobody is authenticated.',
}

const FeedInput = Type.Object({
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_CURSOR_LENGTH,
      description: 'the `next` of the page before; without one the newest are answered',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'events of a page' }),
  session: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      title: 'a name of 1 to 64 letters, digits, hyphens and underscores',
      description: 'is checked for its form, and changes nothing: the feed is the same for everybody',
    }),
  ),
  wallet: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      title: 'an address on a chain of GET /api/chains',
      description: 'the same; it is no proof of who asks',
    }),
  ),
})

const LookupInput = Type.Object({
  address: Type.String({
    minLength: 1,
    maxLength: 256,
    description: 'an address, a coin type or a transaction, in any spelling of its chain',
  }),
})

const SearchInput = Type.Object({
  category: Type.Optional(
    Type.Enum([...CATEGORIES], {
      description: 'a book of the list, a kind of coin, or what the risk gate holds back',
    }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: '\\S',
      title: 'a part of a symbol, a name or an address',
      description: 'whole symbols come first',
    }),
  ),
  scope: Type.Optional(
    Type.Enum([...BOOK_NAMES, ...CHAINS.map(({ key }) => key)], {
      description: 'the rows of one book, or of one chain',
    }),
  ),
  tier: Type.Optional(Type.Enum([...TIER_NAMES], { description: `how deep its pools are: ${TIER_BOUNDS}` })),
})

const Operations = Type.Object({
  items: Type.Array(
    Type.Object({
      operation: Type.String(),
      path: Type.String(),
      summary: Type.String(),
      parameters: Type.Array(Type.String()),
    }),
  ),
})

/** What `operation` takes. */
const ALL = 'list'

const OperationInput = Type.Object({
  operation: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
    title: 'a name of 1 to 64 letters, digits, hyphens and underscores',
    description: `\`${ALL}\``,
  }),
})

const NO_OPERATION = {
  error: `There is no such operation; \`${ALL}\` lists those that there are.`,
  scope: 'not_found',
  code: 'not_found',
  field: 'operation',
}

/** The routes of §4.10 below /api/discover. */
export function discover({ feed, lookup, search }: DiscoverReaders): readonly Route[] {
  const common = { group: DISCOVER, stability: 'unverified', errors: [400] } as const
  const operations = [
    get({
      path: '/api/discover/feed',
      input: FeedInput,
      budgets: [],
      description: {
        ...common,
        summary: 'What happens on the token list, newest first',
        text: 'Read off the editions of the list, so it begins with the process, goes on while somebody reads the list, and holds the last thousand events.',
        result: FeedPage,
        examples: FEEDS,
      },
      async handle({ cursor = null, limit, wallet }) {
        if (wallet !== undefined && parseAnyAddress(wallet) === null) {
          const message = '`wallet` must be an address on a chain of GET /api/chains.'
          throw invalidParameter('wallet', message)
        }
        return Buffer.from(JSON.stringify(await feed.read(cursor, limit)))
      },
    }),
    get({
      path: '/api/discover/lookup',
      input: LookupInput,
      budgets: [],
      description: {
        ...common,
        summary: 'Which chain and token an address is',
        text: "What the token list knows is answered from it. For anything else one search across chains is made, and the nodes are asked of a chain whose addresses no other has, by the client's shares. A transaction is told by its form only.",
        result: LookupResult,
        examples: LOOKUPS,
      },
      async handle({ address }, exchange) {
        return Buffer.from(JSON.stringify(await lookup.find(address, exchange.scope())))
      },
    }),
    get({
      path: '/api/discover/tokens',
      input: SearchInput,
      budgets: [],
      description: {
        ...common,
        summary: 'Tokens of the list by name, category, chain and depth',
        text: 'Nothing is asked upstream. Whole symbols come first, then beginnings, then parts, each by liquidity; what only reads like a native coin or stablecoin comes after all others. What the risk gate holds back is found by its address, or all of it by `category=gated`.',
        result: SearchResult,
        examples: SEARCHES,
      },
      async handle(input) {
        return Buffer.from(JSON.stringify(await search.find(input)))
      },
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
      budgets: [],
      description: {
        ...common,
        summary: 'What can be asked below this path',
        result: Operations,
        example: { items },
        errors: [400, 404],
        errorExamples: { 404: NO_OPERATION },
      },
      handle({ operation }) {
        if (operation === ALL) return list
        throw new GatewayError('not_found', NO_OPERATION.error, { field: 'operation' })
      },
    }),
  ]
}
