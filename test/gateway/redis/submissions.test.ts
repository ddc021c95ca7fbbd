/** What instances know of each other's submissions, in a real Redis. */

import t, { type Test } from 'tap'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import { ANSWER_MS, type Store } from '../../../src/gateway/redis/store.ts'
import { RedisLeases } from '../../../src/gateway/redis/submissions.ts'
import { StatusPoller } from '../../../src/relay/reads/statuses.ts'
import type { LeaseOutcome } from '../../../src/relay/submissions/leases.ts'
import { Submissions } from '../../../src/relay/submissions/submissions.ts'
import { CLOCK, type Clock } from '../../../src/runtime/clock.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { callOf } from '../../fixtures/call.ts'
import { type HandClock, handClock, STILL } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'
import { openStore, skipWithoutRedis, startRedis, until } from '../../fixtures/redis.ts'
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

type LeaseStore = Pick<Store, 'key' | 'run'>

/** A part of Redis of its own for each run, and a count of what is under way. */
function counted(store: Store, run: string): { store: LeaseStore; settle(): Promise<void> } {
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

function leases(
  store: LeaseStore,
  { clock = CLOCK as Clock, secret = SECRET, leaseMs = 60_000 } = {},
): RedisLeases {
  return new RedisLeases({ store, secret, clock, leaseMs })
}

async function redisStore(t: Test) {
  const redis = await startRedis(t)
  return { redis, ...(await openStore(t, redis.url)) }
}

const schedule = fc.record({
  senders: fc.array(script, { minLength: 1, maxLength: 3 }),
  services: fc.array(script, { maxLength: 1 }),
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
        const services = plan.services.map((script, i) => scripted(`landing-${i}`, clock, script, sent, []))
        const rpc = scriptedRpc(senders, services, plan.landsAfterMs, clock)
        const place = counted(store, `run ${runs++}`)
        const instances = Array.from({ length: INSTANCES }, () => {
          const statuses = new StatusPoller({ rpc, clock })
          return new Submissions({
            rpc,
            statuses,
            maxRetries: plan.bound,
            funnel: null,
            leases: leases(place.store, { clock }),
            clock,
          })
        })
        const submit = (at: number) => {
          const now = clock.now()
          const arrival = { startedAt: now, parsedAt: now, verifiedAt: now }
          const terms = {
            call: callOf(DEADLINE_MS, new CancellationScope('client'), 'build', clock),
            arrival,
          }
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
          const isKnown = instances.some(({ pending }) => pending.find(SUBMISSION) !== null)
          // One that submits again and again, while it is refused, has it sent anew as it would at one instance.
          if (!isKnown || asked.has(at)) continue
          asked.add(at)
          if (at > 0) shared++
          replies.push(submit(at))
          await place.settle()
        }
        await pass(clock, 60_000, place.settle)
        const answers = await Promise.all(replies)
        requireBound([...senders, ...services], sent, accepted, plan.bound)
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

t.test(
  'who waits is told that a node took it, or sends it with the retries that are left',
  { skip },
  async (t) => {
    const place = counted((await redisStore(t)).store, 'run')
    const [a, b] = [leases(place.store), leases(place.store)]
    const first = await a.acquire(TRANSACTION, callOf(), true)
    if (first.kind !== 'send') throw new Error(first.kind)
    t.equal(first.retries, null)
    const told = b.acquire(TRANSACTION, callOf(), true)
    await place.settle()
    first.lease!.release(4)
    const second = await told
    if (second.kind !== 'send') throw new Error(second.kind)
    t.equal(second.retries, 3)
    const again = a.acquire(TRANSACTION, callOf(), true)
    await place.settle()
    second.lease!.accepted()
    t.same(await again, { kind: 'accepted' })
    t.same(await a.acquire(TRANSACTION, callOf(), false), { kind: 'accepted' })
    second.lease!.end()
    const fresh = await a.acquire(TRANSACTION, callOf(), true)
    if (fresh.kind !== 'send') throw new Error(fresh.kind)
    const late = await b.acquire(TRANSACTION, callOf(100), true)
    t.same(late, { kind: 'late' })
    const spent = b.acquire(TRANSACTION, callOf(), true)
    await place.settle()
    fresh.lease!.release(0)
    t.same(await spent, { kind: 'spent' })
  },
)

t.test('an instance that dies is waited for as long as its lease', { skip }, async (t) => {
  const { redis, store } = await redisStore(t)
  const place = counted(store, 'run')
  const dead = leases(place.store, { clock: handClock() })
  t.match(await dead.acquire(TRANSACTION, callOf(), true), { kind: 'send' })
  const key = redis.cli('KEYS', '*submission')
  const leftMs = Number(redis.cli('PTTL', key))
  t.ok(leftMs > 0 && leftMs <= 60_000, 'its lease ends by itself')
  let outcome: LeaseOutcome | null = null
  const acquired = leases(place.store).acquire(TRANSACTION, callOf(), true)
  void acquired.then((it) => (outcome = it))
  await place.settle()
  t.equal(outcome, null, 'until then others wait')
  redis.cli('PEXPIRE', key, '1')
  const after = await acquired
  t.match(after, { kind: 'send', retries: null })
  if (after.kind === 'send') after.lease!.end()
})

t.test(
  "a call whose clock stands still, as a recording's does, is late all the same",
  { skip },
  async (t) => {
    const { store } = await redisStore(t)
    const held = await leases(store, { clock: handClock() }).acquire(TRANSACTION, callOf(), true)
    t.match(held, { kind: 'send' })
    const call = callOf(300, null, 'build', STILL)
    t.same(await leases(store).acquire(TRANSACTION, call, true), { kind: 'late' })
  },
)

t.test('what others write into Redis never counts as a submission', { skip }, async (t) => {
  const { redis, store } = await redisStore(t)
  const first = await leases(store, { clock: handClock() }).acquire(TRANSACTION, callOf(), true)
  const key = redis.cli('KEYS', '*submission')
  const text = redis.cli('GET', key)
  t.match(first, { kind: 'send' })
  t.notOk(`${key} ${text}`.includes(SUBMISSION.signature), 'nor what it is')
  for (const forged of [text.replace('held', 'accepted'), 'accepted', `"${SUBMISSION.signature}"`, '']) {
    redis.cli('SET', key, forged)
    const outcome = await leases(store).acquire(TRANSACTION, callOf(), true)
    t.match(outcome, { kind: 'send' }, forged)
    if (outcome.kind === 'send') outcome.lease?.end()
  }
  redis.cli('DEL', key)
  redis.cli('LPUSH', key, 'x')
  const outcome = await leases(store).acquire(TRANSACTION, callOf(), true)
  t.match(outcome, { kind: 'send' })
  if (outcome.kind === 'send') outcome.lease?.end()
})

t.test('a lease whose end another program has taken away gets one', { skip }, async (t) => {
  const { redis, store } = await redisStore(t)
  t.match(await leases(store, { clock: handClock() }).acquire(TRANSACTION, callOf(), true), { kind: 'send' })
  const key = redis.cli('KEYS', '*submission')
  t.equal(redis.cli('PERSIST', key), '1')
  void leases(store, { clock: handClock() }).acquire(TRANSACTION, callOf(), true)
  await until(() => Number(redis.cli('PTTL', key)) > 0)
  t.match(redis.cli('GET', key), / held /)
})

t.test('where Redis is gone, or hangs, each sends by itself', { skip }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url, { answerMs: ANSWER_MS })
  for (const lose of [() => redis.pause(), () => redis.kill()]) {
    await lose()
    const outcome = await leases(store).acquire(TRANSACTION, callOf(), true)
    t.match(outcome, { kind: 'send', retries: null })
    if (outcome.kind === 'send') outcome.lease!.end()
    redis.resume()
  }
})

t.test('a submission that an instance released while nobody waited is sent again', { skip }, async (t) => {
  const { store } = await redisStore(t)
  for (const retriesLeft of [0, 4]) {
    const bytes = `${TRANSACTION} ${retriesLeft}`
    const first = await leases(store).acquire(bytes, callOf(), true)
    if (first.kind !== 'send') throw new Error(first.kind)
    first.lease!.release(retriesLeft)
    const second = await leases(store).acquire(bytes, callOf(), true)
    t.match(second, { kind: 'send', lease: Object, retries: null }, `${retriesLeft} retries were left`)
    if (second.kind === 'send') second.lease!.end()
  }
})

t.test('a lease that is over is renewed no more', async (t) => {
  for (const finish of ['accepted', 'release', 'end'] as const) {
    const clock = handClock()
    const runs: string[] = []
    const run = async (_: unknown, _keys: unknown, [, text]: readonly string[]) => {
      runs.push(text!.split(' ')[1] ?? '')
      return 1
    }
    const store = { key: (tag: string) => tag, run } as unknown as Store
    const found = await leases(store, { clock, leaseMs: 3_000 }).acquire(TRANSACTION, callOf(), true)
    if (found.kind !== 'send') throw new Error(found.kind)
    clock.advance(2_000)
    t.same(runs, ['held', 'held', 'held'], 'each second')
    if (finish === 'release') found.lease!.release(1)
    else found.lease![finish]()
    t.equal(clock.waiting, 0)
    clock.advance(10_000)
    t.same(runs.slice(3), [{ accepted: 'accepted', release: 'released', end: '' }[finish]])
  }
})
