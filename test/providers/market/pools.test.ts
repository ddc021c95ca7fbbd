import t from 'tap'
import { wrapperOf } from '../../../src/chains/majors.ts'
import { choose, deepestFirst, isInactive, oldestOf, type Pool } from '../../../src/providers/market/pools.ts'
import fc from '../../fixtures/fast-check.ts'

const TOKEN = '0x940181a94A35A4569E4529A3CDfB74e38FD98631'
const WETH = wrapperOf('base')!
/** A token of the attacker's own. */
const FAKE = '0x1111111111111111111111111111111111111111'

interface Told {
  readonly price: number | null
  readonly liquidity: number | null
  readonly vol24: number | null
  readonly other?: string
  /** Dollars of the other token in the pool. */
  readonly held?: number
  readonly asQuote?: boolean
}

let made = 0
function pool({ price, liquidity, vol24, other = WETH, held, asQuote = false }: Told): Pool {
  const names = { symbol: null, name: null }
  const own = { address: TOKEN, ...names, price }
  const counter = { address: other, ...names, price: 3_000, ...(held === undefined ? {} : { held }) }
  const [base, quote] = asQuote ? [counter, own] : [own, counter]
  return {
    address: `pool ${made++}`,
    venue: null,
    base,
    quote,
    mcap: null,
    fdv: null,
    liquidity,
    vol24,
    createdAt: null,
  }
}

const HONEST: Told = { price: 0.01, liquidity: 17_000, vol24: 9_000 }
const times = (count: number, told: Told): readonly Told[] => Array<Told>(count).fill(told)

t.test("an attacker's pools next to an honest one move neither price nor liquidity", (t) => {
  const attacks: Readonly<Record<string, readonly Told[]>> = {
    'a pool of 1.16 billion with 8 dollars of volume': [{ price: 5, liquidity: 1.16e9, vol24: 8 }],
    'one that is all token, with 100 dollars to wash 200,000 with': [
      { price: 5, liquidity: 1.16e9, vol24: 200_000, held: 100 },
    ],
    'a busy pool against a token of its own': [{ price: 5, liquidity: 1e9, vol24: 5e8, other: FAKE }],
    'thirty of those': times(30, { price: 5, liquidity: 1e9, vol24: 5e8, other: FAKE }),
    'one in which ours is the quote': [{ price: 5, liquidity: 1e9, vol24: 5e8, other: FAKE, asQuote: true }],
    'a million washed through five dollars': [{ price: 5, liquidity: 5, vol24: 1e6 }],
    'a thousand of those': times(1_000, { price: 5, liquidity: 5, vol24: 1e6 }),
    'ten busy pools that tell no liquidity': times(10, { price: 5, liquidity: null, vol24: 1e6 }),
    'ten that tell no volume': times(10, { price: 5, liquidity: 1_000, vol24: null }),
    'one that has never traded': [{ price: 5, liquidity: 1e9, vol24: 0 }],
    'one without a price': [{ price: null, liquidity: 1e9, vol24: 5e8 }],
    'one whose price is zero': [{ price: 0, liquidity: 1e9, vol24: 5e8 }],
  }
  for (const [what, attack] of Object.entries(attacks)) {
    const honest = pool(HONEST)
    for (const pools of [
      [honest, ...attack.map(pool)],
      [...attack.map(pool), honest],
    ]) {
      const choice = choose('base', TOKEN, pools)
      t.equal(choice.pool, honest, what)
      t.equal(choice.price, 0.01, what)
      t.equal(choice.liq, 17_000, what)
    }
  }
  t.end()
})

t.test('one pool alone is believed as far as it is traded', (t) => {
  const alone = (told: Told) => {
    const { price, liq } = choose('base', TOKEN, [pool(told)])
    return { price, liq }
  }
  t.same(alone(HONEST), { price: 0.01, liq: 17_000 })
  t.same(alone({ price: 5, liquidity: 1.16e9, vol24: 8 }), { price: null, liq: null }, 'the published case')
  t.same(alone({ price: 5, liquidity: 1.16e9, vol24: 200_000, held: 100 }), { price: 5, liq: 500 })
  t.same(
    alone({ price: 5, liquidity: 1e9, vol24: 5e8, other: FAKE }),
    { price: 5, liq: null },
    'in what coin?',
  )
  t.same(alone({ price: 5, liquidity: 0, vol24: 0 }), { price: null, liq: null })
  t.same(
    alone({ price: 5, liquidity: 1e9, vol24: 150_000 }),
    { price: 5, liq: 15_000_000 },
    'as far as it is traded',
  )
  const silent = pool({ price: 5, liquidity: 1.16e9, vol24: 8 })
  t.equal(choose('base', TOKEN, [silent]).pool, silent, 'there is something to look at all the same')
  t.match(choose('base', TOKEN, []), {
    pool: null,
    price: null,
    agreeing: { length: 0 },
    liq: null,
    weight: 0,
  })
  t.same(
    [isInactive(1e9, 99_999), isInactive(1e9, 100_000), isInactive(null, 1), isInactive(null, 0)],
    [true, false, false, true],
  )
  t.equal(isInactive(1e9, null), false, 'what is not told is not nothing')
  t.end()
})

t.test('a bonding curve competes by its volume', (t) => {
  const curve = pool({ price: 0.000_04, liquidity: null, vol24: 41_000 })
  for (const vol24 of [3, 1e6]) {
    const small = pool({ price: 7, liquidity: 5, vol24 })
    t.match(
      choose('base', TOKEN, [small, curve]),
      { pool: curve, price: 0.000_04, liq: null },
      'five dollars beside it',
    )
  }
  const graduated = pool({ price: 0.000_07, liquidity: 18_000, vol24: 30_000 })
  t.match(choose('base', TOKEN, [curve, graduated]), { pool: graduated, price: 0.000_07, liq: 18_000 })
  t.end()
})

t.test('what a source does not say of a pool counts as little, and is never made up', (t) => {
  const alone = (told: Told) => {
    const { price, liq, weight } = choose('base', TOKEN, [pool(told)])
    return { price, liq, weight }
  }
  const none = { price: null, liq: null, weight: 0 }
  t.same(alone({ price: 5, liquidity: null, vol24: null }), none, 'neither liquidity nor volume')
  t.same(alone({ price: 5, liquidity: 0, vol24: null }), none, 'an empty pool')
  t.same(alone({ price: 5, liquidity: null, vol24: 300 }), { price: 5, liq: null, weight: 300 })
  t.same(alone({ price: 5, liquidity: null, vol24: 300, held: 50 }), { price: 5, liq: null, weight: 300 })
  t.same(alone({ price: 5, liquidity: null, vol24: 1e6 }), { price: 5, liq: null, weight: 10_000 })
  t.same(alone({ price: 5, liquidity: 700, vol24: null }), { price: 5, liq: 700, weight: 700 })
  t.same(alone({ price: 5, liquidity: 1e9, vol24: null }), { price: 5, liq: 1e9, weight: 1_000 })

  const [quiet, busy] = [
    pool({ price: 1, liquidity: null, vol24: 300 }),
    pool({ price: 9, liquidity: null, vol24: 400 }),
  ]
  t.match(choose('base', TOKEN, [quiet, busy]), { pool: busy, agreeing: [busy] }, 'of two curves the busier')
  const [deep, shallow] = [
    pool({ price: null, liquidity: 5, vol24: 1 }),
    pool({ price: null, liquidity: 0.5, vol24: 1 }),
  ]
  t.same(deepestFirst([quiet, shallow, busy, deep]), [deep, shallow, quiet, busy])
  t.end()
})

t.test('pools against other coins count until a thousand dollars are at stake against majors', (t) => {
  const other = pool({ price: 9, liquidity: 50_000, vol24: 50_000, other: FAKE })
  const major = (dollars: number) => pool({ price: 5, liquidity: dollars, vol24: dollars })
  t.equal(choose('base', TOKEN, [other, major(1_000)]).price, 5)
  t.equal(choose('base', TOKEN, [other, major(999)]).price, 9)
  t.end()
})

t.test('prices far from the median are dropped on both sides, and half of the weight decides', (t) => {
  const of = (price: number, liquidity: number) => pool({ price, liquidity, vol24: liquidity })
  const pools = [of(0.6, 5_000), of(1, 20_000), of(1.5, 5_000), of(1.51, 5_000), of(0.67, 5_000)]
  t.same(
    choose('base', TOKEN, pools).agreeing.map(({ base }) => base.price),
    [1, 1.5, 0.67],
  )
  t.equal(choose('base', TOKEN, [of(2, 5_000), of(1, 5_000)]).price, 1)
  t.end()
})

t.test('the first pool is the oldest whose age is known', (t) => {
  const made = (createdAt: number | null) => ({ ...pool(HONEST), createdAt })
  const pools = [made(null), made(20), made(10), made(30)]
  t.equal(oldestOf(pools), pools[2])
  t.equal(oldestOf([made(null)]), null)
  t.equal(oldestOf([]), null)
  t.end()
})

t.test('of those that agree the heaviest is the price, and all of them are the liquidity', (t) => {
  const pools = [
    pool({ price: 1.01, liquidity: 400_000, vol24: 90_000 }),
    pool({ price: 1, liquidity: 900_000, vol24: 50_000 }),
    pool({ price: 0.97, liquidity: 700_000, vol24: 1e6, asQuote: true }),
    pool({ price: 2, liquidity: 950_000, vol24: 9e6 }),
  ]
  const { pool: best, price, liq, agreeing } = choose('base', TOKEN, pools)
  t.equal(best, pools[1])
  t.same([price, liq], [1, 2_000_000])
  t.same(agreeing, [pools[1], pools[2], pools[0]], 'the one that says twice as much is dropped')
  t.end()
})

t.test('pools with less at stake than the honest ones never set the price', async () => {
  const told = fc.record({
    price: fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
    liquidity: fc.option(fc.double({ min: 0, max: 1e12, noNaN: true })),
    vol24: fc.option(fc.double({ min: 0, max: 1e12, noNaN: true })),
    other: fc.constantFrom(FAKE, WETH),
    // What of it is real money: together less than half of the honest pool's.
    held: fc.double({ min: 0, max: 300, noNaN: true }),
  })
  fc.assert(
    fc.property(fc.array(told, { maxLength: 10 }), (attack) => {
      const honest = pool({ price: 1, liquidity: 40_000, vol24: 20_000 })
      const { price, liq } = choose('base', TOKEN, [...attack.map(pool), honest])
      return (
        price !== null && price >= 1 / 1.5 && price <= 1.5 && liq !== null && liq <= 40_000 + 10 * 5 * 300
      )
    }),
  )
})
