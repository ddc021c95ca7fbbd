import t from 'tap'
import {
  BakeOff,
  BakeOffReport,
  type PairClass,
  type ProviderRun,
  pairClassOf,
  type RaceEvent,
  RaceEvent as RaceEventSchema,
} from '../../../src/http/counts/bake-off.ts'
import type { SizeClass } from '../../../src/http/counts/truth.ts'
import { Check } from '../../fixtures/check.ts'
import { clockOf } from '../../fixtures/clock.ts'
import { collectGarbage } from '../../fixtures/garbage.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const START = Date.UTC(2026, 10, 22)

function bakeOffAt(start = START) {
  const world = { date: start }
  return { bakeOff: new BakeOff(clockOf({ date: () => world.date })), world }
}

const run = (provider: string, changes: Partial<ProviderRun> = {}): ProviderRun => ({
  provider,
  outcome: 'offered',
  code: null,
  ms: 100,
  distanceBps: 5,
  ...changes,
})
const won = (provider: string, ms = 3): ProviderRun => run(provider, { outcome: 'won', ms, distanceBps: 0 })
const failed = (provider: string, code: string): ProviderRun =>
  run(provider, { outcome: 'failed', code, distanceBps: null })

t.test('providers are compared by chain', async (t) => {
  const { bakeOff, world } = bakeOffAt()
  t.same(bakeOff.report('1h'), { range: '1h', since: START, from: START, asOf: START, chains: [] })
  const late = run('c', { outcome: 'late', ms: null, distanceBps: null })
  const outlier = run('c', { outcome: 'outlier', distanceBps: null, ms: 1 })
  bakeOff.record({
    chain: 'base',
    side: 'buy',
    pair: 'native-stable',
    size: null,
    runs: [won('a'), run('b'), late],
  })
  bakeOff.record({
    chain: 'base',
    side: 'sell',
    pair: 'native-stable',
    size: null,
    runs: [won('a', 7), failed('b', 'no_route'), outlier],
  })
  bakeOff.record({
    chain: 'base',
    side: 'sell',
    pair: 'native-stable',
    size: null,
    runs: [failed('a', 'no_route'), failed('b', 'no_route')],
  })
  bakeOff.record({ chain: 'arbitrum', side: 'buy', pair: 'native-stable', size: null, runs: [won('b')] })
  world.date += 1
  const report = bakeOff.report('1h')
  t.ok(Check(BakeOffReport, report))
  const none = {
    answered: 0,
    won: 0,
    outliers: 0,
    late: 0,
    failed: 0,
    failures: {},
    promises: [],
    medianMs: null,
    medianAheadBps: null,
  }
  const chains = report.chains.map(({ pairs: _, sizes: __, ...rest }) => rest)
  t.same(chains, [
    {
      chain: 'arbitrum',
      races: 1,
      answered: 1,
      providers: [
        { ...none, provider: 'b', asked: 1, answered: 1, won: 1, medianMs: 3, medianDistanceBps: 0 },
      ],
    },
    {
      chain: 'base',
      races: 3,
      answered: 2,
      providers: [
        {
          ...none,
          provider: 'a',
          asked: 3,
          answered: 2,
          won: 2,
          failed: 1,
          failures: { no_route: 1 },
          medianMs: 3,
          medianAheadBps: 5,
          medianDistanceBps: 0,
        },
        {
          ...none,
          provider: 'b',
          asked: 3,
          answered: 1,
          failed: 2,
          failures: { no_route: 2 },
          medianMs: 103,
          medianDistanceBps: 5,
        },
        {
          ...none,
          provider: 'c',
          asked: 2,
          answered: 1,
          outliers: 1,
          late: 1,
          medianMs: 1,
          medianDistanceBps: null,
        },
      ],
    },
  ])
  t.same(bakeOff.report('7d').chains, report.chains)
})

t.test('each class of pairs says who won, by how much, and who failed of what', async (t) => {
  const { bakeOff, world } = bakeOffAt()
  const record = (pair: PairClass, runs: readonly ProviderRun[], chain = 'base'): void =>
    bakeOff.record({ chain, side: 'sell', pair, size: null, runs })
  const behind = (provider: string, distanceBps: number) => run(provider, { distanceBps })
  record('stable-stable', [won('a'), behind('b', 2), behind('c', 7)])
  record('stable-stable', [won('a'), failed('b', 'no_route'), behind('c', 4)])
  record('stable-stable', [behind('a', 0), run('b', { outcome: 'won', distanceBps: 3 })])
  record('native-token', [won('b'), failed('a', 'upstream_timeout')])
  record('native-token', [won('b'), failed('a', 'no_route')], 'bsc')
  const [base, bsc] = bakeOff.report('24h').chains
  t.ok(Check(BakeOffReport, bakeOff.report('24h')))
  t.match(base!.pairs, [
    {
      pair: 'stable-stable',
      races: 3,
      answered: 3,
      providers: [
        { provider: 'a', asked: 3, won: 2, medianAheadBps: 2 },
        { provider: 'b', won: 1, medianAheadBps: 0, failed: 1, failures: { no_route: 1 } },
        { provider: 'c', asked: 2, won: 0, medianAheadBps: null },
      ],
    },
    {
      pair: 'native-token',
      races: 1,
      providers: [
        { provider: 'b', won: 1, medianAheadBps: null },
        { provider: 'a', failed: 1, failures: { upstream_timeout: 1 } },
      ],
    },
  ])
  t.match(bsc!.pairs, [{ pair: 'native-token', races: 1 }])
  t.equal(base!.races, 4)
  world.date = START + 169 * HOUR_MS
  t.same(bakeOff.report('7d').chains, [])
  t.equal(pairClassOf('token', 'native'), pairClassOf('native', 'token'))
})

t.test('each size says how long offers took, and who failed of what', async (t) => {
  const { bakeOff, world } = bakeOffAt()
  const record = (size: SizeClass | null, ...runs: readonly ProviderRun[]): void => {
    bakeOff.record({ chain: 'base', side: 'sell', pair: 'native-stable', size, runs })
  }
  record('large', won('a', 7), failed('b', 'no_route'))
  record('large', won('a', 5), failed('b', 'upstream_timeout'))
  record('small', won('b', 3), run('a', { ms: 2 }))
  record(null, won('b', 1))
  const report = bakeOff.report('24h')
  t.ok(Check(BakeOffReport, report))
  const [base] = report.chains
  t.match(base, { races: 4, pairs: { length: 1 }, sizes: { length: 2 } }, 'a race counts once')
  t.match(base!.sizes, [
    {
      size: 'small',
      races: 1,
      providers: [
        { provider: 'b', medianMs: 3 },
        { provider: 'a', medianMs: 2 },
      ],
    },
    {
      size: 'large',
      races: 2,
      providers: [
        { provider: 'a', won: 2, medianMs: 5, failures: {} },
        { provider: 'b', medianMs: null, failed: 2, failures: { no_route: 1, upstream_timeout: 1 } },
      ],
    },
  ])
  t.match(base!.pairs[0]!.providers, [{ provider: 'a' }, { provider: 'b', medianMs: 1 }])
  world.date = START + 23 * HOUR_MS
  record('small', won('a'))
  world.date = START + 24 * HOUR_MS
  t.match(bakeOff.report('24h').chains, [{ sizes: [{ size: 'small', races: 1 }] }])
  t.equal(bakeOff.report('24h').chains[0]!.sizes.length, 1)
})

t.test('pairs are counted to the minute, and a chain is all of its pairs', async (t) => {
  const { bakeOff, world } = bakeOffAt()
  bakeOff.record({ chain: 'base', side: 'buy', pair: 'native-stable', size: null, runs: [won('a')] })
  world.date = START + 59 * MINUTE_MS
  bakeOff.record({
    chain: 'base',
    side: 'buy',
    pair: 'native-token',
    size: null,
    runs: [failed('a', 'no_route')],
  })
  t.match(bakeOff.report('1h').chains, [{ races: 2, answered: 1, pairs: [{ races: 1 }, { races: 1 }] }])
  world.date += MINUTE_MS
  t.match(bakeOff.report('1h').chains, [{ races: 1, pairs: [{ pair: 'native-token', answered: 0 }] }])
  t.equal(bakeOff.report('1h').chains[0]!.pairs.length, 1)
})

t.test('a range ends, to the minute and to the hour', async (t) => {
  const { bakeOff, world } = bakeOffAt()
  const racesIn = (range: '1h' | '24h' | '7d') => bakeOff.report(range).chains[0]?.races ?? 0
  bakeOff.record({ chain: 'base', side: 'buy', pair: 'native-stable', size: null, runs: [won('a')] })
  world.date = START + 59 * MINUTE_MS
  t.equal(racesIn('1h'), 1)
  world.date += MINUTE_MS
  t.same([racesIn('1h'), racesIn('24h'), racesIn('7d')], [0, 1, 1])
  t.equal(bakeOff.report('1h').from, START + MINUTE_MS)
  world.date = START + 24 * HOUR_MS - 1
  t.equal(racesIn('24h'), 1)
  world.date++
  t.same([racesIn('24h'), racesIn('7d')], [0, 1])
  world.date = START + 168 * HOUR_MS
  t.equal(racesIn('7d'), 0)
  bakeOff.record({ chain: 'base', side: 'buy', pair: 'native-stable', size: null, runs: [won('a')] })
  t.same(
    [racesIn('1h'), racesIn('24h'), racesIn('7d')],
    [1, 1, 1],
    'what has the place of an old one begins at none',
  )
})

t.test('memory does not grow with the races', async (t) => {
  const { bakeOff, world } = bakeOffAt()
  const runs = ['a', 'b', 'c', 'd'].map((provider) => failed(provider, 'no_route'))
  const record = (): void => {
    for (let at = 0; at < 2_000; at++) {
      bakeOff.record({ chain: 'base', side: 'buy', pair: 'native-stable', size: null, runs })
      world.date += 10 * MINUTE_MS
    }
  }
  record()
  await collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  record()
  await collectGarbage()
  const more = process.memoryUsage().arrayBuffers - before
  t.ok(more < 100_000, `${more} bytes more`)
})

t.test('a race is sent when it is decided, to those that watch', async (t) => {
  const { bakeOff } = bakeOffAt()
  const told: RaceEvent[] = []
  const end = bakeOff.watch((event) => told.push(event))
  bakeOff.record({
    chain: 'base',
    side: 'buy',
    pair: 'native-stable',
    size: null,
    runs: [won('a', 12.7), failed('b', 'no_route')],
  })
  end()
  bakeOff.record({ chain: 'base', side: 'buy', pair: 'native-stable', size: null, runs: [won('a')] })
  t.same(told, [
    {
      at: START,
      chain: 'base',
      side: 'buy',
      providers: [
        { provider: 'a', outcome: 'won', code: null, ms: 13, distanceBps: 0 },
        { provider: 'b', outcome: 'failed', code: 'no_route', ms: 100, distanceBps: null },
      ],
    },
  ])
  t.ok(Check(RaceEventSchema, told[0]))
})
