import t from 'tap'
import { batchReply, forwardBatch } from '../../../src/relay/submissions/batch.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import type { RpcReply } from '../../../src/upstream/nodes/solana/rpc.ts'
import fc from '../../fixtures/fast-check.ts'
import { transactionNamed } from '../../fixtures/submission.ts'

const REFUSAL = '{"code":-32002,"message":"refused"}'

/** What the nodes make of one transaction. */
type Fate = 'accepted' | 'refused' | 'unreachable'

/** Submits to nodes that do with each transaction what the batch says. */
function submitting(fates: readonly Fate[]) {
  const sent: string[] = []
  const batch = fates.map((_, i) => transactionNamed(`s${i}`))
  const submit = async ({ signature }: { readonly signature: string }): Promise<RpcReply> => {
    sent.push(signature)
    await new Promise(setImmediate)
    const fate = fates[Number(signature.slice(1))]
    if (fate === 'unreachable') throw new GatewayError('upstream_unavailable', `no node for ${signature}`)
    return { error: fate === 'refused' ? Buffer.from(REFUSAL) : null } as RpcReply
  }
  return { batch, sent, submit }
}

const fates = fc.array(fc.constantFrom<Fate[]>('accepted', 'refused', 'unreachable'), {
  minLength: 2,
  maxLength: 10,
})

t.test('nothing is sent after the first transaction that no node accepted', async () => {
  await fc.assert(
    fc.asyncProperty(fates, async (fates) => {
      const { batch, sent, submit } = submitting(fates)
      const entries = await forwardBatch(batch, false, submit).catch(() => null)
      const stop = fates.findIndex((fate) => fate !== 'accepted')
      const sends = stop === -1 ? fates.length : stop + 1
      const isFault = stop === 0 && fates[0] === 'unreachable'
      return (
        sent.join() ===
          batch
            .slice(0, sends)
            .map(({ signature }) => signature)
            .join() &&
        (entries === null) === isFault &&
        (entries ?? []).every(
          ({ signature, sent, error }, i) =>
            signature === `s${i}` && sent === i < sends && (error !== null) === (i === stop),
        )
      )
    }),
  )
})

t.test('independent transactions are all sent, whatever becomes of the others', async () => {
  await fc.assert(
    fc.asyncProperty(fates, async (fates) => {
      const { batch, sent, submit } = submitting(fates)
      const entries = await forwardBatch(batch, true, submit).catch(() => null)
      return (
        sent.length === fates.length &&
        (entries === null) === fates.every((fate) => fate === 'unreachable') &&
        (entries ?? []).every(
          ({ signature, sent, error }, i) =>
            signature === `s${i}` && sent && (error === null) === (fates[i] === 'accepted'),
        )
      )
    }),
  )
})

t.test("a node's error is in the reply; our own fault is a JSON-RPC error", async (t) => {
  const { batch, submit } = submitting(['accepted', 'unreachable', 'refused'])
  const entries = await forwardBatch(batch, true, submit)
  t.equal(entries[2]!.error, REFUSAL)
  t.strictSame(JSON.parse(entries[1]!.error!), {
    code: -32603,
    message: 'no node for s1',
    data: { error: 'no node for s1', scope: 'rpc', code: 'upstream_unavailable' },
  })
})

t.test('where no node answered any, the first fault is the answer', async (t) => {
  const { batch, submit } = submitting(['unreachable', 'unreachable'])
  await t.rejects(forwardBatch(batch, true, submit), { message: 'no node for s0' })
})

t.test("the gateway's own fault is not a transaction's outcome", async (t) => {
  const bug = new TypeError('a bug')
  const submit = () => Promise.reject(bug)
  await t.rejects(forwardBatch([transactionNamed('s0'), transactionNamed('s1')], false, submit), bug)
})

t.test("a reply has the client's id as it was written, or none", async (t) => {
  const entries = [
    { signature: 'a', error: null, sent: true },
    { signature: 'b', error: REFUSAL, sent: true },
    { signature: 'c', error: null, sent: false },
  ]
  const result = `[{"signature":"a"},{"signature":"b","error":${REFUSAL}},{"signature":"c","notSent":true}]`
  t.equal(batchReply(entries, null).toString(), `{"jsonrpc":"2.0","result":${result}}`)
  t.equal(
    batchReply(entries, Buffer.from('1e400')).toString(),
    `{"jsonrpc":"2.0","result":${result},"id":1e400}`,
  )
})
