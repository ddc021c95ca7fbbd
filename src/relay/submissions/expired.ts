/**
 * A node's refusal of a transaction whose blockhash it does not find. If the blockhash has expired, the relay
 * adds `"expired":true` as the last member of the error's `data`; every other byte of the node's answer
 * stays.
 *
 * Source: agave rpc-client-api/src/custom_error.rs (-32002, the simulation's result as data)
 */
import { membersOf } from '../../chains/json/member.ts'
import type { RpcReply } from '../../upstream/nodes/solana/rpc.ts'

const NOT_FOUND = '"BlockhashNotFound"'
const PREFLIGHT_FAILURE = '-32002'
const EXPIRED = Buffer.from(',"expired":true')
/** A preflight that did not find the blockhash executed nothing, so its error has no logs. */
const MAX_ERROR_BYTES = 8_192

/** Whether a preflight failed because the node does not know the blockhash yet, or no longer does. */
export function isBlockhashNotFound(error: Buffer): boolean {
  return endOfData(error) !== null
}

/** @param reply  a refusal of that kind; not changed */
export function withExpired(reply: RpcReply): RpcReply {
  const error = reply.error!
  const errorAt = error.byteOffset - reply.body.byteOffset
  const at = errorAt + endOfData(error)! - 1
  const body = Buffer.concat([reply.body.subarray(0, at), EXPIRED, reply.body.subarray(at)])
  const moved = (offset: number): number => (offset > at ? offset + EXPIRED.length : offset)
  const { start, end, cutStart, cutEnd } = reply.id
  return {
    body,
    result: null,
    error: body.subarray(errorAt, errorAt + error.length + EXPIRED.length),
    id: { start: moved(start), end: moved(end), cutStart: moved(cutStart), cutEnd: moved(cutEnd) },
  }
}

/** @returns the offset after the `data` of such an error; null for any other error */
function endOfData(error: Buffer): number | null {
  if (error.length > MAX_ERROR_BYTES) return null
  const members = membersOf(error, 0, ['code', 'data'])
  const code = members.get('code')
  const data = members.get('data')
  if (code === undefined || data === undefined) return null
  if (error.toString('latin1', code.start, code.end) !== PREFLIGHT_FAILURE) return null
  const err = membersOf(error, data.start, ['err']).get('err')
  return err !== undefined && error.toString('latin1', err.start, err.end) === NOT_FOUND ? data.end : null
}
