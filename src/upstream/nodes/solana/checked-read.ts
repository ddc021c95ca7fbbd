import type { Static, TSchema } from 'typebox'
import { jsonReader } from '../../../chains/json/reader.ts'
import type { Call } from '../../../flow/call.ts'
import { GatewayError } from '../../../runtime/errors.ts'
import type { SolanaRpc } from './rpc.ts'

type Ask<Schema extends TSchema> = (
  rpc: Pick<SolanaRpc, 'read'>,
  params: readonly unknown[],
  call: Call,
) => Promise<Static<Schema>>

/**
 * A read whose answer has a schema.
 * @param what  the answer, for the error of a node that gives another
 * @param maxBytes  a longer answer is not parsed
 * @returns asks it; throws GatewayError upstream_*
 */
export function checkedRead<Schema extends TSchema>(
  method: string,
  schema: Schema,
  what: string,
  maxBytes = Number.POSITIVE_INFINITY,
): Ask<Schema> {
  const answerIn = jsonReader(schema)
  return async (rpc, params, call) => {
    const { result } = await rpc.read(method, JSON.stringify(params), call)
    const answer = result === null || result.length > maxBytes ? null : answerIn(result)
    if (answer !== null) return answer
    const message = `The Solana node did not answer ${what}. Try again later.`
    throw new GatewayError('upstream_unusable', message)
  }
}
