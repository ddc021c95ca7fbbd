/** The newest blockhash of our own Solana nodes, and how long a transaction with it can land. */
import { Type } from 'typebox'
import { parsedOrNone } from '../../../chains/json/parse.ts'
import { decodeBase58, isBase58Of } from '../../../chains/solana/base58.ts'
import { KEY_BYTES } from '../../../chains/solana/sizes.ts'
import type { Call } from '../../../flow/call.ts'
import { GatewayError } from '../../../runtime/errors.ts'
import { compile, type Validator } from '../../../runtime/validate.ts'
import type { SolanaRpc } from './rpc.ts'

export interface LatestBlockhash {
  readonly blockhash: Uint8Array
  /** The last block height at which a transaction with it can land. */
  readonly lastValidBlockHeight: number
}

const Latest = Type.Object({
  value: Type.Object({
    blockhash: Type.String(),
    lastValidBlockHeight: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  }),
})
let latest: Validator<typeof Latest> | null = null

/** @throws GatewayError  upstream_* */
export async function askLatestBlockhash(rpc: Pick<SolanaRpc, 'read'>, call: Call): Promise<LatestBlockhash> {
  const params = '[{"commitment":"confirmed"}]'
  const { result } = await rpc.read('getLatestBlockhash', params, call)
  const answer = result === null ? null : parsedOrNone(result)
  latest ??= compile(Latest)
  if (!latest.Check(answer) || !isBase58Of(answer.value.blockhash, KEY_BYTES)) {
    const message = 'The Solana node did not answer the latest blockhash. Try again later.'
    throw new GatewayError('upstream_unusable', message)
  }
  const { blockhash, lastValidBlockHeight } = answer.value
  return { blockhash: decodeBase58(blockhash, KEY_BYTES)!, lastValidBlockHeight }
}
