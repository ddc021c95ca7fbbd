/**
 * Whatever goes wrong, and in whatever order: what every upstream may be sent of
 * one transaction, and when.
 */

import t from 'tap'
import { CancellationScope } from '../../src/flow/cancellation.ts'
import { StatusPoller } from '../../src/relay/reads/statuses.ts'
import { Submissions } from '../../src/relay/submissions/submissions.ts'
import { GatewayError } from '../../src/runtime/errors.ts'
import type { RpcReply } from '../../src/upstream/nodes/solana/rpc.ts'
import { callOf } from '../fixtures/call.ts'
import { type HandClock, handClock } from '../fixtures/clock.ts'
import fc from '../fixtures/fast-check.ts'
import {
  BLOCKHASH,
  DEADLINE_MS,
  GRACE_MS,
  requireBound,
  type Sent,
  SUBMISSION,
  script,
  scripted,
  scriptedRpc,
} from '../fixtures/scripted-nodes.ts'

/** Lets time pass in steps, and what follows from each happen. */
async function pass(clock: HandClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 200) {
    clock.advance(Math.min(left, 200))
    await new Promise(setImmediate)
  }
}

const schedule = fc.record({
  senders: fc.array(script, { minLength: 1, maxLength: 3 }),
  services: fc.array(script, { maxLength: 2 }),
  bound: fc.integer({ min: 0, max: 6 }),
  asked: fc.option(fc.integer({ min: 0, max: 9 })),
  knowsBlockhash: fc.boolean(),
  landsAfterMs: fc.option(fc.integer({ min: 0, max: 20_000 })),
  /** When the same bytes come again. */
  again: fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 4 }),
})

t.test('whatever the schedule of faults', async (t) => {
  let runs = 0
  await fc.assert(
    fc.asyncProperty(schedule, async (plan) => {
      runs++
      const clock = handClock()
      const sent: Sent[] = []
      const accepted: number[] = []
      const landings: number[] = []
      const senders = plan.senders.map((script, i) => scripted(`node-${i}`, clock, script, sent, accepted))
      const services = plan.services.map((script, i) =>
        scripted(`landing-${i}`, clock, script, sent, landings),
      )
      const rpc = scriptedRpc(senders, services, plan.landsAfterMs, clock)
      const statuses = new StatusPoller({ rpc, clock })
      const submissions = new Submissions({
        rpc,
        statuses,
        maxRetries: plan.bound,
        funnel: null,
        leases: null,
        clock,
      })
      if (plan.knowsBlockhash) {
        const value = { blockhash: BLOCKHASH, lastValidBlockHeight: 1_000 }
        const result = Buffer.from(JSON.stringify({ context: { slot: 1 }, value }))
        submissions.blockhashes.learn('getLatestBlockhash', '[]', { result } as RpcReply)
      }
      const submit = () => {
        const at = clock.now()
        const arrival = { startedAt: at, parsedAt: at, verifiedAt: at }
        const terms = { call: callOf(DEADLINE_MS, new CancellationScope('client'), 'build', clock), arrival }
        return submissions.submit(SUBMISSION, { maxRetries: plan.asked }, terms).catch((error) => {
          if (!(error instanceof GatewayError)) throw error
          return null
        })
      }

      const replies = [submit()]
      for (const ms of plan.again) {
        await pass(clock, ms)
        const isKnown = submissions.pending.find(SUBMISSION) !== null
        const before = sent.length
        if (isKnown) replies.push(submit())
        t.equal(sent.length, before, 'who submits what is pending sends nothing')
      }
      await pass(clock, 120_000)
      const answers = await Promise.all(replies)

      const retries = Math.min(plan.asked ?? plan.bound, plan.bound)
      requireBound([...senders, ...services], sent, accepted, retries)
      const isWell = plan.senders.some((script) =>
        script.every(({ kind, ms }) => kind === 'accepts' && ms < GRACE_MS),
      )
      if (isWell && answers.some((answer) => answer === null || answer.error !== null))
        throw new Error('a node is well, and it was not accepted')
      if (statuses.size > 0 || clock.waiting > 0) throw new Error('something is left over')
      submissions.close()
      statuses.close()
    }),
    { numRuns: 150 },
  )
  t.ok(runs > 30, `${runs}`)
})
