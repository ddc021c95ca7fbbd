/** What instances know of each other's submissions, in a real Redis. */
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Store } from '../../../src/gateway/redis/store.ts'
import { RedisLeases } from '../../../src/gateway/redis/submissions.ts'
import { StatusPoller } from '../../../src/relay/statuses.ts'
import { Submissions } from '../../../src/relay/submissions.ts'
import { CancellationScope } from '../../../src/runtime/cancellation.ts'
import { CLOCK, type Clock } from '../../../src/runtime/clock.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { type HandClock, handClock } from '../../fixtures/clock.ts'
import { openStore, skipWithoutRedis, startRedis } from '../../fixtures/redis.ts'
import {
  DEADLINE_MS,
  GRACE_MS,
  requireBound,
  type Sent,
  SUBMISSION,
  script,
  scripted,
  scriptedRpc,
} from '../../fixtures/scripted-nodes.ts'

const skip = skipWithoutRedis()
const SECRET = 'a secret that all instances have!!'
const INSTANCES = 3
const { base64: TRANSACTION } = SUBMISSION

type TurnStore = Pick<Store, 'key' | 'run'>

/** A part of Redis of its own for each run, and a count of what is under way. */
function counted(store: Store, run: string): { store: TurnStore; settle(): Promise<void> } {
  let open = 0
  return {
    store: {
      key: (tag, name) => store.key(tag, `${run} ${name}`),
      run: (...asked) => {
        open++
        return store.run(...asked).finally(() => open--)
      },
    },
    async settle() {
      do await new Promise(setImmediate)
      while (open > 0)
      await new Promise(setImmediate)
    },
  }
}

function turns(
  store: TurnStore,
  { clock = CLOCK as Clock, secret = SECRET, leaseMs = 3_000 } = {},
): RedisLeases {
  return new RedisLeases({ store, secret, clock, leaseMs })
}

async function redisStore(t: Test) {
  const redis = await startRedis(t)
  return { redis, ...(await openStore(t, redis.url, { answerMs: 5_000 })) }
}

const schedule = fc.record({
  senders: fc.array(script, { minLength: 1, maxLength: 3 }),
  landers: fc.array(script, { maxLength: 1 }),
  bound: fc.integer({ min: 1, max: 5 }),
  landsAfterMs: fc.option(fc.integer({ min: 0, max: 20_000 })),
  /** When the same bytes come again, and at which instance. */
  again: fc.array(fc.tuple(fc.integer({ min: 0, max: 3_000 }), fc.nat(INSTANCES - 1)), { maxLength: 5 }),
})

t.test(
  'submitted once at each instance, no upstream gets more than one submission allows',
  { skip },
  async (t) => {
    const { store } = await redisStore(t)
    let runs = 0
    let shared = 0
    await fc.assert(
      fc.asyncProperty(schedule, async (plan) => {
        const clock = handClock()
        const sent: Sent[] = []
        const accepted: number[] = []
        const senders = plan.senders.map((script, i) => scripted(`node-${i}`, clock, script, sent, accepted))
        const landers = plan.landers.map((script, i) => scripted(`landing-${i}`, clock, script, sent, []))
        const rpc = scriptedRpc(senders, landers, plan.landsAfterMs, clock)
        const place = counted(store, `run ${runs++}`)
        const instances = Array.from({ length: INSTANCES }, () => {
          const statuses = new StatusPoller({ rpc, clock })
          return new Submissions({
            rpc,
            statuses,
            maxRetries: plan.bound,
            turns: turns(place.store, { clock }),
            clock,
          })
        })
        const submit = (at: number) => {
          const now = clock.now()
          const arrival = { startedAt: now, parsedAt: now, verifiedAt: now }
          const terms = { deadlineMs: DEADLINE_MS, scope: new CancellationScope('client'), arrival }
          return instances[at]!.submit(SUBMISSION, null, terms).catch((error) => {
            if (!(error instanceof GatewayError)) throw error
            return null
          })
        }
        const asked = new Set([0])
        const replies = [submit(0)]
        await place.settle()
        for (const [ms, at] of plan.again) {
          await pass(clock, ms, place.settle)
          const isKnown = instances.some(
            ({ pending }) =>
              pending.find({ ...SUBMISSION, paramsJson: '', transaction: TRANSACTION }) !== null,
          )
          // One that submits again and again, while it is refused, has it sent anew as it would at one instance.
          if (!isKnown || asked.has(at)) continue
          asked.add(at)
          if (at > 0) shared++
          replies.push(submit(at))
          await place.settle()
        }
        await pass(clock, 60_000, place.settle)
        const answers = await Promise.all(replies)
        requireBound([...senders, ...landers], sent, accepted, plan.bound)
        const isWell = plan.senders.some((script) =>
          script.every(({ kind, ms }) => kind === 'accepts' && ms < GRACE_MS),
        )
        if (isWell && answers.some((answer) => answer?.error !== null)) throw new Error('it was not accepted')
        for (const { pending } of instances) pending.close()
        await place.settle()
      }),
      { numRuns: 80 },
    )
    t.ok(shared > 10, `${shared} came to another instance`)
  },
)

/** Lets time pass in steps, and what follows from each happen. */
async function pass(clock: HandClock, ms: number, settle: () => Promise<void>): Promise<void> {
  for (let left = ms; left > 0; left -= 400) {
    clock.advance(Math.min(left, 400))
    await settle()
  }
}

const terms = { deadlineMs: 5_000, claims: true }

t.test(
  'who waits is told that a node took it, or sends it with the retries that are left',
  { skip },
  async (t) => {
    const { store } = await redisStore(t)
    const [a, b] = [turns(store), turns(store)]
    const first = await a.take(TRANSACTION, terms)
    if (first.kind !== 'ours') throw new Error(first.kind)
    t.equal(first.retries, null)
    const told = b.take(TRANSACTION, terms)
    await sleep(50)
    first.claim!.release(4)
    const second = await told
    if (second.kind !== 'ours') throw new Error(second.kind)
    t.equal(second.retries, 3)
    const again = a.take(TRANSACTION, terms)
    await sleep(50)
    second.claim!.accepted()
    t.same(await again, { kind: 'accepted' })
    t.same(await a.take(TRANSACTION, { ...terms, claims: false }), { kind: 'accepted' })
    second.claim!.end()
    const fresh = await a.take(TRANSACTION, terms)
    if (fresh.kind !== 'ours') throw new Error(fresh.kind)
    const late = await b.take(TRANSACTION, { ...terms, deadlineMs: 100 })
    t.same(late, { kind: 'late' })
    const spent = b.take(TRANSACTION, terms)
    await sleep(50)
    fresh.claim!.release(0)
    t.same(await spent, { kind: 'spent' })
  },
)

t.test('an instance that dies is waited for as long as its lease', { skip }, async (t) => {
  const { store } = await redisStore(t)
  const dead = turns(store, { clock: handClock(), leaseMs: 300 })
  t.match(await dead.take(TRANSACTION, terms), { kind: 'ours' })
  const begun = performance.now()
  const turn = await turns(store).take(TRANSACTION, terms)
  t.match(turn, { kind: 'ours', retries: null })
  t.ok(performance.now() - begun >= 200)
  if (turn.kind === 'ours') turn.claim!.end()
})

t.test('what others write into Redis tells nobody that it was sent', { skip }, async (t) => {
  const { redis, store } = await redisStore(t)
  const first = await turns(store, { clock: handClock() }).take(TRANSACTION, terms)
  const key = redis.cli('KEYS', '*submission')
  const text = redis.cli('GET', key)
  t.match(first, { kind: 'ours' })
  t.notOk(`${key} ${text}`.includes(SUBMISSION.signature), 'nor what it is')
  for (const forged of [text.replace('held', 'accepted'), 'accepted', `"${SUBMISSION.signature}"`, '']) {
    redis.cli('SET', key, forged)
    const turn = await turns(store).take(TRANSACTION, terms)
    t.match(turn, { kind: 'ours' }, forged)
    if (turn.kind === 'ours') turn.claim?.end()
  }
  redis.cli('DEL', key)
  redis.cli('LPUSH', key, 'x')
  const turn = await turns(store).take(TRANSACTION, terms)
  t.match(turn, { kind: 'ours' })
  if (turn.kind === 'ours') turn.claim?.end()
})

t.test('where Redis is gone, or hangs, each sends by itself', { skip }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url)
  for (const lose of [() => redis.pause(), () => redis.kill()]) {
    await lose()
    const begun = performance.now()
    const turn = await turns(store).take(TRANSACTION, terms)
    t.match(turn, { kind: 'ours', retries: null })
    t.ok(performance.now() - begun < 1_000)
    if (turn.kind === 'ours') turn.claim!.end()
    redis.resume()
  }
})
