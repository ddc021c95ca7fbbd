/** The limiter's counters: literals, an oracle, properties, floods and collisions. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { FixedWindow, type FixedWindowOptions } from '../../../src/http/limit/fixed-window.ts'
import fc, { SAMPLES } from '../../fixtures/fast-check.ts'
import { COLLIDING_SEED, MapWindow, randomWords, seedOf } from '../../fixtures/limiter.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const WINDOW_MS = 60_000

const open = (options: Partial<FixedWindowOptions>): FixedWindow =>
  new FixedWindow({ clientMax: 2, globalMax: 3, windowMs: WINDOW_MS, seed: seedOf(1), ...options })

/** What a decision left behind, to compare in one go. */
const report = (window: FixedWindow | MapWindow): unknown[] => [
  window.refusedBy,
  window.clientRemaining,
  window.globalRemaining,
  window.remainingMs,
]

t.test('a client and all clients together are counted at once', async (t) => {
  const window = open({})
  const steps: [client: number, nowMs: number, admitted: boolean, report: unknown[]][] = [
    [1, 0, true, [null, 1, 2, 60_000]],
    [1, 10_000, true, [null, 0, 1, 50_000]],
    [1, 20_000, false, ['client', 0, 1, 40_000]],
    [2, 30_000, true, [null, 1, 0, 30_000]],
    [2, 40_000, false, ['global', 1, 0, 20_000]],
    [1, 50_000, false, ['client', 0, 0, 10_000]],
    [3, 59_999.5, false, ['global', 2, 0, 0.5]],
    [3, 60_000, true, [null, 1, 2, 60_000]],
    [1, 119_999, true, [null, 1, 1, 1]],
    [1, 360_001, true, [null, 1, 2, 59_999]],
  ]
  for (const [index, [client, nowMs, admitted, expected]] of steps.entries()) {
    t.equal(window.at(nowMs).take(0, client), admitted, `step ${index}`)
    t.same(report(window), expected, `step ${index}`)
  }
})

t.test('peeking shows how a request would be decided, and spends nothing', async (t) => {
  const window = open({})
  for (let i = 0; i < 9; i++) t.equal(window.at(0).peek(0, 1, 1), true)
  t.same(report(window), [null, 2, 3, 60_000])
  for (let i = 0; i < 3; i++) window.at(0).take(0, 1)
  t.equal(window.at(1).peek(0, 1, 1), false)
  t.same(report(window), ['client', 0, 1, 59_999])
  t.equal(window.at(60_000).peek(0, 1, 1), true)
})

t.test('what was done already costs as much as is left, and the next is refused by its cost', async (t) => {
  const window = open({ clientMax: 10, globalMax: Infinity })
  window.at(0).charge(0, 1, 4)
  t.equal(window.clientRemaining, 6)
  t.equal(window.at(0).peek(0, 1, 6), true)
  t.equal(window.at(0).peek(0, 1, 7), false)
  t.equal(window.refusedBy, 'client')
  window.at(0).charge(0, 1, 0)
  window.at(0).charge(0, 1, 1_000)
  t.equal(window.clientRemaining, 0)
  t.equal(window.at(0).peek(0, 1, 1), false)
  t.equal(window.at(0).peek(0, 2, 10), true, 'another client has its own')
  t.equal(window.at(0).peek(0, 2, 11), true, 'of which all is enough for anything')
  t.equal(window.at(60_000).peek(0, 1, 10), true, 'and so has this one in the next window')
})

t.test('what was done already costs no more than all clients together have left', async (t) => {
  const window = open({ clientMax: 10, globalMax: 6 })
  window.at(0).charge(0, 1, 4)
  t.same([window.clientRemaining, window.globalRemaining], [6, 2])
  window.at(0).charge(0, 2, 5)
  t.same([window.clientRemaining, window.globalRemaining], [8, 0])
  window.at(0).charge(0, 3, 1)
  t.same([window.clientRemaining, window.globalRemaining, window.at(0).globalSpent()], [10, 0, 6])
})

t.test('a cost of nothing opens no slot', async (t) => {
  const window = open({ clientMax: 1, globalMax: Infinity, maxClients: 1 })
  window.at(0).charge(0, 1, 0)
  t.ok(window.at(0).take(0, 2), 'the one slot')
  t.ok(window.at(0).take(0, 3), 'the shared one')
  t.notOk(window.at(0).take(0, 4))
})

t.test('all 64 bits distinguish clients, signed or not', async (t) => {
  for (const seed of [seedOf(1), COLLIDING_SEED]) {
    const window = open({ clientMax: 1, globalMax: 1_000, seed })
    for (let bit = 0; bit < 32; bit++) {
      t.ok(window.at(0).take(1 << bit, 0), `upper bit ${bit}`)
      t.ok(window.at(0).take(0, 1 << bit), `lower bit ${bit}`)
    }
    for (let bit = 0; bit < 32; bit++) {
      t.notOk(window.at(0).take((1 << bit) >>> 0, 0), `upper bit ${bit}, unsigned`)
      t.notOk(window.at(0).take(0, (1 << bit) >>> 0), `lower bit ${bit}, unsigned`)
    }
  }
})

t.test('a clock that steps back, or is not a number, lifts no limit', async (t) => {
  const window = open({})
  t.ok(window.at(130_000).take(0, 1))
  t.ok(window.at(130_000).take(0, 1))
  for (const nowMs of [129_999, 60_000, 0, -1, Number.NaN])
    t.notOk(window.at(nowMs).take(0, 1), String(nowMs))
  window.at(100_000).peek(0, 1, 1)
  t.equal(window.remainingMs, 80_000, 'the hint still names the end of the window')
  t.notOk(window.at(179_999).take(0, 1))
  t.ok(window.at(180_000).take(0, 1))
})

t.test('a lifted limit never refuses', async (t) => {
  const unlimited = open({ clientMax: Infinity, globalMax: Infinity })
  for (let i = 0; i < 1_000; i++) if (!unlimited.at(0).take(0, 1)) t.fail(`refused ${i}`)
  t.same(report(unlimited), [null, Infinity, Infinity, 60_000])

  const global = open({ clientMax: Infinity, globalMax: 100 })
  for (let i = 0; i < 100; i++) if (!global.at(0).take(0, i % 3)) t.fail(`refused ${i}`)
  t.notOk(global.at(0).take(0, 7))
  t.same(report(global), ['global', Infinity, 0, 60_000])

  const client = open({ clientMax: 2, globalMax: Infinity })
  for (let i = 0; i < 200_000; i++)
    if (client.at(0).take(0, i >> 2) !== (i & 3) < 2) t.fail(`wrong answer ${i}`)
  t.same(report(client), ['client', 0, Infinity, 60_000])
})

t.test('agrees with a Map for as many random steps as there are samples', async (t) => {
  const steps = Math.ceil(150_000 * SAMPLES)
  const shapes: [name: string, options: Partial<FixedWindowOptions>, clients: number][] = [
    ['tight', {}, 5],
    ['the default read budget', { clientMax: 60, globalMax: 1_200 }, 40],
    ['as many clients as requests', { clientMax: 4, globalMax: 64 }, 1_000],
    ['one request in all', { clientMax: 1, globalMax: 1 }, 3],
    ['all clients collide', { clientMax: 4, globalMax: 64, seed: COLLIDING_SEED }, 100],
    ['fewer slots than clients', { clientMax: 4, globalMax: 64, maxClients: 8 }, 30],
    ['one slot', { clientMax: 4, globalMax: 64, maxClients: 1 }, 30],
    ['no slot at all', { clientMax: 4, globalMax: 64, maxClients: 0 }, 30],
    ['no global limit', { clientMax: 4, globalMax: Infinity, maxClients: 8 }, 30],
    ['no client limit', { clientMax: Infinity, globalMax: 64 }, 30],
  ]
  for (const [index, [name, shape, clients]] of shapes.entries()) {
    const seed = 0x5eed + index
    const next = randomWords(seed)
    const options = { clientMax: 2, globalMax: 3, windowMs: 1_000, seed: seedOf(seed), ...shape }
    const window = new FixedWindow(options)
    const oracle = new MapWindow(options)
    let nowMs = 0
    for (let step = 0; step < steps; step++) {
      const jump = next() % 100
      nowMs = Math.max(
        0,
        nowMs + (jump === 0 ? 2_500 : jump === 1 ? -300 : jump < 30 ? (next() % 40) / 8 : 0),
      )
      const client = next() % clients
      const hi = Math.imul(client % 3, 0x9e3779b1)
      const lo = Math.floor(client / 3) << 16
      const spend = next() % 4 !== 0
      const expected = oracle.take(hi, lo, nowMs, spend)
      const actual = spend ? window.at(nowMs).take(hi, lo) : window.at(nowMs).peek(hi, lo, 1)
      const same =
        actual === expected &&
        window.refusedBy === oracle.refusedBy &&
        window.clientRemaining === oracle.clientRemaining &&
        window.globalRemaining === oracle.globalRemaining &&
        window.remainingMs === oracle.remainingMs
      if (!same)
        return t.same(
          [actual, report(window)],
          [expected, report(oracle)],
          `${name}: seed ${seed}, step ${step}`,
        )
    }
    t.pass(name)
  }
})

t.test('no interleaving of clients and times admits more than either limit', async (t) => {
  const calls = fc.array(fc.tuple(fc.nat(6), fc.nat(700)), { maxLength: 200 })
  const limits = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.nat(20), fc.nat(6))
  const property = fc.property(
    calls,
    limits,
    fc.boolean(),
    (steps, [clientMax, extra, maxClients], collide) => {
      const globalMax = clientMax + extra
      const seed = collide ? COLLIDING_SEED : seedOf(extra)
      const window = new FixedWindow({ clientMax, globalMax, windowMs: 1_000, seed, maxClients })
      const admitted = new Map<string, number>()
      let nowMs = 0
      for (const [client, stepMs] of steps) {
        nowMs += stepMs
        if (!window.at(nowMs).take(client, client)) continue
        const turn = Math.floor(nowMs / 1_000)
        for (const key of [`${turn}`, `${turn}:${client}`]) admitted.set(key, (admitted.get(key) ?? 0) + 1)
      }
      for (const [key, count] of admitted)
        if (count > (key.includes(':') ? clientMax : globalMax)) return false
      return true
    },
  )
  t.doesNotThrow(() => fc.assert(property))
})

t.test('a refusal costs nothing to either limit', async (t) => {
  const clients = fc.array(fc.nat(4), { maxLength: 30 })
  const property = fc.property(clients, clients, clients, (spent, asking, later) => {
    // Two windows in the same state; one of them refuses some requests on top.
    const tried = open({ clientMax: 3, globalMax: 8 })
    const other = open({ clientMax: 3, globalMax: 8 })
    for (const client of spent) if (tried.at(0).take(0, client) !== other.at(0).take(0, client)) return false
    for (const client of asking) if (!tried.at(1).peek(0, client, 1)) tried.at(1).take(0, client)
    for (const client of later) {
      if (tried.at(2).take(0, client) !== other.at(2).take(0, client)) return false
      if (String(report(tried)) !== String(report(other))) return false
    }
    return true
  })
  t.doesNotThrow(() => fc.assert(property))
})

t.test('after the time that a refusal names, and not before, the client is admitted', async (t) => {
  const start = fc.oneof(fc.nat(200_000), fc.double({ min: 0, max: 1e9, noNaN: true }))
  const property = fc.property(start, fc.nat(59_999), (nowMs, waitMs) => {
    const window = open({ clientMax: 1, globalMax: 1 })
    window.at(nowMs).take(0, 1)
    if (window.at(nowMs).take(0, 1)) return false
    const { remainingMs } = window
    if (waitMs < remainingMs - 0.001 && window.at(nowMs + waitMs).take(0, 1)) return false
    return remainingMs > 0 && remainingMs <= WINDOW_MS && window.at(nowMs + Math.ceil(remainingMs)).take(0, 1)
  })
  t.doesNotThrow(() => fc.assert(property))
})

t.test('a full ring forgets no client within the window, and lifts no limit', async (t) => {
  const window = open({ clientMax: 2, globalMax: Infinity, maxClients: 1_000 })
  for (let turn = 0; turn < 3; turn++) {
    const nowMs = turn * WINDOW_MS
    const all = (): boolean[] =>
      Array.from({ length: 1_000 }, (_, client) => window.at(nowMs).take(turn, client))
    t.notOk(all().includes(false), 'everybody has a first request')
    const flood = Array.from({ length: 50_000 }, (_, i) => window.at(nowMs).take(turn, 1_000 + i))
    t.equal(flood.filter(Boolean).length, 2, 'the flood has one counter')
    t.notOk(all().includes(false), 'the flood took nothing from those counted before it')
    t.notOk(all().includes(true), 'and gave them nothing')
  }
})

t.test(
  'a window that outgrows its first ring forgets no client, and the next one begins empty',
  async (t) => {
    const window = open({ clientMax: 3, globalMax: Infinity })
    const CLIENTS = 1_500
    const taken = Array.from({ length: CLIENTS }, () => 0)
    for (let turn = 0; turn < 2; turn++) {
      taken.fill(0)
      for (let step = 0; step < 5 * CLIENTS; step++) {
        const client = (step * 7) % CLIENTS
        if (window.at(turn * WINDOW_MS).take(0x80000000 + client, client)) taken[client]!++
      }
      t.notOk(taken.some((count) => count !== 3))
    }
  },
)

t.test('memory is taken only for counted clients', async (t) => {
  // Held, so that none is freed while the next one is measured.
  const windows: FixedWindow[] = []
  const grown = (clientMax: number, globalMax: number, clients = 1): number => {
    collectGarbage()
    const before = process.memoryUsage().arrayBuffers
    const window = new FixedWindow({ clientMax, globalMax, windowMs: WINDOW_MS, seed: COLLIDING_SEED })
    windows.push(window)
    for (let client = 0; client < clients; client++) window.at(0).take(0, client)
    const after = process.memoryUsage().arrayBuffers
    return window.at(0).take(0, 0) ? after - before : Number.NaN
  }
  t.ok(grown(Infinity, Infinity) < 100, 'no limit per client, no ring')
  // Slots of 16 bytes, one for each client that there is room for and one for those beyond, and two rows of 4.
  for (const [globalMax, clients] of [
    [1_200, 1],
    [Infinity, 1],
    [Infinity, 1_024],
  ] as const) {
    const bytes = grown(60, globalMax, clients)
    t.ok(bytes >= 24 * 1_024 && bytes < 28 * 1_024, `${clients} of ${globalMax}: ${bytes}`)
  }
  t.ok(grown(60, Infinity, 1_025) > 24 * 2 ** 20, 'more than the first ring has room for')
  t.ok(grown(60, Infinity, 1_025) < 24 * 2 ** 20 + 2 ** 17, 'the largest ring')
})

t.test('two hundred thousand addresses in a window leave memory as it was', async (t) => {
  for (const globalMax of [1_200, Infinity]) {
    const window = open({ clientMax: 60, globalMax })
    const flood = (turn: number): void => {
      for (let i = 0; i < 200_000; i++) window.at(turn * WINDOW_MS).take(Math.imul(i, 0x85ebca6b), i)
    }
    flood(0)
    collectGarbage()
    const before = process.memoryUsage()
    flood(1)
    flood(2)
    collectGarbage()
    const after = process.memoryUsage()
    t.ok(after.arrayBuffers <= before.arrayBuffers, `array buffers, global limit ${globalMax}`)
    // A Map with as many keys takes about 16 MB.
    t.ok(after.heapUsed - before.heapUsed < 2 ** 20, `heap, global limit ${globalMax}`)
  }
})

t.test('a decision allocates nothing, at any time with a fraction, and in a window that turns', async (t) => {
  const window = open({ clientMax: 60, globalMax: 1_200 })
  const clock = new Float64Array(1)
  const decide = (times: number): number => {
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < times; i++) window.at((clock[0]! += 100.25)).take(i, i & 1_023)
    return process.memoryUsage().heapUsed - before
  }
  // The interpreter boxes numbers with a fraction. A round without a box comes once V8 has compiled it.
  let bytes = Infinity
  for (let round = 0; round < 1_000 && bytes >= 10_000; round++) bytes = Math.abs(decide(10_000))
  t.ok(bytes < 10_000, `${bytes} bytes for 10,000 decisions`)
})

t.test('the seed spreads clients that would collide', async (t) => {
  const fill = (seed: Int32Array): number => {
    const window = open({ clientMax: 1, globalMax: 8_000, seed })
    const before = process.cpuUsage()
    for (let client = 0; client < 8_000; client++) if (!window.at(0).take(0, client)) t.fail('refused')
    for (let client = 0; client < 8_000; client++) if (window.at(0).take(0, client)) t.fail('forgotten')
    return process.cpuUsage(before).user
  }
  fill(seedOf(2)) // warm up
  const colliding = fill(COLLIDING_SEED)
  t.ok(fill(seedOf(3)) < colliding / 4, 'collisions cost a walk each, and the seed avoids them')
})

t.test('refuses options out of range', async (t) => {
  const limits = [0, -1, 1.5, Number.NaN, -Infinity, 2 ** 31]
  t.doesNotThrow(() =>
    open({ clientMax: 2 ** 31 - 1, globalMax: 2 ** 31 - 1, maxClients: 1, windowMs: 1_000 }),
  )
  for (const clientMax of limits) t.throws(() => open({ clientMax }), TypeError, `client ${clientMax}`)
  for (const globalMax of limits) t.throws(() => open({ globalMax }), TypeError, `global ${globalMax}`)
  for (const windowMs of [0, 999, 1_000.5, Infinity, Number.NaN, -60_000]) {
    t.throws(() => open({ windowMs }), TypeError, `window ${windowMs}`)
  }
  t.throws(() => open({ seed: new Int32Array(2) }), TypeError, 'seed')
})
