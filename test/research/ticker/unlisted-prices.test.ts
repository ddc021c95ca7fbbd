/** Who is asked for prices of tokens that are in no list, how often, and on whose account. */

import { pino } from 'pino'
import t from 'tap'
import type { Call } from '../../../src/flow/call.ts'
import type { MarketProvider, Price, TokenId } from '../../../src/providers/market/market.ts'
import {
  ASK_EVERY_MS,
  UnlistedPrices,
  type UnlistedToken,
} from '../../../src/research/ticker/unlisted-prices.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { handClock } from '../../fixtures/clock.ts'

interface Asked {
  readonly source: string
  readonly addresses: readonly string[]
  readonly options: Call
}

function start(minLiquidityUsd = 0) {
  const clock = handClock()
  const calls: Asked[] = []
  const known = new Map<string, Partial<Price>>()
  const failing = new Set<string>()
  const faults: string[] = []
  const source = (label: string, chains: readonly string[]): MarketProvider => ({
    label,
    chains: new Set(chains),
    prices: {
      maxTokens: 50,
      async ask(tokens: readonly TokenId[], options) {
        calls.push({ source: label, addresses: tokens.map(({ address }) => address), options })
        if (failing.has(label)) throw new GatewayError('upstream_failed', 'It failed.')
        if (failing.has('bug')) throw new Error('a bug')
        return tokens.flatMap((token) => {
          const price = known.get(`${label} ${token.address}`)
          return price === undefined
            ? []
            : [{ ...token, price: 1, priceTs: clock.date(), liq: null, ...price }]
        })
      },
    },
  })
  const log = pino({ level: 'error' }, { write: (line: string) => void faults.push(line) })
  const providers = [
    source('first', ['base', 'solana']),
    { label: 'none', chains: new Set(['base']) },
    source('second', ['base']),
  ]
  const unlisted = new UnlistedPrices({ providers, minLiquidityUsd, clock, log })
  const asked = (address: string, chain = 'base'): UnlistedToken => ({
    token: { chain, address },
    askedAt: Number.NEGATIVE_INFINITY,
    found: null,
  })
  const ask = (client: string, ...tokens: UnlistedToken[]) => unlisted.ask(new Map([[client, tokens]]))
  return { clock, calls, known, failing, faults, unlisted, asked, ask }
}

t.test("the sources are asked in turn, on the listening client's account", async (t) => {
  const { clock, calls, known, unlisted, asked, ask } = start()
  const [a, b, s] = [asked('a'), asked('b'), asked('s', 'solana')]
  t.ok(unlisted.isDue(a))
  t.notOk(unlisted.isDue(asked('x', 'ton')), 'no source serves the chain')
  known.set('first a', { price: 2 })
  known.set('second b', { price: 3 })
  await ask('one', a, b, s)
  t.same(
    calls.map(({ source, addresses }) => [source, ...addresses]),
    [
      ['first', 'a', 'b', 's'],
      ['second', 'b'],
    ],
  )
  for (const { options } of calls) {
    t.equal(options.scope!.client, 'one')
    t.equal(options.priority, 'research')
  }
  t.match(
    [a, b, s].map((token) => unlisted.priceOf(token)),
    [{ price: 2 }, { price: 3 }, null],
  )
  t.notOk(
    [a, b, s].some((token) => unlisted.isDue(token)),
    'an answer without a price counts as well',
  )
  clock.advance(ASK_EVERY_MS)
  t.ok([a, b, s].every((token) => unlisted.isDue(token)))
  known.clear()
  await ask('one', a)
  t.match(unlisted.priceOf(a), { price: 2 }, 'it is kept where there is no new one')
  clock.advance(600_001)
  t.equal(unlisted.priceOf(a), null, 'for ten minutes')
})

t.test('a price of shallow pools does not count', async (t) => {
  const { known, unlisted, asked, ask } = start(1_000)
  const tokens = ['a', 'b', 'c', 'd'].map((name) => asked(name))
  known.set('first a', { liq: 999 })
  known.set('first b', { liq: 1_000 })
  known.set('first c', { price: 0 })
  known.set('first d', {})
  await ask('one', ...tokens)
  t.same(
    tokens.map((token) => unlisted.priceOf(token)?.price ?? null),
    [null, 1, null, 1],
  )
})

t.test('a few clients have a call each, and the one that waited longest is first', async (t) => {
  const { clock, calls, unlisted, asked } = start()
  const all = Array.from({ length: 10 }, (_, i) => ({
    client: `client ${i}`,
    tokens: Array.from({ length: 200 }, (_, j) => asked(`${i}-${j}`, 'solana')),
  }))
  const round = async (): Promise<string[]> => {
    calls.length = 0
    const due = new Map(
      all.map(({ client, tokens }) => [client, tokens.filter((token) => unlisted.isDue(token))]),
    )
    await unlisted.ask(due)
    clock.advance(3_000)
    t.ok(calls.every(({ addresses }) => addresses.length === 50))
    return calls.map(({ options }) => options.scope!.client)
  }
  const paid: string[] = []
  for (let i = 0; i < 10; i++) {
    const clients = await round()
    t.equal(clients.length, 4)
    t.equal(new Set(clients).size, 4)
    paid.push(...clients)
  }
  t.equal(new Set(paid).size, 10, 'everybody had a turn')
  for (const { client } of all) t.equal(paid.filter((one) => one === client).length, 4, client)
})

t.test('what fails is asked of the next, and never ends the stream', async (t) => {
  const { calls, known, failing, faults, unlisted, asked, ask } = start()
  const a = asked('a')
  known.set('second a', { price: 3 })
  failing.add('first')
  await ask('one', a)
  t.match(unlisted.priceOf(a), { price: 3 })
  t.notOk(unlisted.isDue(a), 'nor is it asked at once again')
  t.same(faults, [])
  failing.add('bug')
  await ask('one', asked('b'))
  t.equal(calls.length, 4)
  t.equal(faults.length, 1, 'a bug of ours is in the log')
})
