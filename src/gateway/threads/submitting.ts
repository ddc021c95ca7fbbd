/** Submissions that one thread verifies and another sends, so that a transaction goes out once, whoever submits it. */
import { Call } from '../../flow/call.ts'
import { CancellationScope } from '../../flow/cancellation.ts'
import { Timing, timed } from '../../flow/timing.ts'
import type { TraceContext } from '../../flow/trace-context.ts'
import type { SendOptions } from '../../relay/methods/params.ts'
import type { Arrival } from '../../relay/submissions/receipts.ts'
import { type ParsedTransaction, parseTransaction } from '../../relay/submissions/submission.ts'
import type { Submissions, SubmitTerms } from '../../relay/submissions/submissions.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { RpcReply } from '../../upstream/nodes/solana/rpc.ts'

/** A transaction whose signatures are verified, with what it is submitted under. */
export interface SubmissionTask {
  readonly base64: string
  readonly options: SendOptions | null | undefined
  readonly arrival: Arrival
  readonly client: string
  readonly request: { readonly id: string; readonly trace: TraceContext | null } | null
  readonly leftMs: number
}

/** A node's reply: its bytes, and where in them the answer and the id are. */
type SentReply = Awaited<ReturnType<typeof submitHere>>

/** @throws GatewayError  as Submissions.submit */
export async function submitHere(
  submissions: Submissions,
  clock: Clock,
  maxV1Bytes: number,
  { base64, options, arrival, client, request, leftMs }: SubmissionTask,
) {
  const transaction = parseTransaction(base64, { encoding: 'base64' }, undefined, maxV1Bytes)
  const scope = new CancellationScope(client, request && { ...request, timing: new Timing(clock) })
  const call = Call.of(clock, 'build', leftMs, scope)
  const { body, result, error, id } = await submissions.submit(transaction, options, { call, arrival })
  const text = (result ?? error)!
  const from = text.byteOffset - body.byteOffset
  return { body: Uint8Array.from(body), isError: result === null, from, to: from + text.length, id }
}

/** @param send  to the thread that sends. */
export function submitElsewhere(send: (task: SubmissionTask) => Promise<SentReply>) {
  return async (
    { base64 }: ParsedTransaction,
    options: SendOptions | null | undefined,
    { call, arrival }: SubmitTerms,
  ): Promise<RpcReply> => {
    const { client, request } = call.scope
    const from = request && { id: request.id, trace: request.trace }
    const task = { base64, options, arrival, client, request: from, leftMs: call.leftMs }
    const reply = await timed(request?.timing.upstream, () => send(task))
    const body = Buffer.from(reply.body.buffer)
    const text = body.subarray(reply.from, reply.to)
    return { body, result: reply.isError ? null : text, error: reply.isError ? text : null, id: reply.id }
  }
}
