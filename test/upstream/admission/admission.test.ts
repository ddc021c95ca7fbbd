import t, { type Test } from 'tap'
import { GATEWAY } from '../../../src/flow/cancellation.ts'
import {
  Admission,
  type AdmissionOptions,
  type AdmissionVerdict,
} from '../../../src/upstream/admission/admission.ts'
import type {
  SharedAsk,
  SharedCooldown,
  SharedDecision,
  SharedLimits,
} from '../../../src/upstream/admission/shared-limits.ts'
import { handClock } from '../../fixtures/clock.ts'

const FREE: AdmissionVerdict = { waitMs: 0, isHeld: false }
const QUOTA = { calls: 10, windowMs: 10_000 }
const DAY_MS = 86_400_000
/** What the store says of a call that is within the quotas, however many there are. */
const within = ({ quotas }: SharedAsk): SharedDecision => ({
  waitMs: 0,
  cooldown: null,
  creditsMs: quotas.map(({ sizes }) => sizes.fullMs - sizes.costMs),
})
const cooling = (leftMs: number, probeInMs: number) => (): SharedDecision => ({
  waitMs: 0,
  cooldown: { leftMs, probeInMs },
  creditsMs: [],
})

/** A store that answers as a test says. */
function scriptedStore() {
  const store = {
    /** Null is no answer in time. */
    decision: within as (ask: SharedAsk) => SharedDecision | null,
    /** What a look finds; undefined is no answer in time. */
    found: null as SharedCooldown | null | undefined,
    takesCooldowns: true,
    asks: [] as SharedAsk[],
    looks: 0,
    started: [] as (readonly [lane: string, cooldown: SharedCooldown])[],
    ended: [] as string[],
  }
  const shared: SharedLimits = {
    async decide(ask) {
      store.asks.push(ask)
      return store.decision(ask)
    },
    async look() {
      store.looks++
      return store.found
    },
    async startCooldown(lane, cooldown) {
      store.started.push([lane, cooldown])
      return store.takesCooldowns
    },
    endCooldown: (lane) => void store.ended.push(lane),
  }
  return { store, shared }
}

function admissionBy(t: Test, options: Partial<AdmissionOptions> = {}) {
  const clock = handClock()
  const admission = new Admission({
    clock,
    quota: null,
    laneQuota: null,
    maxCooldownMs: 60_000,
    probeMs: 10_000,
    shared: null,
    ...options,
  })
  t.teardown(() => admission.close())
  return { clock, admission }
}

function sharing(t: Test, options: Partial<AdmissionOptions> = {}) {
  const { store, shared } = scriptedStore()
  return { store, ...admissionBy(t, { shared, ...options }) }
}

/** Lets the promises that are under way settle. */
const turn = () => new Promise(setImmediate)
const call = (admission: Admission, lane: string | undefined = undefined, client = 'a') =>
  admission.spend(lane, lane ?? 'all', 'build', client)
const many = (count: number, ask: () => unknown): Promise<unknown[]> =>
  Promise.all(Array.from({ length: count }, ask))

t.test(
  'a single instance decides at once, and a call that a lane refuses costs the whole nothing',
  async (t) => {
    const { admission, clock } = admissionBy(t, { quota: QUOTA, laneQuota: { calls: 1, windowMs: 10_000 } })
    const left = () => admission.governor!.state.left
    t.equal(call(admission, 'one', GATEWAY), 0)
    t.equal(call(admission, 'one', GATEWAY), 10_000)
    t.equal(left(), 9)
    t.equal(call(admission, 'other', GATEWAY), 0, 'each lane has a quota of its own')
    for (const _ of [1, 2]) {
      t.equal(call(admission, undefined, GATEWAY), 0, 'a call without a lane spends of the whole only')
    }
    t.equal(left(), 6)
    t.equal(clock.waiting, 0)
  },
)

t.test('a day has a quota of its own, which a call that waits for its second does not spend', async (t) => {
  const { admission, clock } = admissionBy(t, { quota: { calls: 1, windowMs: 1_000, daily: 3 } })
  for (const _ of [1, 2, 3]) {
    t.equal(call(admission, undefined, GATEWAY), 0)
    if (admission.left! > 0) t.equal(call(admission, undefined, GATEWAY), 1_000, 'one a second')
    clock.advance(1_000)
  }
  t.equal(call(admission, undefined, GATEWAY), DAY_MS / 3 - 3_000, 'and no fourth one')
  t.equal(admission.left, 0, 'as the day has the least left')
  clock.advance(DAY_MS / 3)
  t.equal(call(admission, undefined, GATEWAY), 0)
  const { admission: sharedOne, store } = sharing(t, { quota: { calls: 1, windowMs: 1_000, daily: 3 } })
  await call(sharedOne)
  t.same(
    store.asks[0]!.quotas.map(({ lane, sizes }) => [lane, sizes.fullMs]),
    [
      [null, 1_000],
      ['daily', DAY_MS],
    ],
    'instances share both',
  )
})

t.test('without quotas nothing is counted', async (t) => {
  const { admission } = admissionBy(t)
  t.equal(call(admission, 'one'), 0)
  t.equal(admission.governor, null)
})

t.test('a call that another instance refuses waits for as long as that says', async (t) => {
  const { admission, store } = sharing(t, { quota: QUOTA })
  store.decision = () => ({ waitMs: 700, cooldown: null, creditsMs: [300] })
  t.same(await call(admission), { waitMs: 700, isHeld: false })
  t.equal(admission.governor!.state.left, 0, 'its own bucket follows the shared one')
  store.decision = within
  t.same(await call(admission), FREE)
  t.same(
    store.asks.map(({ lane, priority, client, probeMs }) => [lane, priority, client, probeMs]),
    [
      ['all', 'build', 'a', 10_000],
      ['all', 'build', 'a', 10_000],
    ],
  )
})

t.test('what a client was admitted to together is gone from its share where one decides alone', async (t) => {
  const { admission, store } = sharing(t, { quota: QUOTA })
  await call(admission, undefined, 'b')
  for (const _ of [1, 2]) t.same(await call(admission), FREE)
  store.decision = () => null
  t.same(await call(admission, undefined, 'b'), FREE, 'of a share of two calls, one is left')
  t.match(await call(admission), { waitMs: 5_000 }, 'none is left')
})

t.test('of two quotas, the one that had room is spent and the one that refused is not', async (t) => {
  const { admission, store } = sharing(t, { quota: QUOTA, laneQuota: QUOTA })
  const { fullMs } = admission.governor!.sizes
  store.decision = () => ({ waitMs: 50, cooldown: null, creditsMs: [fullMs, fullMs] })
  t.same(await call(admission, 'one'), { waitMs: 50, isHeld: false })
  t.same(
    store.asks[0]!.quotas.map(({ lane }) => lane),
    ['one', null],
  )
  t.equal(admission.governor!.state.left, 10, 'the whole refused')
  store.decision = () => null
  const left: unknown[] = []
  for (let i = 0; i < 10; i++) left.push(((await call(admission, 'one', GATEWAY)) as AdmissionVerdict).waitMs)
  t.equal(left.filter((waitMs) => waitMs === 0).length, 9, 'the lane had spent one')
})

t.test('without an answer it decides alone, and books what it spent with the next question', async (t) => {
  const { admission, store } = sharing(t, { quota: QUOTA })
  const unbooked = () => store.asks.at(-1)!.quotas.map(({ unbookedMs }) => unbookedMs)
  store.decision = () => null
  t.same(await call(admission), FREE)
  t.same(unbooked(), [0])
  t.same(await call(admission), FREE)
  t.same(unbooked(), [1_000])
  t.equal(admission.governor!.state.left, 8)
  store.decision = within
  t.same(await call(admission), FREE)
  t.same(unbooked(), [2_000], 'a question without an answer booked nothing')
  t.same(await call(admission), FREE)
  t.same(unbooked(), [0], 'booked once')
})

t.test('what it spent alone is booked for as long as the quota would not have filled again', async (t) => {
  const { admission, store, clock } = sharing(t, { quota: QUOTA })
  const unbooked = () => store.asks.at(-1)!.quotas.map(({ unbookedMs }) => unbookedMs)
  store.decision = () => null
  await call(admission)
  await call(admission)
  clock.advance(500)
  await call(admission)
  t.same(unbooked(), [1_500])
  clock.advance(10_000)
  store.decision = () => {
    clock.advance(3_000)
    return null
  }
  await call(admission)
  await call(admission)
  t.same(unbooked(), [1_000], 'from when it was spent, not from when the question was asked')
})

t.test('alone, it waits where its own quota is used up', async (t) => {
  const { admission, store, clock } = sharing(t, { quota: { calls: 2, windowMs: 2_000 } })
  store.decision = () => null
  const ask = () => admission.spend(undefined, 'all', 'build', GATEWAY)
  t.same(await ask(), FREE)
  t.same(await ask(), FREE)
  t.same(await ask(), { waitMs: 1_000, isHeld: false })
  clock.advance(1_000)
  t.same(await ask(), FREE)
})

t.test('the cooldowns of others are looked at once in a while, and by one call for all', async (t) => {
  const { admission, store, clock } = sharing(t)
  t.same(await many(3, () => call(admission)), [FREE, FREE, FREE])
  t.equal(store.asks.length, 1, 'those that come meanwhile wait for the first')
  t.equal(call(admission), 0, 'what is known is good for a while')
  clock.advance(249)
  t.equal(call(admission), 0)
  t.equal(store.asks.length, 1)
  clock.advance(1)
  t.same(await call(admission), FREE)
  t.equal(store.asks.length, 2)
  t.same(await call(admission, 'another lane'), FREE)
  t.equal(store.asks.length, 3, 'each lane has its own')
})

t.test('a cooldown of another instance holds every call, but for the one that probes it', async (t) => {
  const { admission, store, clock } = sharing(t)
  let probes = 1
  store.decision = () => cooling(30_000, probes-- > 0 ? 0 : 10_000)()
  const verdicts = await many(3, () => call(admission))
  t.same(verdicts, [FREE, { waitMs: 0, isHeld: true }, { waitMs: 0, isHeld: true }])
  t.equal(store.asks.length, 3, 'each asked whether it is the probe')
  t.equal(admission.cooldowns.leftMs('all'), 30_000)
  t.notOk(admission.cooldowns.isReady('all'))
  store.found = null
  clock.advance(250)
  await turn()
  t.equal(store.looks, 1)
  t.ok(admission.cooldowns.isReady('all'), 'the others have ended it')
  t.equal(clock.waiting, 0, 'and nobody looks any more')
})

t.test('a cooldown is looked at until it ends, whether the store answers or not', async (t) => {
  const { admission, store, clock } = sharing(t)
  store.decision = cooling(1_000, 1_000)
  await call(admission)
  t.notOk(admission.cooldowns.isReady('all'))
  store.found = undefined
  for (let looks = 1; looks <= 3; looks++) {
    clock.advance(250)
    await turn()
    t.equal(store.looks, looks)
    t.equal(clock.waiting, 1)
  }
  store.found = { leftMs: 5_000, probeInMs: 5_000 }
  clock.advance(250)
  await turn()
  t.equal(admission.cooldowns.leftMs('all'), 5_000, 'what the others say replaces what was known')
  store.found = undefined
  clock.advance(5_000)
  for (let i = 0; i < 3; i++) {
    await turn()
    clock.advance(250)
  }
  t.equal(clock.waiting, 0)
})

t.test('a 429 here is shared with the others, and so is its end', async (t) => {
  const { admission, store, clock } = sharing(t)
  admission.cooldowns.limited('all', 20_000)
  await turn()
  t.same(store.started, [['all', { leftMs: 20_000, probeInMs: 10_000 }]])
  t.equal(clock.waiting, 1, 'it is watched')
  store.found = null
  clock.advance(250)
  await turn()
  t.ok(admission.cooldowns.isReady('all'), 'another instance ended it')

  admission.cooldowns.limited('all', 20_000)
  await turn()
  admission.cooldowns.succeeded('all')
  t.same(store.ended, ['all'])
})

t.test('a cooldown that could not be shared stays, whatever the others say', async (t) => {
  const { admission, store, clock } = sharing(t)
  store.takesCooldowns = false
  admission.cooldowns.limited('all', 20_000)
  await turn()
  store.found = null
  clock.advance(250)
  await turn()
  t.equal(admission.cooldowns.leftMs('all'), 19_750)
  store.decision = within
  t.same(await call(admission), { waitMs: 0, isHeld: true }, 'so does one that they know nothing of')
  store.decision = () => null
  t.same(await call(admission), { waitMs: 0, isHeld: true })
})

t.test('the shared state of a cooldown counts, not the local one', async (t) => {
  const { admission, store, clock } = sharing(t)
  store.takesCooldowns = false
  admission.cooldowns.limited('all', 20_000)
  await turn()
  store.decision = cooling(5_000, 0)
  t.same(await call(admission), FREE, 'this call is the probe')
  clock.advance(10_000)
  t.ok(admission.cooldowns.isReady('all'))
  store.decision = cooling(5_000, 1)
  t.same(await call(admission), { waitMs: 0, isHeld: true }, 'another one is')
})

t.test('a call that a cooldown holds spends none of the quota while the store is away', async (t) => {
  const { admission, store } = sharing(t, { quota: QUOTA })
  admission.cooldowns.limited('all', 20_000)
  store.decision = () => null
  t.same(await call(admission), { waitMs: 0, isHeld: true })
  t.equal(admission.governor!.state.left, 10)
})

t.test('once closed, it polls nothing', async (t) => {
  const { admission, store, clock } = sharing(t)
  admission.cooldowns.limited('all', 20_000)
  admission.close()
  t.equal(clock.waiting, 0)
  admission.cooldowns.limited('other', 20_000)
  await turn()
  clock.advance(60_000)
  t.equal(store.looks, 0)
})
