import { type Static, Type } from 'typebox'
import { parseToken } from '../../chains/address.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { parseChain } from '../../chains/find.ts'
import { get, jsonOf } from '../../http/route.ts'
import type { Profiles } from '../../research/profile/profile.ts'
import { invalidParameter } from '../../runtime/errors.ts'
import { string } from '../../runtime/resources/shared.ts'
import { TokenProfile } from '../../runtime/resources/token-profile.ts'
import recorded from '../examples/token.json' with { type: 'json' }
import { described } from '../groups.ts'

/** A token by its path: /api/{route}/{chain}/{address}. */
export const TokenInPath = Type.Object({
  chain: string('chain key from GET /api/chains', { maxLength: 64 }),
  address: string('token address or chain-specific identifier; `native` for the native coin', {
    maxLength: 256,
  }),
})

/** @throws GatewayError  invalid_parameter */
export function parseTokenInPath(input: Static<typeof TokenInPath>) {
  const chain = parseChain(input.chain, 'chain')
  return { chain, address: parseAddressOf(chain, input.address, 'address') }
}

/** @returns a token's canonical address @throws GatewayError  invalid_parameter */
export function parseAddressOf(chain: ChainDefinition, text: string, field: string): string {
  const parsed = parseToken(chain, text)
  if (parsed !== null) return parsed.address
  throw invalidParameter(field, `\`${field}\` must be the address of a token on ${chain.name}, or native.`)
}

/** GET /api/token/{chain}/{address} (§4.2): what is known about one token, by source. */
export const token = (profiles: Profiles) =>
  get({
    path: '/api/token/{chain}/{address}',
    input: TokenInPath,
    description: described('getToken', TokenProfile, recorded),
    handle(input, exchange) {
      const { chain, address } = parseTokenInPath(input)
      return jsonOf(profiles.find(chain, address, exchange.scope()))
    },
  })
