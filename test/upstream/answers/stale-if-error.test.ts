import t from 'tap'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import type { Logger } from '../../../src/runtime/log.ts'
import { StaleIfErrorCache } from '../../../src/upstream/answers/stale-if-error.ts'
import { handClock } from '../../fixtures/clock.ts'

const HOUR = 3_600_000
const KEEP_MS = 10_000

/** A cache of the answers of a source that does as a test says. */
function caching(bounds: { max?: number; maxBytes?: number; maxPending?: number } = {}) {
  const clock = handClock()
  const faults: unknown[] = []
  const log = { error: (fields: unknown) => void faults.push(fields) } as unknown as Logger
  const cache = new StaleIfErrorCache<string>({
    clock,
    log,
    max: 100,
    maxBytes: 100_000,
    maxPending: 100,
    ...bounds,
  })
  const source = { asked: 0, behaviour: async (): Promise<string | null> => 'it' }
  const ask = (key = 'a', scope: CancellationScope | null = null) =>
    cache.ask(
      {
        key,
        provider: 'one',
        keepMs: KEEP_MS,
        ask: () => {
          source.asked++
          return source.behaviour()
        },
      },
      scope,
    )
  return { clock, cache, source, ask, faults }
}

const fails = async (): Promise<never> => {
  throw new GatewayError('upstream_failed', 'no', { retryAfterMs: 500 })
}
const FAILURE = { code: 'upstream_failed', retryAfterMs: 500 } as const

t.test('a fresh answer is fetched once, and concurrent callers share the fetch', async (t) => {
  const { clock, cache, source, ask } = caching()
  const at = clock.date()
  const given = { kind: 'given', value: 'it', at, staleBy: null } as const
  t.strictSame(await Promise.all([ask(), ask()]), [given, given])
  t.equal(source.asked, 1)
  clock.advance(KEEP_MS - 1)
  t.strictSame(await ask(), given)
  t.equal(source.asked, 1)
  clock.advance(1)
  t.strictSame(await ask(), { ...given, at: at + KEEP_MS })
  t.equal(source.asked, 2)
  const json = JSON.stringify({ value: 'it', at: at + KEEP_MS, freshUntil: clock.now() + KEEP_MS })
  t.strictSame(cache.cache, { asked: 2, coalesced: 1, cached: 1, entries: 1, bytes: 1 + json.length })
})

t.test('in place of a failure, the last answer is given for an hour', async (t) => {
  const { clock, source, ask } = caching()
  const at = clock.date()
  await ask()
  source.behaviour = fails
  clock.advance(KEEP_MS)
  const stale = { kind: 'given', value: 'it', at, staleBy: FAILURE } as const
  t.strictSame(await ask(), stale)
  t.strictSame(await ask(), stale)
  t.equal(source.asked, 3, 'it is asked again each time')
  clock.advance(HOUR - 1)
  t.strictSame(await ask(), stale)
  clock.advance(2)
  t.strictSame(await ask(), { kind: 'failed', failure: FAILURE })
  t.strictSame(await ask('b'), { kind: 'failed', failure: FAILURE }, 'nothing was ever answered')
})

t.test('an empty answer is kept for a minute, and never served in place of a failure', async (t) => {
  const { clock, source, ask } = caching()
  const at = clock.date()
  source.behaviour = async () => null
  t.strictSame(await ask(), { kind: 'none', at })
  source.behaviour = fails
  clock.advance(59_999)
  t.strictSame(await ask(), { kind: 'none', at })
  t.equal(source.asked, 1)
  clock.advance(1)
  t.strictSame(await ask(), { kind: 'failed', failure: FAILURE })
})

t.test('a bug is logged, and costs only its own answer', async (t) => {
  const { source, ask, faults } = caching()
  const bug = new TypeError('x is undefined')
  source.behaviour = async () => {
    throw bug
  }
  const failed = { kind: 'failed', failure: { code: 'internal_error', retryAfterMs: null } }
  t.strictSame(await ask(), failed)
  t.strictSame(faults, [{ provider: 'one', err: bug }])
  source.behaviour = async () => 'it'
  t.match(await ask(), { kind: 'given' })
})

t.test('beyond the bound no new call is made, but identical ones still join', async (t) => {
  const { source, ask } = caching({ maxPending: 2 })
  let answer = (): void => {}
  const open = new Promise<void>((resolve) => (answer = resolve))
  source.behaviour = () => open.then(() => 'it')
  const pending = [ask('a'), ask('b')]
  const tooMany = { code: 'upstream_rate_limited', retryAfterMs: 2_000 } as const
  t.strictSame(await ask('c'), { kind: 'failed', failure: tooMany })
  pending.push(ask('a'))
  answer()
  for (const one of await Promise.all(pending)) t.match(one, { kind: 'given', value: 'it' })
  t.equal(source.asked, 2)
  t.match(await ask('c'), { kind: 'given' })
})

t.test('a call continues when its client leaves', async (t) => {
  const { source, ask } = caching()
  let answer = (): void => {}
  const open = new Promise<void>((resolve) => (answer = resolve))
  source.behaviour = () => open.then(() => 'it')
  const scope = new CancellationScope('a')
  const asked = ask('a', scope)
  scope.cancel()
  answer()
  t.match(await asked, { kind: 'given', value: 'it' })
})

t.test('it bounds the number of answers and their bytes', async (t) => {
  const few = caching({ max: 2 })
  for (const key of ['a', 'b', 'c']) await few.ask(key)
  t.equal(few.cache.cache.entries, 2)
  await few.ask('c')
  await few.ask('b')
  t.equal(few.source.asked, 3)
  await few.ask('a')
  t.equal(few.source.asked, 4, 'the oldest had gone')

  const small = caching({ maxBytes: 200 })
  small.source.behaviour = async () => 'x'.repeat(50)
  for (const key of ['a', 'b']) await small.ask(key)
  t.equal(small.cache.cache.entries, 1)
  t.ok(small.cache.cache.bytes! <= 200)
})
