import t from 'tap'
import { findChain } from '../../src/chains/find.ts'
import { CancellationScope } from '../../src/flow/cancellation.ts'
import type { Order } from '../../src/proof/terms/order.ts'
import type { ProvedProvider } from '../../src/providers/proved.ts'
import { GatewayError } from '../../src/runtime/errors.ts'
import { UNPRICED } from '../../src/swap/fair.ts'
import type { SharedRace } from '../../src/swap/quotes.ts'
import { decidedRace, type ProviderAnswer } from '../../src/swap/race.ts'
import { raceCodec } from '../../src/swap/race-codec.ts'
import { clockOf } from '../fixtures/clock.ts'

const GAS = {
  nodes: ['base-1', 'base-2'],
  prices: ['a', 'b'],
  price: 10n ** 9n,
  dataFee: 5n,
  outPerCoin: 3_000_000_000n,
  usdPerCoin: 3n * 10n ** 39n,
  usdPerOut: null,
}
const FAIR = {
  market: { value: 7n, depths: [9n, null] },
  gas: GAS,
  out: 1_000n,
  floor: 900n,
  sources: ['dexscreener', 'defillama'],
}
const TOLD = { ageMs: 500, leftMs: 1_500, skewMs: -40 }
const base = findChain('base')!
const order: Order = {
  chain: base,
  side: 'buy',
  tokenIn: { address: '0xEeee', isNative: true, decimals: 18 },
  tokenOut: { address: '0x8335', isNative: false, decimals: 6 },
  amountIn: 10n ** 18n,
  slippageBps: 100,
  from: null,
}
const provider = (label: string): ProvedProvider =>
  ({ label, canBuild: true, freshMs: 10_000 }) as unknown as ProvedProvider
const [kyber, velora] = [provider('kyberswap'), provider('velora')]
const clock = clockOf({ now: () => 7_000 })
const codecOf = (...providers: readonly ProvedProvider[]) => raceCodec(new Map([['base', providers]]), clock)

const offered = (provider: ProvedProvider, expectedOut: bigint): ProviderAnswer => ({
  provider,
  offer: {
    expectedOut,
    minOut: expectedOut - 1n,
    priceImpactPct: null,
    gas: { units: 110_000, bytes: 900 },
    details: { hops: [1] },
    raw: '{"n":9007199254740993}',
  },
  failure: null,
  asOf: 1_000_000,
})

function runOf(...answers: readonly ProviderAnswer[]): SharedRace {
  return {
    ...decidedRace(order, answers, FAIR)!,
    scope: new CancellationScope(),
    cachedUntil: 0,
    partialSince: null,
  }
}

t.test('a shared race is decided as it was, and has the same age', async (t) => {
  const failure = new GatewayError('no_route', 'There is no route.', { provider: 'kyberswap' })
  const answers: readonly (readonly ProviderAnswer[])[] = [
    [offered(kyber, 1_001n), offered(velora, 1_002n)],
    [offered(kyber, 9_000n), offered(velora, 1_002n)],
    [{ provider: kyber, offer: null, failure, asOf: 1_000_000 }, offered(velora, 1_002n)],
  ]
  const codec = codecOf(kyber, velora)
  for (const some of answers) {
    const run = runOf(...some)
    const told = codec.read(codec.write(run)!, TOLD)!
    t.same(told.alternatives, run.alternatives)
    t.equal(told.winner.provider, run.winner.provider)
    t.same(told.winner.offer, run.winner.offer)
    t.same(told.fair, run.fair)
    t.same(
      (await told.standings).map(({ provider, isOutlier }) => [provider.label, isOutlier]),
      (await run.standings).map(({ provider, isOutlier }) => [provider.label, isOutlier]),
    )
    t.same(told.order, order)
    t.same(told.fair, FAIR)
    t.equal(told.winner.asOf, 999_960, 'by our own clock')
    t.equal(told.cachedUntil, 8_500)
    t.equal(told.partialSince, null)
  }
  const unpriced = { ...runOf(...answers[0]!), fair: UNPRICED }
  t.same(codec.read(codec.write(unpriced)!, TOLD)!.fair, UNPRICED)
})

t.test('a race that was not over says so', async (t) => {
  const codec = codecOf(kyber, velora)
  const late: ProviderAnswer = { provider: velora, offer: null, failure: null, asOf: 0 }
  const told = codec.read(codec.write(runOf(offered(kyber, 1_001n), late))!, TOLD)!
  t.equal(told.partialSince, 7_000)
  t.same(told.alternatives, [{ provider: 'velora', outcome: 'late' }])
})

t.test('a race with other providers is not read', async (t) => {
  const text = codecOf(kyber, velora).write(runOf(offered(kyber, 1_001n), offered(velora, 1_002n)))!
  t.ok(codecOf(kyber, velora).read(text, TOLD))
  for (const others of [[kyber], [velora, kyber], [kyber, velora, provider('third')], []]) {
    t.equal(codecOf(...others).read(text, TOLD), null)
  }
  const bad: readonly [string, string][] = [
    ['"minOut":"1001"', '"minOut":"1003"'],
    ['"minOut":"1001"', '"minOut":"0"'],
    ['"minOut":"1001"', '"minOut":"-1"'],
    ['"minOut":"1001"', '"minOut":1001'],
    ['"chain":"base"', '"chain":"nowhere"'],
    ['"slippageBps":100', '"slippageBps":5001'],
    ['"raw":"', '"raw":null,"r":"'],
  ]
  for (const [from, to] of bad) {
    t.ok(text.includes(from), from)
    t.equal(codecOf(kyber, velora).read(text.replace(from, to), TOLD), null, to)
  }
})

t.test('the bounds of an offer and of an address belong to it', async (t) => {
  const codec = codecOf(kyber, velora)
  const text = codec.write(runOf(offered(kyber, 1_001n), offered(velora, 1_002n)))!
  const reads = (from: string, to: string): boolean => {
    t.ok(text.includes(from), from)
    return codec.read(text.replace(from, to), TOLD) !== null
  }
  t.equal(reads('"minOut":"1001"', '"minOut":"1002"'), true, 'as much as it expects')
  t.equal(reads('"minOut":"1001"', '"minOut":"1"'), true)
  for (const length of [512, 513]) {
    const address = 'x'.repeat(length)
    t.equal(reads('"address":"0xEeee"', `"address":"${address}"`), length === 512)
    t.equal(reads('"from":null', `"from":"${address}"`), length === 512)
  }
})

t.test('what providers keep of their offers decides on the other instance, too', async (t) => {
  const fair = { ...FAIR, losses: { kyberswap: 30 } }
  const answers = [offered(kyber, 100_200n), offered(velora, 100_000n)]
  const run = { ...runOf(...answers), ...decidedRace(order, answers, fair)! }
  t.equal(run.winner.provider, velora)
  const codec = codecOf(kyber, velora)
  const read = codec.read(codec.write(run)!, TOLD)!
  t.equal(read.winner.provider, velora)
  t.same(read.fair.losses, fair.losses)
  t.match(read.alternatives, [{ provider: 'kyberswap', deliveryLossBps: 30 }])
})
