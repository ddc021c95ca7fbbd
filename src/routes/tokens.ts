import { Type } from 'typebox'
import { CHAINS } from '../chains/chains.ts'
import { get } from '../http/route.ts'
import { BOOK_NAMES } from '../research/list/books.ts'
import type { LiveTokenList } from '../research/list/token-list.ts'
import { TokenList } from '../runtime/resources.ts'
import { LIST } from './examples/tokens.ts'

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

/** GET /api/tokens (§4.1): bytes that were prepared when the list was rebuilt. */
export const tokens = (list: LiveTokenList) =>
  get({
    path: '/api/tokens',
    input: Input,
    budgets: [],
    description: {
      summary: 'The token list',
      text: 'Rebuilt at most once every 10 seconds, when it is read. A row keeps its last values, and says how old they are, until its sources answer again. The books are the lists that the rows come from. What the risk gate holds back is counted in `gated`. Answers carry an `ETag` for If-None-Match, and are compressed for whoever accepts br or gzip.',
      result: TokenList,
      example: LIST,
      errors: [400],
    },
    handle: ({ all = false, scope = null }) => list.reply(all, scope),
  })
