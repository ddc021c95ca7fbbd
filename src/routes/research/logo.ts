import { Type } from 'typebox'
import { get } from '../../http/route.ts'
import type { Logos } from '../../research/logos/logos.ts'
import { errorBody } from '../../runtime/errors.ts'
import { TOKENS } from '../groups.ts'
import { parseTokenInPath, TokenInPath } from './token.ts'

/** GET /api/logo/{chain}/{address} (§4.10): only uncached logos are fetched and spend the budget. */
export const logo = (logos: Logos) =>
  get({
    path: '/api/logo/{chain}/{address}',
    input: TokenInPath,
    budgets: ['logo'],
    description: {
      id: 'getLogo',
      summary: 'Logo of a token',
      group: TOKENS,
      stability: 'unverified',
      text: "The picture that a list names as the token's logo: the operator's Token Lists, those of providers, the token list, or a profile that was asked for.\n\nThe gateway fetches it once a day for all clients, so its host does not learn who looks. A PNG or JPEG is passed on as it is, up to 1,024 x 1,024 pixels and 512 KiB. Anything else is a 502 `upstream_unusable`; if no list names a logo, the answer is a 404. A cached picture spends no budget.\n\nA token can use the logo of another token, so a logo proves nothing.",
      media: ['image/png', 'image/jpeg'],
      result: Type.String({ format: 'binary' }),
      errors: [400, 404, 429, 502],
      errorExamples: {
        404: errorBody('logo_not_found', 'No list that was read names a logo of this token.'),
        502: errorBody('upstream_unavailable', 'The host of the file cannot be reached. Try again later.', {
          scope: 'provider',
        }),
      },
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
