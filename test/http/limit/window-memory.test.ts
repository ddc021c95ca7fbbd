/** Windows that several threads of one process share: every decision against a model, and threads that end. */
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { FixedWindow } from '../../../src/http/limit/fixed-window.ts'
import { WindowMemory } from '../../../src/http/limit/window-memory.ts'
import { SAMPLES } from '../../fixtures/fast-check.ts'
import { seedOf } from '../../fixtures/limiter.ts'
import { ADMITTED, BY_CLIENT, SIZE, startThread, WORDS } from '../../fixtures/window-thread.ts'

const THREADS = 8
/** By all threads together. */
const DECISIONS = 1_500_000 * SAMPLES

const allocate = (): SharedArrayBuffer => WindowMemory.allocate(SIZE.maxClients)

interface Decision {
  readonly client: number
  readonly outcome: number
  readonly clientRemaining: number
  readonly globalRemaining: number
  readonly ends: number
  readonly isPeek: boolean
}

function* decisionsIn(buffers: readonly SharedArrayBuffer[]): Generator<Decision> {
  for (const buffer of buffers) {
    const words = new Int32Array(buffer)
    for (let at = 0; at < words.length; at += WORDS) {
      const [client, outcome, clientRemaining, globalRemaining, ends, isPeek] = words.subarray(at, at + WORDS)
      yield {
        client: client!,
        outcome: outcome!,
        clientRemaining: clientRemaining!,
        globalRemaining: globalRemaining!,
        ends: ends!,
        isPeek: isPeek === 1,
      }
    }
  }
}

/**
 * Decides as the model does. What was left for all orders the admissions of a window, and says after which of
 * them a refusal or a look was made.
 * @returns the wrong ones
 */
function wrongOf(decisions: readonly Decision[]): Decision[] {
  const isSpent = ({ outcome, isPeek }: Decision): boolean => outcome === ADMITTED && !isPeek
  const inOrder = [...decisions].sort(
    (a, b) =>
      a.ends - b.ends || b.globalRemaining - a.globalRemaining || Number(isSpent(b)) - Number(isSpent(a)),
  )
  const wrong: Decision[] = []
  let ends = 0
  let all = 0
  let spent = new Map<number | string, number>()
  for (const one of inOrder) {
    if (one.ends !== ends) {
      ends = one.ends
      all = 0
      spent = new Map()
    }
    // Past the most clients, those that are new share a counter.
    const isOwn = spent.has(one.client) || ownCounters(spent) < SIZE.maxClients
    const whose = isOwn ? one.client : 'rest'
    const before = spent.get(whose) ?? 0
    if (isSpent(one)) {
      spent.set(whose, before + 1)
      all++
    }
    const now = spent.get(whose) ?? 0
    const isRight =
      one.globalRemaining === SIZE.globalMax - all &&
      one.clientRemaining === SIZE.clientMax - now &&
      (one.outcome === ADMITTED
        ? before < SIZE.clientMax && all <= SIZE.globalMax
        : one.outcome === BY_CLIENT
          ? before === SIZE.clientMax
          : all === SIZE.globalMax && before < SIZE.clientMax)
    if (!isRight) wrong.push(one)
  }
  return wrong
}

const ownCounters = (spent: ReadonlyMap<number | string, number>): number =>
  spent.size - (spent.has('rest') ? 1 : 0)

t.test('what eight threads decide at once is what one would decide', async (t) => {
  const memory = allocate()
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const each = Math.ceil(DECISIONS / THREADS)
  const buffers = Array.from({ length: THREADS }, () => new SharedArrayBuffer(each * WORDS * 4))
  const threads = buffers.map((decisions, nth) =>
    startThread({ memory, seed: seedOf(1), thread: nth + 1, decisions, gate, threads: THREADS }),
  )
  await Promise.all(threads.map((thread) => once(thread, 'exit')))
  const decisions = [...decisionsIn(buffers)]
  t.equal(decisions.length, each * THREADS)
  t.same(wrongOf(decisions).slice(0, 5), [])
  const outcomes = new Set(decisions.map(({ outcome, isPeek }) => `${outcome} ${isPeek}`))
  t.equal(outcomes.size, 6, 'every outcome was met')
})

t.test('the model notices a decision too many', async (t) => {
  const one = {
    client: 1,
    outcome: ADMITTED,
    clientRemaining: 59,
    globalRemaining: 1_999,
    ends: 1,
    isPeek: false,
  }
  t.same(wrongOf([one]), [])
  t.equal(wrongOf([one, one]).length, 1)
})

t.test('a thread that ends in the middle of decisions leaves no lock behind', async (t) => {
  const memory = allocate()
  const seed = seedOf(1)
  const own = new FixedWindow({ ...SIZE, seed, memory: new WindowMemory(memory, 100) })
  for (let round = 0; round < 10; round++) {
    const gate = new Int32Array(new SharedArrayBuffer(4))
    const tasks = [1, 2].map((nth) => ({
      memory,
      seed,
      thread: 2 * round + nth,
      decisions: null,
      gate,
      threads: 2,
    }))
    const threads = tasks.map(startThread)
    while (Atomics.load(gate, 0) < 2) await delay(1)
    for (const [nth, thread] of threads.entries()) {
      await thread.terminate()
      WindowMemory.releaseOf(memory, tasks[nth]!.thread)
    }
    const nowMs = 1e9 + round * SIZE.windowMs
    t.equal(own.at(nowMs).take(0, 1), true)
    t.same([own.clientRemaining, own.globalRemaining], [SIZE.clientMax - 1, SIZE.globalMax - 1])
  }
})

t.test('a lock is released by its holder only', async (t) => {
  const memory = allocate()
  const held = new WindowMemory(memory, 1)
  held.lock()
  WindowMemory.releaseOf(memory, 2)
  const [word] = held.arc
  t.equal(word, 1)
  WindowMemory.releaseOf(memory, 1)
  t.equal(held.arc[0], 0)
})
