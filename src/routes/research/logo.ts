import { Type } from 'typebox'
import { get } from '../../http/route.ts'
import type { Logos } from '../../research/logos/logos.ts'
import { errorBody } from '../../runtime/errors.ts'
import { described } from '../groups.ts'
import { parseTokenInPath, TokenInPath } from './token.ts'

const Picture = Type.String({ format: 'binary' })
const ERRORS = {
  404: errorBody('logo_not_found', 'No list that was read names a logo of this token.'),
  502: errorBody('upstream_unavailable', 'The host of the file cannot be reached. Try again later.', {
    scope: 'provider',
  }),
}

/** GET /api/logo/{chain}/{address} (§4.10): only uncached logos are fetched and spend the budget. */
export const logo = (logos: Logos) =>
  get({
    path: '/api/logo/{chain}/{address}',
    input: TokenInPath,
    budgets: ['logo'],
    description: { ...described('getLogo', Picture, { errors: ERRORS }), media: ['image/png', 'image/jpeg'] },
    handle(input, exchange) {
      const { chain, address } = parseTokenInPath(input)
      const url = logos.urlOf(chain.key, address)
      const answer = () => logos.get(url, exchange.scope())
      return logos.isCached(url, exchange.client)
        ? exchange.peekBudget('logo', answer)
        : exchange.withBudget('logo', answer)
    },
  })
