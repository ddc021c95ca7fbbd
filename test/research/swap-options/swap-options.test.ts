import t from 'tap'
import { OPEN_ACCESS } from '../../../src/chains/access.ts'
import { CHAINS } from '../../../src/chains/chains.ts'
import type { Representation } from '../../../src/http/reply/representation.ts'
import { SOLANA_CEILING } from '../../../src/proof/terms/fees.ts'
import type { ProvedProvider } from '../../../src/providers/proved.ts'
import type { SwapOptions as Shape } from '../../../src/research/swap-options/shapes.ts'
import { PRESETS, SwapOptionsReply } from '../../../src/research/swap-options/swap-options.ts'
import { MAX_SLIPPAGE_BPS, MIN_SLIPPAGE_BPS } from '../../../src/runtime/resources/order.ts'
import type { UpstreamState } from '../../../src/upstream/health.ts'
import { clockOf } from '../../fixtures/clock.ts'

type Word = UpstreamState['state']

const provider = (label: string) => ({ label, freshMs: 10_000 }) as unknown as ProvedProvider

const bodyOf = (reply: Representation): Shape => JSON.parse(String(reply.select({}).body)) as Shape

function form(isCrossChain = true) {
  const states: Record<string, Word> = { a: 'ok', b: 'ok', 'base-1': 'untried', 'base-2': 'ok', market: 'ok' }
  let now = 1_000
  const options = new SwapOptionsReply(
    {
      swaps: new Map([
        ['base', [provider('a'), provider('nodes'), provider('b')]],
        ['sui', [provider('c')]],
      ]),
      access: OPEN_ACCESS,
      isCrossChain,
      minVerification: 'proved',
      rates: () => SOLANA_CEILING,
      risksOf: (chain, token) => ({
        ...{ chain, token, symbol: null, name: null },
        ...{ checked: 'nobody', checkedBy: [], flags: [] },
      }),
      states: () => Object.entries(states).map(([name, state]) => ({ name, state })),
      clock: clockOf({ date: () => now }),
    },
    PRESETS.narrow,
  )
  return { options, states, wait: (ms: number) => (now += ms) }
}

const chainOf = ({ chains }: Shape, key: string) => chains.find((chain) => chain.key === key)!

t.test('which providers quote where, which build, and their states', async (t) => {
  const { options, states } = form()
  const body = bodyOf(await options.reply())
  t.same(
    body.chains.map(({ key }) => key),
    CHAINS.map(({ key }) => key),
  )
  t.match(chainOf(body, 'base'), {
    swaps: true,
    state: 'ok',
    verification: 'proved',
    providers: [
      { label: 'a', state: 'ok', freshMs: 10_000 },
      { label: 'nodes', state: 'ok' },
      { label: 'b', state: 'ok' },
    ],
  })
  t.match(chainOf(body, 'sui'), { state: 'untried', verification: 'simulated' }, 'nobody has asked c yet')
  t.match(chainOf(body, 'ton'), { swaps: false, state: null, verification: null, providers: { length: 0 } })
  t.match(chainOf(body, 'base').majors[0], { symbol: 'ETH', kind: 'native' })
  t.match(body, { minVerification: 'proved', fees: { gatewayBps: 0 }, crossChain: { state: 'untried' } })
  states.a = 'cooling'
  states.b = 'cooling'
  states['base-2'] = 'degraded'
  const later = chainOf(bodyOf(await options.reply()), 'base')
  t.equal(later.state, 'degraded', 'the best of its providers')
  t.equal(later.providers[1]!.state, 'degraded', 'the best of the nodes')
})

t.test('it is written when a state in it changes, and not before', async (t) => {
  const { options, states, wait } = form()
  const [one, other] = await Promise.all([options.reply(), options.reply()])
  t.equal(one, other, 'those who ask at once wait for the same')
  wait(5_000)
  states.market = 'refused'
  t.equal(options.reply(), one, 'at once, and the same')
  states.a = 'degraded'
  const next = options.reply()
  t.equal(await options.reply(), await next)
  t.not(await next, one)
  t.equal(bodyOf(await next).asOf, 6_000)
  t.equal(options.reply(), await next)
  // What was under way does not come in the place of what came after it.
  states.a = 'refused'
  const slow = options.reply()
  states.a = 'ok'
  const newest = options.reply()
  await Promise.all([slow, newest])
  t.equal(options.reply(), await newest)
})

t.test('which chains can be crossed, or none', async (t) => {
  const { crossChain } = bodyOf(await form().options.reply())
  t.ok(crossChain!.from.includes('base') && crossChain!.to.includes('solana'))
  t.notOk(crossChain!.from.includes('ton') || crossChain!.to.includes('ton'))
  t.equal(bodyOf(await form(false).options.reply()).crossChain, null)
})

t.test('presets rise, and keep within the bounds', async (t) => {
  for (const { slippageBps, shareBps, usd } of [PRESETS.narrow, PRESETS.desktop]) {
    for (const presets of [slippageBps, shareBps, usd]) {
      t.same(
        presets,
        [...new Set(presets)].sort((a, b) => a - b),
      )
    }
    t.ok(slippageBps.every((bps) => bps >= MIN_SLIPPAGE_BPS && bps <= MAX_SLIPPAGE_BPS))
    t.ok(shareBps.every((bps) => bps > 0 && bps <= 10_000))
  }
  for (const name of ['slippageBps', 'shareBps', 'usd'] as const) {
    t.equal(PRESETS.narrow[name].length, 3)
    t.equal(PRESETS.desktop[name].length, 5)
  }
})
