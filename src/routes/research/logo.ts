import { Type } from 'typebox'
import { get } from '../../http/route.ts'
import type { Logos } from '../../research/logos/logos.ts'
import recorded from '../examples/token.json' with { type: 'json' }
import { described } from '../groups.ts'
import errors from './logo-errors.json' with { type: 'json' }
import { parseTokenInPath, TokenInPath } from './token.ts'

const Picture = Type.String({ format: 'binary' })

/** GET /api/logo/{chain}/{address} (§4.10): only uncached logos are fetched and spend the budget. */
export const logo = (logos: Logos) =>
  get({
    path: '/api/logo/{chain}/{address}',
    input: TokenInPath,
    budgets: ['logo'],
    description: {
      ...described('getLogo', Picture, { requests: recorded.requests, errors }),
      media: ['image/png', 'image/jpeg'],
    },
    handle(input, exchange) {
      const { chain, address } = parseTokenInPath(input)
      const url = logos.urlOf(chain.key, address)
      const answer = () => logos.get(url, exchange.scope())
      return logos.isCached(url, exchange.client)
        ? exchange.peekBudget('logo', answer)
        : exchange.withBudget('logo', answer)
    },
  })
