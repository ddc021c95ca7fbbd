import { type Static, Type } from 'typebox'
import { integer, nullable, string, Uri } from './shared.ts'

export const Chain = Type.Object({
  key: string("the service's chain key"),
  evm: Type.Optional(Type.Boolean()),
  sui: Type.Optional(Type.Boolean()),
  ton: Type.Optional(Type.Boolean()),
  chainId: Type.Optional(nullable(Type.Integer())),
  chainIdHex: Type.Optional(nullable(Type.String())),
  name: Type.String(),
  native: string('symbol of the native coin'),
  decimals: Type.Integer(),
  rpc: Type.Optional(Type.Array(Uri, { description: 'public RPC candidates' })),
  explorer: Uri,
  aggregator: Type.Optional(nullable(string('route provider label'))),
  xprovChainId: Type.Optional(
    nullable(integer('numeric chain id used by the cross-chain provider; may exceed 2^53 - 1')),
  ),
})

export type Chain = Static<typeof Chain>

export const Chains = Type.Object({ chains: Type.Array(Chain) })
