/**
 * A token's decimals at a provider: a second source in addition to the chain's nodes.
 *
 * Source: jup-ag/docs, OpenAPI of the Tokens API v2 · github.com/ston-fi/api
 */
import { Type } from 'typebox'
import { parseToken } from '../../chains/address.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { answerReader } from '../answer.ts'
import type { DecimalsSource } from '../provider.ts'
import { get, getAny } from '../requests.ts'
import { proseReader } from './prose.ts'

const STONFI = 'stonfi'

const Decimals = Type.Integer({ minimum: 0, maximum: 255 })
const readMints = answerReader(Type.Array(Type.Object({ id: Type.String(), decimals: Decimals })))
const readAsset = answerReader(
  Type.Object({ asset: Type.Object({ contract_address: Type.String(), decimals: Decimals }) }),
)

/** A mint's decimals from Jupiter's token search. @throws GatewayError  unknown_token, upstream_* */
export function jupiterDecimals(upstream: Upstream): DecimalsSource {
  return async (_chain, mint, options) => {
    const { value } = await upstream.ask(get(`/tokens/v2/search?query=${mint}`, readMints), options)
    const found = value.find(({ id }) => id === mint)
    if (found !== undefined) return found.decimals
    throw new GatewayError('unknown_token', 'Jupiter does not know this mint.', { provider: upstream.label })
  }
}

/** A jetton's decimals at STON.fi. @throws GatewayError  unknown_token, upstream_* */
export function stonfiDecimals(upstream: Upstream): DecimalsSource {
  return async (chain, address, options) => {
    const request = getAny(`/v1/assets/${address}`, proseReader(STONFI, readAsset))
    const { asset } = (await upstream.ask(request, options)).value
    if (parseToken(chain, asset.contract_address)?.address === address) return asset.decimals
    const message = 'The provider described another token than the one it was asked for. Try again later.'
    throw new GatewayError('upstream_unusable', message, { provider: STONFI, scope: 'provider' })
  }
}
