import { Type } from 'typebox'
import { CHAINS } from '../../chains/chains.ts'
import { get } from '../../http/route.ts'
import { BOOK_NAMES } from '../../research/list/books.ts'
import type { LiveTokenList } from '../../research/list/token-list.ts'
import { boolean } from '../../runtime/resources/shared.ts'
import { TokenList } from '../../runtime/resources/tokens.ts'
import recorded from '../examples/tokens.json' with { type: 'json' }
import { described } from '../groups.ts'

const Input = Type.Object({
  all: Type.Optional(boolean('include the tokens that the risk filter hides, each with its reasons')),
  scope: Type.Optional(
    Type.Enum([...BOOK_NAMES, ...CHAINS.map(({ key }) => key)], {
      description: 'only rows of this book or chain',
    }),
  ),
  hourly: Type.Optional(boolean('add `hourly` to each row: the prices of the last 24 hours')),
})

/** GET /api/tokens (§4.1): bytes prepared when the list was rebuilt. */
export const tokens = (list: LiveTokenList) =>
  get({
    path: '/api/tokens',
    input: Input,
    description: described('listTokens', TokenList, { example: recorded.example }),
    handle: ({ all = false, scope = null, hourly }) => list.reply(all, scope, hourly),
  })
