/**
 * A mint's decimals from Jupiter's token search: a second source in addition to the node.
 *
 * Source: jup-ag/docs, OpenAPI of the Tokens API v2
 */
import { Type } from 'typebox'
import { GatewayError } from '../../runtime/errors.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { answerReader } from '../answer.ts'
import type { DecimalsSource } from '../provider.ts'
import { get } from '../requests.ts'

const readMints = answerReader(
  Type.Array(Type.Object({ id: Type.String(), decimals: Type.Integer({ minimum: 0, maximum: 255 }) })),
)

/** @throws GatewayError  unknown_token, upstream_* */
export function jupiterDecimals(upstream: Upstream): DecimalsSource {
  return async (_chain, mint, options) => {
    const { value } = await upstream.ask(get(`/tokens/v2/search?query=${mint}`, readMints), options)
    const found = value.find(({ id }) => id === mint)
    if (found !== undefined) return found.decimals
    throw new GatewayError('unknown_token', 'Jupiter does not know this mint.', { provider: upstream.label })
  }
}
