/** Load shedding in a model of an event loop: who is refused when one client keeps it busy, and how much is still done. */
import t from 'tap'
import { Shedding, type SheddingPriority } from '../../../src/http/overload/shedding.ts'
import {
  type LoopModelOptions,
  type ModelOutcome,
  type ModelRequest,
  runLoop,
} from '../../fixtures/loop-model.ts'

/** A model with the real shedding; `changes` gets the times at which it began and ended. */
function run(options: Omit<LoopModelOptions, 'createShedding'>) {
  const changes: { readonly isActive: boolean; readonly atMs: number }[] = []
  let nowMs = 0
  const result = runLoop({
    ...options,
    onWindow: (atMs) => (nowMs = atMs),
    createShedding(delay) {
      const shedding = new Shedding({
        turnMs: delay.nowMs,
        onChange: (isActive) => changes.push({ isActive, atMs: nowMs }),
      })
      return {
        isRefused({ priority, client }) {
          if (shedding.mustAsk() && !shedding.admits(priority, client)) return true
          shedding.costs.begin(client)
          return false
        },
        ended: ({ client, pieces, bytes }) => shedding.costs.end(client, pieces.length - 1, bytes),
        window: shedding.tick,
      }
    },
  })
  return { ...result, changes }
}

/** How the thread gets its processor. */
const MACHINES: readonly (readonly [string, LoopModelOptions['quota']])[] = [
  ['a core', undefined],
  ['a core that neighbours have half of', { part: 0.5, periodMs: 16 }],
  ['a quota of half a core', { part: 0.5, periodMs: 100 }],
]

/** Twenty clients with four requests a second each, from a time on. */
const bystanders = (fromMs: number, untilMs: number): readonly ModelRequest[] =>
  Array.from({ length: (untilMs - fromMs) / 12.5 }, (_, i) => ({
    client: `bystander ${i % 20}`,
    priority: (['research', 'quote', 'quote'] as const)[i % 3]!,
    atMs: fromMs + 12.5 * i,
    pieces: [0.3, 0.2],
    bytes: 1_000,
    kind: 'bystander',
  }))

/** Reads of 13 MiB at once, each of which takes the loop 60 ms in 40 pieces. */
const largeReads = (count: number, atMs: number): readonly ModelRequest[] =>
  Array.from({ length: count }, () => ({
    client: 'attacker',
    priority: 'quote',
    atMs,
    pieces: [0.3, ...Array.from({ length: 40 }, () => 1.5)],
    bytes: 13 << 20,
    kind: 'large',
  }))

const refused = (outcomes: readonly ModelOutcome[], kind: string): readonly ModelOutcome[] =>
  outcomes.filter(({ request, isRefused }) => isRefused && request.kind === kind)
const lastOf = (outcomes: readonly ModelOutcome[], kind: string): number =>
  Math.max(...outcomes.flatMap(({ request, endedAtMs }) => (request.kind === kind ? endedAtMs : [])))

t.test('60 large reads of one client cost the others next to nothing', async (t) => {
  for (const [name, quota] of MACHINES) {
    const requests = [...bystanders(200, 10_000), ...largeReads(60, 1_000)]
    const { outcomes } = run({ requests, untilMs: 40_000, ...(quota && { quota }) })
    t.equal(outcomes.length, requests.length, `${name}: all of them came to an end`)
    const lost = refused(outcomes, 'bystander').length
    t.ok(lost <= 0.02 * 784, `${name}: ${lost} of 784`)
  }
})

t.test('a client that keeps making large reads is refused, and the others are answered', async (t) => {
  const attack = Array.from({ length: 6 }, (_, i) => largeReads(60, 1_000 + 1_000 * i)).flat()
  const requests = [...bystanders(200, 10_000), ...attack]
  const { outcomes } = run({ requests, untilMs: 40_000 })
  const [large, others] = [refused(outcomes, 'large').length, refused(outcomes, 'bystander').length]
  t.ok(large >= 200, `${large} of 360 large reads are refused`)
  t.ok(others <= 40, `${others} of 784 others`)
})

/** Kinds of requests, with their processor time in ms and the turns that it is spread over. */
type Kinds = Readonly<Record<string, readonly [priority: SheddingPriority, ms: number, pieces: number]>>

/** As the bench measured them on a quick machine. */
const KINDS: Kinds = {
  research: ['research', 0.708, 2],
  read: ['quote', 0.13, 2],
  quote: ['quote', 0.663, 2],
  build: ['build', 0.47, 2],
  submission: ['build', 0.771, 2],
}
/** On a slow one, with as many turns as upstreams answer in: no single turn is late before a thousand requests wait. */
const SLOW: Kinds = {
  research: ['research', 1.3, 4],
  read: ['quote', 0.5, 2],
  quote: ['quote', 2.2, 6],
  build: ['build', 0.9, 3],
  submission: ['build', 1.3, 3],
}
/** On one with half a processor. */
const SLOWEST: Kinds = {
  research: ['research', 2.588, 4],
  read: ['quote', 0.437, 2],
  quote: ['quote', 3.377, 6],
  build: ['build', 1.566, 3],
  submission: ['build', 2.661, 4],
}
/** The kinds of twenty consecutive requests (bench/parts/overload.ts). */
const MIXTURE = [
  ...['research', 'quote', 'read', 'research', 'read', 'quote', 'research', 'read', 'research', 'quote'],
  ...['read', 'research', 'read', 'build', 'research', 'quote', 'read', 'research', 'submission', 'read'],
]

/**
 * The mixture of 399 clients that ask alike.
 * @param load  in processor time per time
 * @param cold  how many times as much the requests of the first 1.5 s take
 */
function mixture(
  load: number,
  fromMs: number,
  untilMs: number,
  kinds = KINDS,
  cold = 1,
): readonly ModelRequest[] {
  const meanMs = MIXTURE.reduce((sum, kind) => sum + kinds[kind]![1], 0) / MIXTURE.length
  const everyMs = meanMs / load
  return Array.from({ length: Math.floor((untilMs - fromMs) / everyMs) }, (_, i) => {
    const kind = MIXTURE[i % MIXTURE.length]!
    const [priority, ms, count] = kinds[kind]!
    // No multiple of the mixture's length: each client sends all kinds.
    const client = `client ${(i * 7_919) % 399}`
    const times = i * everyMs < 1_500 ? cold : 1
    const pieces = Array.from({ length: count }, () => (times * ms) / count)
    return { client, priority, atMs: fromMs + i * everyMs, pieces, bytes: 1_000, kind }
  })
}

/** Kinds; processor time of a refusal, ms; how many times as much the first requests take; and the least of useful work. */
const COSTS: readonly (readonly [Kinds, number, number, number])[] = [
  [KINDS, 0.035, 1, 0.8],
  [SLOW, 0.07, 1, 0.8],
  // As in the bench: after a rest, caches have expired and the processor's hold other things.
  [SLOWEST, 0.16, 1.6, 0.7],
]

t.test('at three times the peak, what a refusal costs is all that is lost', async (t) => {
  for (const [name, quota] of MACHINES) {
    const share = quota?.part ?? 1
    for (const [kinds, refusalMs, cold, mostUseful] of COSTS) {
      // Half of a slow core answers the clients once a second each: every request is one's first.
      if (share < 1 && kinds === SLOWEST) continue
      const least = share < 1 && kinds === SLOW ? 0.5 : mostUseful
      const requests = [
        ...mixture(0.8 * share, 0, 1_000, kinds),
        ...mixture(3 * share, 1_000, 11_000, kinds, cold),
      ]
      const { outcomes } = run({ requests, untilMs: 13_000, refusalMs, ...(quota && { quota }) })
      const asked = outcomes.filter(({ request }) => request.atMs >= 1_000)
      const inTime = asked.filter((one) => one.endedAtMs - one.request.atMs <= 1_000)
      t.ok(inTime.length >= 0.9 * asked.length, `${name}: ${inTime.length} of ${asked.length} in time`)
      const useful = inTime.filter(({ isRefused }) => !isRefused)
      const workMs = useful.reduce((sum, { request }) => sum + kinds[request.kind]![1], 0)
      t.ok(workMs >= least * 10_000 * share, `${name}: ${workMs} ms of useful work in ${10_000 * share}`)
      for (const kind of ['build', 'submission']) {
        const part = (all: readonly ModelOutcome[]) =>
          all.filter(({ request }) => request.kind === kind).length
        t.ok(part(useful) >= 0.99 * part(asked), `${name}: ${part(useful)} of ${part(asked)}, ${kind}`)
      }
    }
  }
})

/** As the bench measured them last: the quicker requests are, the more come in a turn. */
const QUICK: Kinds = {
  research: ['research', 0.192, 3],
  read: ['quote', 0.064, 2],
  quote: ['quote', 0.461, 5],
  build: ['build', 0.24, 3],
  submission: ['build', 0.472, 3],
}

t.test('at three times the peak, builds do not wait for what came before shedding began', async (t) => {
  for (const [name, quota] of MACHINES) {
    const share = quota?.part ?? 1
    const requests = [
      ...mixture(0.6 * share, 0, 1_600, QUICK),
      ...mixture(2.4 * share, 2_000, 12_000, QUICK, 1.3),
    ]
    const { outcomes } = run({ requests, untilMs: 14_000, refusalMs: 0.035, ...(quota && { quota }) })
    const builds = outcomes.filter(({ request }) => request.atMs >= 2_000 && request.kind === 'build')
    const soon = builds.filter((one) => !one.isRefused && one.endedAtMs - one.request.atMs <= 1_000)
    // On half a core, the turns before shedding begins are longer.
    t.ok(
      soon.length >= (share < 1 ? 0.94 : 0.99) * builds.length,
      `${name}: ${soon.length} of ${builds.length} within a second`,
    )
  }
})

t.test(
  'a second after an overload nothing is refused, whatever other processes leave of the processor',
  async (t) => {
    for (const [name, quota] of MACHINES) {
      const share = quota?.part ?? 1
      const requests = [...mixture(3 * share, 0, 5_000), ...mixture(0.4 * share, 5_000, 15_000)]
      const { outcomes, changes } = run({ requests, untilMs: 16_000, ...(quota && { quota }) })
      const last = Math.max(...outcomes.filter((one) => one.isRefused).map(({ endedAtMs }) => endedAtMs))
      t.ok(last > 4_900 && last < 6_000, `${name}: the last refusal ${last - 5_000} ms after it`)
      t.same(
        changes.map(({ isActive }) => isActive),
        [true, false],
        `${name}: it begins and ends once`,
      )
    }
  },
)

t.test('losing the processor while the loop is busy sheds nothing that would fit', async (t) => {
  for (const part of [0.5, 0.2]) {
    const requests = mixture(0.6 * part, 0, 20_000)
    const { outcomes } = run({ requests, untilMs: 21_000, quota: { part, periodMs: 100 } })
    t.equal(outcomes.filter(({ isRefused }) => isRefused).length, 0, `a quota of ${part}`)
    t.ok(lastOf(outcomes, 'read') < 20_500)
  }
})
