import { Type } from 'typebox'
import { CHAINS } from '../chains/chains.ts'
import { get } from '../http/route.ts'
import { BOOK_NAMES } from '../research/books.ts'
import type { TokenList as Tokens } from '../research/token-list.ts'
import { TokenList } from '../resources.ts'

const Input = Type.Object({
  all: Type.Optional(
    Type.Boolean({ description: 'also the tokens that the risk gate holds back, each with its reasons' }),
  ),
  scope: Type.Optional(
    Type.Enum([...BOOK_NAMES, ...CHAINS.map(({ key }) => key)], {
      description: 'the rows of one book, or of one chain',
    }),
  ),
})

const EXAMPLE: TokenList = {
  tokens: [
    {
      chain: 'base',
      address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: 6,
      price: 1.0001,
      priceTs: 1_795_262_400_000,
      priceStale: false,
      mcap: 4_100_000_000,
      liq: 52_000_000,
      vol24: 310_000_000,
      holders: null,
      security: null,
      book: 'majors',
      metaTs: null,
    },
  ],
  books: [
    {
      book: 'majors',
      title: 'Native coins, wrapped native coins and stablecoins',
      source: 'curated',
      count: 1,
      updatedAt: 1_795_262_100_000,
      ageMs: 300_000,
    },
  ],
  gated: 0,
  updatedAt: 1_795_262_400_000,
}

/** GET /api/tokens (§4.1): bytes that were prepared when the list was rebuilt. */
export const tokens = (list: Tokens) =>
  get({
    path: '/api/tokens',
    input: Input,
    budgets: [],
    description: {
      summary: 'The token list',
      text: 'Rebuilt at most once every 10 seconds, when it is read. A row keeps its last values, and says how old they are, until its sources answer again. The books are the lists that the rows come from. What the risk gate holds back is counted in `gated`. Answers carry an `ETag` for If-None-Match, and are compressed for whoever accepts br or gzip.',
      result: TokenList,
      example: EXAMPLE,
      errors: [400],
    },
    handle: ({ all = false, scope = null }) => list.reply(all, scope),
  })
