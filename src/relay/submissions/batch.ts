/**
 * Forwards a signed batch. Each transaction is a submission of its own, and the reply gives the outcome of
 * each, in the batch's order.
 */
import { GatewayError } from '../../runtime/errors.ts'
import type { RpcReply } from '../../upstream/nodes/solana/rpc.ts'
import { RPC_ERRORS, rpcErrorOf } from '../methods/rpc-error.ts'
import type { ParsedTransaction } from './submission.ts'

/** The outcome of one transaction. */
interface BatchEntry {
  readonly signature: string
  /** JSON text of the node's error, or of ours if no node gave a usable answer; null without one. */
  readonly error: string | null
  readonly sent: boolean
}

/**
 * Sends the transactions in order, each once the one before was accepted; the first refusal stops the batch.
 * Independent transactions are all sent at once, and none stops another.
 *
 * @throws GatewayError  if no node gave any of them a usable answer
 */
export async function forwardBatch(
  batch: readonly ParsedTransaction[],
  independent: boolean,
  submit: (transaction: ParsedTransaction) => Promise<RpcReply>,
): Promise<readonly BatchEntry[]> {
  const faults: GatewayError[] = []
  const forward = async (transaction: ParsedTransaction): Promise<BatchEntry> => {
    const { signature } = transaction
    try {
      const { error } = await submit(transaction)
      return { signature, error: error === null ? null : error.toString(), sent: true }
    } catch (fault) {
      if (!(fault instanceof GatewayError)) throw fault
      faults.push(fault)
      return { signature, error: rpcErrorOf(RPC_ERRORS.internal, fault), sent: true }
    }
  }

  const entries: BatchEntry[] = []
  if (independent) entries.push(...(await Promise.all(batch.map(forward))))
  else {
    let stopped = false
    for (const transaction of batch) {
      const entry: BatchEntry = stopped
        ? { signature: transaction.signature, error: null, sent: false }
        : await forward(transaction)
      stopped ||= entry.error !== null
      entries.push(entry)
    }
  }
  const answered = entries.filter(({ sent }) => sent).length > faults.length
  if (!answered) throw faults[0]!
  return entries
}

/** @param id  the client's, as JSON text; null leaves the member out */
export function batchReply(entries: readonly BatchEntry[], id: Buffer | null): Buffer {
  const results = entries.map(({ signature, error, sent }) => {
    if (!sent) return `{"signature":"${signature}","notSent":true}`
    return error === null ? `{"signature":"${signature}"}` : `{"signature":"${signature}","error":${error}}`
  })
  const member = id === null ? '' : `,"id":${id.toString()}`
  return Buffer.from(`{"jsonrpc":"2.0","result":[${results.join(',')}]${member}}`)
}
