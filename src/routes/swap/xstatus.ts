import { Type } from 'typebox'
import { parseXprovChain } from '../../chains/find.ts'
import { isBase58Of } from '../../chains/solana/base58.ts'
import { Call } from '../../flow/call.ts'
import { get } from '../../http/route.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type GatewayError, invalidParameter } from '../../runtime/errors.ts'
import { string } from '../../runtime/resources/shared.ts'
import type { Statuses } from '../../swap/statuses.ts'
import recorded from '../examples/xstatus.json' with { type: 'json' }
import { described } from '../groups.ts'
import inputs from '../inputs.json' with { type: 'json' }

const Input = Type.Object({
  txHash: string("EVM transaction hash, Solana signature, Sui digest, or a quote's `transactionId`"),
  fromChain: Type.Optional(string('chain key or numeric provider chain id; speeds it up')),
  toChain: Type.Optional(string('chain key or numeric provider chain id')),
  bridge: Type.Optional(Type.String(inputs.bridge)),
})

const Payload = Type.Object({}, { description: "the provider's current status payload" })

const HASH = /^0x[0-9a-fA-F]{64}$/

/** GET /api/xstatus (§4.8): the state of a cross-chain swap, as the provider reports it. */
export const xstatus = (statuses: Statuses, clock: Clock, deadlineMs: number) =>
  get({
    path: '/api/xstatus',
    input: Input,
    priority: 'quote',
    description: described('getCrossChainStatus', Payload, recorded),
    handle({ txHash, fromChain, toChain, bridge }, exchange) {
      if (!HASH.test(txHash) && !isBase58Of(txHash, 64) && !isBase58Of(txHash, 32)) throw notAHash()
      const question = {
        txHash,
        ...(fromChain !== undefined && { fromChain: parseXprovChain(fromChain, 'fromChain') }),
        ...(toChain !== undefined && { toChain: parseXprovChain(toChain, 'toChain') }),
        ...(bridge !== undefined && { bridge }),
      }
      return statuses.find(question, Call.of(clock, 'quote', deadlineMs, exchange.scope()))
    },
  })

function notAHash(): GatewayError {
  const message =
    '`txHash` must be an EVM transaction hash (0x and 64 hex digits), a Solana signature (base58 of 64 bytes) or a Sui digest (base58 of 32 bytes).'
  return invalidParameter('txHash', message)
}
