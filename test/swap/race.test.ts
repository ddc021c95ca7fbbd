import t from 'tap'
import { CHAINS } from '../../src/chains/chains.ts'
import type { Call } from '../../src/flow/call.ts'
import { CancellationScope } from '../../src/flow/cancellation.ts'
import type { RaceEnd } from '../../src/http/counts/bake-off.ts'
import type { Order, OutputOrder } from '../../src/proof/terms/order.ts'
import type { ProvedProvider } from '../../src/providers/proved.ts'
import type { Offer } from '../../src/providers/provider.ts'
import { sleep } from '../../src/runtime/clock.ts'
import { GatewayError } from '../../src/runtime/errors.ts'
import { UNPRICED } from '../../src/swap/fair.ts'
import { judged, offeredBytes, type Race, race } from '../../src/swap/race.ts'
import { callOf } from '../fixtures/call.ts'
import { clockOf, handClock, nextTurn } from '../fixtures/clock.ts'

/** Its soft deadlines pass once all that is at hand was told. */
const HASTY = clockOf({ after: nextTurn })

const order: Order = {
  chain: CHAINS[0]!,
  side: 'buy',
  tokenIn: { address: 'native', isNative: true, decimals: 18 },
  tokenOut: { address: '0x1', isNative: false, decimals: 6 },
  amountIn: 10n ** 18n,
  slippageBps: 300,
  from: null,
}

const offer = (expectedOut: bigint): Offer => ({
  expectedOut,
  minOut: expectedOut - 1n,
  priceImpactPct: null,
  details: {},
  raw: '{}',
})

interface Runner extends ProvedProvider {
  cancelled: boolean
}

/** A provider that answers what it is told to, when it is told to; never, for null. */
function runner(label: string, answer: () => Promise<Offer> | null): Runner {
  const provider: Runner = {
    label,
    freshMs: 10_000,
    chains: new Set(['ethereum']),
    cancelled: false,
    quote(_order: Order, { scope }: Call) {
      const answered = answer()
      if (answered !== null) return answered
      return new Promise((_resolve, reject) => {
        scope!.watch({
          cancel: () => {
            provider.cancelled = true
            reject(new GatewayError('upstream_unavailable', 'The call was given up.'))
          },
        })
      })
    },
    buildProved: () => Promise.reject(new Error('not built here')),
  }
  return provider
}

const offers = (label: string, out: bigint): Runner => runner(label, async () => offer(out))
const fails = (label: string, error: GatewayError): Runner =>
  runner(label, async () => {
    throw error
  })
const UNCOUNTED = { gasUsd: null, netOut: null }
const noRoute = new GatewayError('no_route', 'No route.')
const down = new GatewayError('upstream_timeout', 'Too late.')

t.test('an offer of a lower level wins only if it gives more than 5 bps more', async (t) => {
  const lower = (out: bigint): Runner => ({ ...offers('lower', out), reaches: 'simulated' })
  const winnerOf = async (...entrants: Runner[]) =>
    (await race(order, entrants, callOf(60_000, null, 'quote', HASTY))).winner.provider.label
  const out = 10_000_000n
  t.equal(await winnerOf(lower(out + 1n), offers('proved', out)), 'proved')
  t.equal(await winnerOf(offers('proved', out), lower(out + 5_000n)), 'proved', '5 bps more')
  t.equal(await winnerOf(offers('proved', out), lower(out + 5_010n)), 'lower', 'above')
  t.equal(
    await winnerOf(lower(out + 1n), { ...offers('like', out), reaches: 'simulated' }),
    'lower',
    'one level',
  )
  t.equal(await winnerOf(lower(out), fails('proved', noRoute)), 'lower', 'no other offer')
  const { alternatives } = await race(
    order,
    [lower(out + 3_000n), offers('proved', out)],
    callOf(60_000, null, 'quote', HASTY),
  )
  t.match(alternatives, [{ provider: 'lower', outcome: 'offered', behindBps: 2 }])
})

t.test('the largest expectedOut wins, ties go to the preferred, and the losers are listed', async (t) => {
  const won = await race(
    order,
    [offers('a', 5n), offers('b', 7n), fails('c', noRoute), offers('d', 7n)],
    callOf(),
  )
  t.equal(won.winner.provider.label, 'b')
  t.equal(won.winner.offer.expectedOut, 7n)
  t.same(won.alternatives, [
    { provider: 'a', outcome: 'offered', expectedOut: '5', minOut: '4', ...UNCOUNTED, behindBps: 2_857 },
    { provider: 'c', outcome: 'failed', code: 'no_route', error: 'No route.' },
    { provider: 'd', outcome: 'offered', expectedOut: '7', minOut: '6', ...UNCOUNTED, behindBps: 0 },
  ])
})

t.test('a hung provider costs the soft deadline, and has its own to fail at', async (t) => {
  const hung = runner('hung', () => null)
  const won = await race(order, [hung, offers('b', 1n)], callOf(60_000, null, 'quote', HASTY), {
    softMs: 20,
  })
  t.equal(won.winner.provider.label, 'b')
  t.same(won.alternatives, [{ provider: 'hung', outcome: 'late' }])
  t.notOk(hung.cancelled, 'its breaker would not hear of it')
})

t.test('without an offer at the soft deadline, the first to arrive answers', async (t) => {
  const clock = handClock()
  const slow = runner('slow', () => sleep(clock, 60).then(() => offer(3n)))
  const racing = race(order, [runner('hung', () => null), slow], callOf(60_000, null, 'quote', clock), {
    softMs: 10,
  })
  clock.advance(10)
  await new Promise(setImmediate)
  clock.advance(50)
  const won = await racing
  t.equal(won.winner.provider.label, 'slow')
})

t.test('without an offer, an error that the client can correct comes first', async (t) => {
  await t.rejects(race(order, [fails('a', down), fails('b', noRoute)], callOf()), noRoute)
  await t.rejects(race(order, [fails('a', down)], callOf()), down)
  const other = new GatewayError('upstream_unavailable', 'Gone.')
  await t.rejects(race(order, [fails('a', down), fails('b', other)], callOf()), down)
})

t.test('a caller that leaves calls everybody off', async (t) => {
  const hung = [runner('a', () => null), runner('b', () => null)]
  const abandoned = new CancellationScope()
  const pending = race(order, hung, callOf(60_000, abandoned))
  abandoned.cancel()
  await t.rejects(pending, { name: 'GatewayError', code: 'upstream_timeout' })
  t.ok(hung.every(({ cancelled }) => cancelled))
})

t.test('a caller that leaves is answered at once, also where a provider does not stop', async (t) => {
  const deaf = runner('deaf', () => new Promise(() => {}))
  const abandoned = new CancellationScope()
  const pending = race(order, [deaf, offers('a', 1n)], callOf(60_000, abandoned))
  await new Promise(setImmediate)
  abandoned.cancel()
  t.equal((await pending).winner.provider.label, 'a', 'with what there is')
  const nothing = new CancellationScope()
  const empty = race(order, [deaf], callOf(60_000, nothing))
  nothing.cancel()
  await t.rejects(empty, { code: 'upstream_timeout' })
})

t.test('a late answer does not end it again', async (t) => {
  let come: (offer: Offer) => void = () => {}
  const late = runner('late', () => new Promise((resolve) => (come = resolve)))
  let ends = 0
  const won = await race(order, [late, offers('a', 1n)], callOf(60_000, null, 'quote', HASTY), {
    softMs: 1,
    onEnd: () => void ends++,
  })
  come(offer(2n))
  t.equal((await won.standings)[0]!.provider.label, 'late')
  t.equal(won.winner.provider.label, 'a')
  t.equal(ends, 1)
})

t.test('our own fault is not reported as an outcome', async (t) => {
  const broken = runner('broken', async () => {
    throw new TypeError('bug')
  })
  await t.rejects(race(order, [offers('a', 1n), broken, runner('hung', () => null)], callOf()), TypeError)
})

t.test('an offer far above all others does not win, and is marked as an outlier', async (t) => {
  const told = (label: string, outcome: string) => ({ provider: label, outcome })
  const cases: [
    fairOut: bigint | null,
    outs: readonly bigint[],
    winner: string,
    outcomes: readonly string[],
  ][] = [
    // Prices are known: a quarter above them and above all others is too good.
    [100n, [126n, 100n, 99n], 'b', ['outlier', 'offered']],
    [100n, [125n, 100n, 99n], 'a', ['offered', 'offered']],
    [100n, [10n ** 30n, 100n], 'b', ['outlier']],
    // Above the others, but what the prices say: it is the others that are thin.
    [100n, [100n, 50n], 'a', ['offered']],
    // Above the prices, but not alone: the prices are old.
    [100n, [200n, 190n], 'a', ['offered']],
    [100n, [200n, 190n, 100n], 'a', ['offered', 'offered']],
    // Two that lie alike cannot be told from the market.
    [null, [301n, 100n, 100n], 'b', ['outlier', 'offered']],
    [null, [300n, 100n, 100n], 'a', ['offered', 'offered']],
    // One alone cannot be judged, and of two that differ it is not the lower that wins.
    [100n, [1_000n], 'a', []],
    [null, [301n, 100n], 'a', ['offered']],
    [null, [100_000n, 100n], 'a', ['offered']],
    [null, [1_000_000n, 1_000n, 1n], 'a', ['offered', 'offered']],
    // The fair output is a voice as well.
    [100n, [1_000n, 1n], 'a', ['offered']],
    [100n, [126n, 80n], 'b', ['outlier']],
    [100n, [126n, 79n], 'a', ['offered']],
  ]
  for (const [fairOut, outs, winner, outcomes] of cases) {
    const labels = ['a', 'b', 'c']
    const runners = outs.map((out, i) => offers(labels[i]!, out))
    const { winner: won, alternatives } = await race(order, runners, callOf(), {
      fair: () => ({ ...UNPRICED, out: fairOut }),
    })
    t.equal(won.provider.label, winner, outs.join())
    const rest = labels.slice(0, outs.length).filter((label) => label !== winner)
    t.match(
      alternatives,
      rest.map((label, i) => told(label, outcomes[i]!)),
    )
  }
})

t.test('its end is reported once, with each outcome, and only while somebody waits', async (t) => {
  const ends: RaceEnd[] = []
  let now = 0
  const clock = clockOf({ now: () => now, after: nextTurn })
  const onEnd = (end: RaceEnd) => void ends.push(end)
  const second = runner('second', async () => {
    now = 30
    return offer(9_995n)
  })
  const entrants = [offers('first', 10_000n), second, fails('c', noRoute), runner('hung', () => null)]
  await race(order, entrants, callOf(60_000, null, 'quote', clock), { softMs: 10, onEnd })
  const [{ offers: shown, ...end }] = ends as [RaceEnd]
  t.same(
    shown!.worst.map(({ provider }) => provider),
    ['first', 'second'],
  )
  t.match(shown, { best: 10_000n, market: /first second c hung$/ })
  t.same(end, {
    chain: CHAINS[0]!.key,
    side: 'buy',
    pair: 'native-token',
    size: null,
    runs: [
      { provider: 'first', outcome: 'won', code: null, ms: 30, distanceBps: 0 },
      { provider: 'second', outcome: 'offered', code: null, ms: 30, distanceBps: 5 },
      { provider: 'c', outcome: 'failed', code: 'no_route', ms: 30, distanceBps: null },
      { provider: 'hung', outcome: 'late', code: null, ms: null, distanceBps: null },
    ],
  })

  const rivals = [offers('a', 100n), offers('b', 301n), offers('c', 99n)]
  await race(order, rivals, callOf(), { onEnd })
  t.same(
    ends[1]!.runs.map(({ outcome, distanceBps }) => [outcome, distanceBps]),
    [
      ['won', 0],
      ['outlier', null],
      ['offered', 100],
    ],
  )
  await t.rejects(race(order, [fails('a', down)], callOf(), { onEnd }))
  t.match(ends[2]!.runs, [{ outcome: 'failed', code: 'upstream_timeout' }])

  const leaver = new CancellationScope()
  const left = race(order, [runner('a', () => null)], callOf(60_000, leaver), { onEnd })
  leaver.cancel()
  await t.rejects(left)
  t.equal(ends.length, 3)
})

t.test(
  'it counts in the class of its size: of the best offer, or of the fair output if there is none',
  async (t) => {
    const usdc = { address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', isNative: false, decimals: 6 }
    const stable = (dollars: bigint): bigint => dollars * 1_000_000n
    const sizeOf = async (
      asked: Order | OutputOrder,
      entrant: ProvedProvider,
      out: bigint | null = null,
    ): Promise<unknown> => {
      let size: unknown
      const onEnd = (end: RaceEnd) => void (size = end.size)
      await race(asked, [entrant], callOf(), { onEnd, fair: () => ({ ...UNPRICED, out }) }).catch(() => {})
      return size
    }
    const bought = { ...order, tokenOut: usdc }
    const { amountIn: _, ...terms } = { ...order, tokenIn: usdc }
    const exactly = { ...terms, amountOut: 5n }
    const taking = async () => ({
      ...offer(5n),
      takes: { amountIn: stable(10_000n), maxIn: stable(10_001n) },
    })
    t.equal(await sizeOf({ ...order, tokenIn: usdc, amountIn: stable(1_500n) }, fails('a', down)), 'medium')
    t.equal(await sizeOf(bought, offers('a', stable(20_000n)), stable(900n)), 'large')
    t.equal(await sizeOf(bought, fails('a', down), stable(900n)), 'small')
    t.equal(await sizeOf(bought, fails('a', down)), null)
    t.equal(await sizeOf(exactly, runner('a', taking)), 'large')
    t.equal(await sizeOf(exactly, fails('a', down), stable(900n)), null)
    t.equal(await sizeOf(order, offers('a', stable(900n))), null)
  },
)

t.test(
  'the standings are the order in which they would win, then outliers, then who has no offer',
  async (t) => {
    const entrants = [
      fails('down', down),
      offers('lie', 10n ** 30n),
      offers('least', 5n),
      offers('preferred', 7n),
      fails('none', noRoute),
      offers('equal', 7n),
    ]
    const won = await race(order, entrants, callOf(), {
      fair: () => ({ ...UNPRICED, out: 10n }),
    })
    t.equal(won.winner.provider.label, 'preferred')
    const standings = await won.standings
    t.same(
      standings.map(({ provider: { label }, isOutlier }) => (isOutlier ? `${label}!` : label)),
      ['preferred', 'equal', 'least', 'lie!', 'down', 'none'],
    )
  },
)

t.test('each answer has the time at which it came', async (t) => {
  let now = 0
  const clock = clockOf({ date: () => now })
  const ends: (() => void)[] = []
  const entrants = [1n, 2n].map((out) =>
    runner(`offers ${out}`, () => new Promise((resolve) => ends.push(() => resolve(offer(out))))),
  )
  entrants.push(runner('fails', () => new Promise((_resolve, reject) => ends.push(() => reject(down)))))
  const decided = race(order, entrants, callOf(60_000, null, 'quote', clock))
  for (const end of ends) {
    now += 1_000
    end()
    await new Promise(setImmediate)
  }
  const { answers, winner } = await decided
  t.same(
    answers.map(({ asOf }) => asOf),
    [1_000, 2_000, 3_000],
  )
  t.equal(winner.asOf, 2_000)
})

t.test('an answer after a race was decided, or failed, ends no other', async (t) => {
  const ends: RaceEnd[] = []
  const onEnd = (end: RaceEnd) => void ends.push(end)
  let come: () => void = () => {}
  const late = () => new Promise<Offer>((resolve) => (come = () => resolve(offer(9n))))
  const scope = new CancellationScope()
  const won = await race(
    order,
    [offers('a', 5n), runner('late', late)],
    callOf(60_000, scope, 'quote', HASTY),
    {
      softMs: 1,
      onEnd,
    },
  )
  come()
  await won.standings
  t.equal(ends.length, 1)
  t.equal(won.winner.provider.label, 'a')

  const clock = handClock()
  const broken = runner('broken', () => sleep(clock, 20).then(() => Promise.reject(new TypeError('a bug'))))
  const wrong = race(order, [broken, runner('late', late)], callOf(60_000, scope, 'quote', clock), {
    softMs: 1,
    onEnd,
  })
  clock.advance(20)
  await t.rejects(wrong, TypeError)
  come()
  await new Promise(setImmediate)
  t.equal(ends.length, 1, 'there is no end of it to tell')
})

t.test('a decided race leaves nothing that waits for its clients', async (t) => {
  const watched = new Set<unknown>()
  class Watched extends CancellationScope {
    override watch(watcher: { cancel(): void }): void {
      watched.add(watcher)
      super.watch(watcher)
    }
    override unwatch(watcher: { cancel(): void }): void {
      watched.delete(watcher)
      super.unwatch(watcher)
    }
  }
  await race(order, [offers('a', 5n), fails('b', noRoute)], callOf(60_000, new Watched()))
  t.equal(watched.size, 0)
  await t.rejects(race(order, [fails('a', down)], callOf(60_000, new Watched())), down)
  t.equal(watched.size, 0)
  const bug = runner('broken', () => Promise.reject(new TypeError('a bug')))
  await t.rejects(race(order, [bug], callOf(60_000, new Watched())), TypeError)
  t.equal(watched.size, 0)
})

t.test(
  'what is kept of a race is counted with the offers that lost, and with those that came late',
  async (t) => {
    const long = (out: bigint, bytes: number): Offer => ({ ...offer(out), raw: 'x'.repeat(bytes) })
    let come: (offer: Offer) => void = () => {}
    const late = new Promise<Offer>((resolve) => {
      come = resolve
    })
    const won = await race(
      order,
      [
        offers('a', 5n),
        runner('b', async () => long(4n, 1_000)),
        fails('c', noRoute),
        runner('d', () => late),
      ],
      callOf(1_000, null, 'quote', HASTY),
      { softMs: 1 },
    )
    t.equal(won.winner.provider.label, 'a')
    t.equal(offeredBytes(won), 1_002)
    come(long(3n, 5_000))
    await won.standings
    t.equal(offeredBytes(won), 6_002)
  },
)

t.test('an offer is ranked with what its provider usually keeps of it, and stays what it is', async (t) => {
  const answers = [
    { provider: runner('shady', () => null), offer: offer(1_000_000n), failure: null, asOf: 0 },
    { provider: runner('honest', () => null), offer: offer(998_000n), failure: null, asOf: 0 },
  ]
  const decided = { order, answers, standings: Promise.resolve([]) } as unknown as Race
  const winner = (losses: Readonly<Record<string, number>>): string =>
    judged(decided, { ...UNPRICED, losses }).winner.provider.label
  t.equal(winner({}), 'shady')
  t.equal(winner({ shady: 19 }), 'shady')
  t.equal(winner({ shady: 21 }), 'honest')
  t.equal(winner({ shady: 100, honest: 100 }), 'shady')
  const { winner: best, alternatives } = judged(decided, { ...UNPRICED, losses: { shady: 30 } })
  t.equal(best.offer.expectedOut, 998_000n)
  t.match(alternatives, [{ expectedOut: '1000000', behindBps: 10, deliveryLossBps: 30 }])
})

/** Of an exact output: offers differ by what they take. */
const takes = (label: string, amountIn: bigint): Runner =>
  runner(label, async () => ({ ...offer(1_000n), minOut: 1_000n, takes: { amountIn, maxIn: amountIn * 2n } }))

t.test('of an exact output the least input wins, and what takes far too little is an outlier', async (t) => {
  const { amountIn: _, ...terms } = order
  const output = { ...terms, amountOut: 1_000n }
  const providers = [takes('dear', 1_100n), takes('cheap', 1_000n), takes('dearer', 1_250n)]
  const won = await race(output, providers, callOf(1_000))
  t.equal(won.winner.provider.label, 'cheap')
  t.match(won.alternatives, [
    { provider: 'dear', amountIn: '1100', maxIn: '2200', netIn: null, behindBps: 1_000 },
    { provider: 'dearer', behindBps: 2_500 },
  ])
  const priced = { ...UNPRICED, out: 1_050n, floor: 900n }
  const low = [...providers, takes('too good', 500n)]
  const fair = await race(output, low, callOf(1_000), { fair: () => priced })
  t.equal(fair.winner.provider.label, 'cheap')
  const last = (await fair.standings).at(-1)!
  t.same([last.provider.label, last.isOutlier], ['too good', true])
  t.equal((await race(output, low.slice(3), callOf(1_000))).winner.provider.label, 'too good', 'the only one')
})
