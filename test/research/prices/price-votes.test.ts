/** Prices by the votes of market sources: who is asked, who agrees, what is too old. */

import t from 'tap'
import { priceUnits } from '../../../src/chains/usd.ts'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import type { MarketProvider } from '../../../src/providers/market/market.ts'
import { PriceVotes, votersAmong } from '../../../src/research/prices/price-votes.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { callOf } from '../../fixtures/call.ts'
import { clockOf } from '../../fixtures/clock.ts'

const NOW = 1_800_000_000_000
const TOKEN = '0x940181a94A35A4569E4529A3CDfB74e38FD98631'
const options = () => callOf(60_000, new CancellationScope('alice'), 'quote')

interface Said {
  readonly price: number | null
  readonly liq?: number | null
  readonly ageMs?: number
}

/** A source that says this of any token; null for one that does not know it, undefined for one that is down. */
function source(
  label: string,
  said: Said | null | undefined,
  asked: string[],
  kind: 'prices' | 'rows' | 'row',
) {
  const found = (chain: string, address: string) => {
    asked.push(`${label} ${chain}`)
    if (said === undefined) throw new GatewayError('upstream_timeout', 'It is down.')
    if (said === null) return null
    const { price, liq = null, ageMs = 0 } = said
    return { chain, address, price, priceTs: NOW - ageMs, liq }
  }
  const listed = (chain: string, address: string) => [found(chain, address) ?? []].flat()
  const kinds = {
    prices: {
      prices: {
        maxTokens: 9,
        ask: async (tokens: readonly { chain: string; address: string }[]) =>
          tokens.flatMap(({ chain, address }) => listed(chain, address)),
      },
    },
    rows: {
      rows: {
        maxTokens: 9,
        ask: async (chain: string, addresses: readonly string[]) =>
          addresses.flatMap((address) => listed(chain, address)),
      },
    },
    row: {
      parts: {
        row: {
          keepMs: 1,
          ask: async ({ chain, address }: { chain: string; address: string }) => found(chain, address),
        },
      },
    },
  }
  return { label, chains: new Set(['base', 'solana']), ...kinds[kind] } as unknown as MarketProvider
}

function voting(...said: (Said | null | undefined)[]) {
  const asked: string[] = []
  const clock = { now: 1_000 }
  const kinds = ['rows', 'prices', 'row'] as const
  const labels = ['first', 'second', 'third', 'fourth']
  const providers = said.map((one, i) => source(labels[i]!, one, asked, kinds[i % 3]!))
  const votes = new PriceVotes({
    providers,
    clock: clockOf({ now: () => clock.now, date: () => NOW }),
  })
  return {
    asked,
    clock,
    votes,
    price: (isThin?: (depth: bigint) => boolean) => votes.price('base', TOKEN, options(), isThin),
  }
}

t.test('two that agree are enough, and no other is asked', async (t) => {
  const { asked, price } = voting({ price: 100 }, { price: 101, ageMs: 500 }, { price: 500 })
  t.same(await price(), {
    low: priceUnits(100),
    high: priceUnits(101),
    depth: null,
    sources: ['first', 'second'],
    priceTs: NOW - 500,
  })
  t.same(asked, ['first base', 'second base'])
})

t.test('a lying source is outvoted by two honest ones, in any position', async (t) => {
  for (const lie of [0.1, 89, 111, 100_000]) {
    for (let at = 0; at < 3; at++) {
      const said = [{ price: 100 }, { price: 100 }, { price: 100 }]
      said[at] = { price: lie }
      const found = await voting(...said).price()
      t.match(found, { low: priceUnits(100), high: priceUnits(100) }, `${lie} at ${at}`)
      t.equal(found!.sources.length, 2)
    }
  }
})

t.test('if no two agree there is no price', async (t) => {
  for (const said of [
    [],
    [{ price: 100 }],
    [{ price: 100 }, null],
    [{ price: 100 }, undefined],
    [{ price: 100 }, { price: 110.1 }],
    [{ price: 100 }, { price: 10 }, { price: 1 }],
    [{ price: 100 }, { price: null }],
    [{ price: 0 }, { price: 0 }],
    [{ price: 100 }, { price: 100, ageMs: 900_001 }],
  ]) {
    t.equal(await voting(...said).price(), null, JSON.stringify(said))
  }
  t.not(await voting({ price: 100 }, { price: 110 }).price(), null)
  t.not(await voting({ price: 100 }, { price: 100, ageMs: 900_000 }).price(), null)
})

t.test('of several that agree the nearest count', async (t) => {
  const { price } = voting({ price: 100 }, undefined, { price: 109 }, { price: 101 })
  t.match(await price(), { low: priceUnits(100), high: priceUnits(109), sources: ['first', 'third'] })
  const more = voting({ price: 100 }, { price: 120 }, { price: 109 })
  t.match(await more.price(), { low: priceUnits(100), high: priceUnits(109) })
  const nearer = voting({ price: 100 }, { price: 115 }, { price: 109 })
  t.match(await nearer.price(), { low: priceUnits(109), high: priceUnits(115) })
})

t.test('a depth counts if two sources report it, and is the deeper of theirs', async (t) => {
  const both = voting({ price: 100, liq: 5_000 }, { price: 100, liq: 7_000.5 })
  t.match(await both.price(), { depth: 7_000_500_000n })
  const thin = (depth: bigint) => depth < 6_000_000_000n
  const one = voting({ price: 100, liq: 5_000 }, { price: 100 }, { price: 90_000, liq: 8_000 })
  t.match(await one.price(), { depth: null })
  t.equal(one.asked.length, 2)
  t.match(await one.price(thin), { low: priceUnits(100), depth: 8_000_000_000n })
  t.equal(one.asked.length, 3)
  const deep = voting({ price: 100, liq: 6_000 }, { price: 100 }, { price: 100, liq: 8_000 })
  t.match(await deep.price(thin), { depth: null })
  t.equal(deep.asked.length, 2)
})

t.test('an answer serves for half a minute, that there is none as well; a failure does not', async (t) => {
  const { asked, clock, price } = voting({ price: 100 }, null, undefined)
  await price()
  await price()
  t.same(asked, ['first base', 'second base', 'third base', 'third base'])
  clock.now += 30_001
  await price()
  t.equal(asked.length, 7)
})

t.test('a source is asked only for its own chains, and our own fault is not a vote', async (t) => {
  const { votes, asked } = voting({ price: 1 }, { price: 1 })
  t.equal(await votes.price('ton', TOKEN, options()), null)
  t.same(asked, [])
  const broken = { label: 'broken', chains: new Set(['base']), rows: { maxTokens: 1, ask: async () => null } }
  const faulty = new PriceVotes({ providers: [broken as never], clock: clockOf({}) })
  await t.rejects(faulty.price('base', TOKEN, options()), TypeError)
})

t.test('a provider of swaps has no vote on their value', async (t) => {
  const named = (label: string) => ({ label, chains: new Set<string>() })
  t.same(
    votersAmong(['dexscreener', 'jupiter', 'defillama'].map(named)).map(({ label }) => label),
    ['dexscreener', 'defillama'],
  )
})
