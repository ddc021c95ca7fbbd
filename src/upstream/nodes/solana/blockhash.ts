/** The newest blockhash of our own Solana nodes, and how long a transaction with it can land. */
import { Type } from 'typebox'
import { decodeBase58, isBase58Of } from '../../../chains/solana/base58.ts'
import { KEY_BYTES } from '../../../chains/solana/sizes.ts'
import type { Call } from '../../../flow/call.ts'
import { checkedRead } from './checked-read.ts'
import type { SolanaRpc } from './rpc.ts'

/** `lastValidBlockHeight` is the last block height at which a transaction with the blockhash can land. */
export type LatestBlockhash = Awaited<ReturnType<typeof askLatestBlockhash>>

const Latest = Type.Object({
  value: Type.Object({
    blockhash: Type.Refine(Type.String(), (text) => isBase58Of(text, KEY_BYTES)),
    lastValidBlockHeight: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  }),
})
const askLatest = checkedRead('getLatestBlockhash', Latest, 'the latest blockhash')

/** @throws GatewayError  upstream_* */
export async function askLatestBlockhash(rpc: Pick<SolanaRpc, 'read'>, call: Call) {
  const { value } = await askLatest(rpc, [{ commitment: 'confirmed' }], call)
  const { blockhash, lastValidBlockHeight } = value
  return { blockhash: decodeBase58(blockhash, KEY_BYTES)!, lastValidBlockHeight }
}
