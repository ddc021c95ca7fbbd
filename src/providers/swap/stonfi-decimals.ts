/** Source: github.com/ston-fi/api */
import { Type } from 'typebox'
import { parseToken } from '../../chains/address.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { answerReader } from '../answer.ts'
import type { DecimalsSource } from '../provider.ts'
import { getAny } from '../requests.ts'
import { proseReader } from './prose.ts'

const LABEL = 'stonfi'

const Asset = Type.Object({
  asset: Type.Object({
    contract_address: Type.String(),
    decimals: Type.Integer({ minimum: 0, maximum: 255 }),
  }),
})
const readAsset = answerReader(Asset)

/** A jetton's decimals at STON.fi. @throws GatewayError  unknown_token, upstream_* */
export function stonfiDecimals(upstream: Upstream): DecimalsSource {
  return async (chain, address, options) => {
    const request = getAny(`/v1/assets/${address}`, proseReader(LABEL, readAsset))
    const { asset } = (await upstream.ask(request, options)).value
    if (parseToken(chain, asset.contract_address)?.address === address) return asset.decimals
    const message = 'The provider described another token than the one it was asked for. Try again later.'
    throw new GatewayError('upstream_unusable', message, { provider: LABEL, scope: 'provider' })
  }
}
