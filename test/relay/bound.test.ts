/**
 * Whatever goes wrong, and in whatever order: what every upstream may be sent of
 * one transaction, and when.
 */
import fc from 'fast-check'
import t from 'tap'
import { GatewayError } from '../../src/errors.ts'
import type { RpcReply, SolanaRpc } from '../../src/nodes/solana-rpc.ts'
import { SolanaSubmissions } from '../../src/nodes/solana-submissions.ts'
import { StatusPoller } from '../../src/relay/statuses.ts'
import { parseTransaction } from '../../src/relay/submission.ts'
import { Submissions } from '../../src/relay/submissions.ts'
import { encodeBase58 } from '../../src/solana/base58.ts'
import type { UpstreamRequest } from '../../src/upstream/call.ts'
import { Caller } from '../../src/upstream/caller.ts'
import type { Upstream } from '../../src/upstream/upstream.ts'
import { type HandClock, handClock } from '../fixtures/clock.ts'
import { serialize, transfer } from '../fixtures/transactions.ts'

type Kind = 'accepts' | 'lags' | 'refuses' | 'fails' | 'cooling'
/** What a node does with one call, and after how long. */
interface Behaviour {
  readonly kind: Kind
  readonly ms: number
}

interface Sent {
  readonly to: string
  readonly at: number
  readonly params: readonly [string, Record<string, unknown>]
}

const LAGS = '{"code":-32002,"message":"m","data":{"err":"BlockhashNotFound"}}'
const REFUSES = '{"code":-32002,"message":"m","data":{"err":"InsufficientFundsForFee"}}'
const SUBMISSION = parseTransaction(Buffer.from(serialize(transfer())).toString('base64'), {
  encoding: 'base64',
})
const BLOCKHASH = encodeBase58(SUBMISSION.wire.blockhash())
const DEADLINE_MS = 15_000
const GRACE_MS = 2_000

/** An upstream that behaves by a list, and by its last item from then on. */
function scripted(
  label: string,
  clock: HandClock,
  script: readonly Behaviour[],
  sent: Sent[],
  accepted: number[],
): Upstream {
  let calls = 0
  const next = (): Behaviour => script[Math.min(calls, script.length - 1)]!
  const ask = <T>(request: UpstreamRequest<T>, { deadlineMs }: { deadlineMs: number }): Promise<T> => {
    const { kind, ms } = next()
    calls++
    const { id, params } = JSON.parse(request.body as string)
    sent.push({ to: label, at: clock.now(), params })
    return new Promise((resolve, reject) => {
      clock.after(Math.min(ms, deadlineMs), () => {
        if (kind === 'fails' || ms >= deadlineMs) return reject(new GatewayError('upstream_timeout', 'late'))
        if (kind === 'accepts') accepted.push(clock.now())
        const outcome =
          kind === 'accepts'
            ? `"result":"${SUBMISSION.signature}"`
            : `"error":${kind === 'lags' ? LAGS : REFUSES}`
        const reply = request.read(200, Buffer.from(`{"jsonrpc":"2.0","id":${id},${outcome}}`))
        resolve(reply as T)
      })
    })
  }
  const isReady = (): boolean => {
    if (next().kind !== 'cooling') return true
    calls++
    return false
  }
  return { label, ask, isReady, waitMs: () => 1_000 } as unknown as Upstream
}

/** Lets time pass in steps, and what follows from each happen. */
async function pass(clock: HandClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 200) {
    clock.advance(Math.min(left, 200))
    await new Promise(setImmediate)
  }
}

const behaviour = fc.record({
  kind: fc.constantFrom<Kind>('accepts', 'lags', 'refuses', 'fails', 'cooling'),
  ms: fc.constantFrom(0, 30, 500, 1_999, 6_000, 20_000),
})
const script = fc.array(behaviour, { minLength: 1, maxLength: 6 })

const schedule = fc.record({
  senders: fc.array(script, { minLength: 1, maxLength: 3 }),
  landers: fc.array(script, { maxLength: 2 }),
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
      const landers = plan.landers.map((script, i) => scripted(`landing-${i}`, clock, script, sent, landings))
      const begun = clock.now()
      const rpc = {
        submissions: new SolanaSubmissions({ senders, landers, graceMs: GRACE_MS, clock }),
        async read(method: string, params: string) {
          if (method !== 'getSignatureStatuses') throw new GatewayError('upstream_timeout', 'late')
          const [signatures] = JSON.parse(params) as [string[]]
          const hasLanded = plan.landsAfterMs !== null && clock.now() - begun >= plan.landsAfterMs
          const status = hasLanded ? { slot: 7, err: null, confirmationStatus: 'processed' } : null
          const value = signatures.map(() => status)
          return { result: Buffer.from(JSON.stringify({ context: { slot: 7 }, value })) } as RpcReply
        },
      } as unknown as SolanaRpc
      const statuses = new StatusPoller({ rpc, clock })
      const submissions = new Submissions({ rpc, statuses, maxRetries: plan.bound, clock })
      if (plan.knowsBlockhash) {
        const value = { blockhash: BLOCKHASH, lastValidBlockHeight: 1_000 }
        const result = Buffer.from(JSON.stringify({ context: { slot: 1 }, value }))
        submissions.blockhashes.learn('getLatestBlockhash', '[]', { result } as RpcReply)
      }
      const submit = () => {
        const at = clock.now()
        const arrival = { startedAt: at, parsedAt: at, verifiedAt: at }
        const terms = { deadlineMs: DEADLINE_MS, caller: new Caller('client'), arrival }
        return submissions.submit(SUBMISSION, { maxRetries: plan.asked }, terms).catch((error) => {
          if (!(error instanceof GatewayError)) throw error
          return null
        })
      }

      const replies = [submit()]
      const { base64: transaction, signature } = SUBMISSION
      for (const ms of plan.again) {
        await pass(clock, ms)
        const isKnown = submissions.pending.find({ paramsJson: '', transaction, signature }) !== null
        const before = sent.length
        if (isKnown) replies.push(submit())
        t.equal(sent.length, before, 'who submits what is pending sends nothing')
      }
      await pass(clock, 120_000)
      const answers = await Promise.all(replies)

      const retries = Math.min(plan.asked ?? plan.bound, plan.bound)
      for (const { label } of [...senders, ...landers]) {
        const count = sent.filter(({ to }) => to === label).length
        if (count > 1 + retries) throw new Error(`${label} got it ${count} times, with ${retries} retries`)
      }
      const firstAccepted = Math.min(...accepted, Number.POSITIVE_INFINITY)
      for (const { to, at, params } of sent) {
        if (params[0] !== transaction) throw new Error('other bytes')
        const isLanding = to.startsWith('landing')
        if (params[1].skipPreflight !== isLanding) throw new Error(`${to}: preflight`)
        if (isLanding && at < firstAccepted) throw new Error(`${to} got it before preflight had passed`)
      }
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
  t.equal(runs, 150)
})
