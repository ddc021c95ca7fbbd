import t from 'tap'
import { parseToken } from '../../../src/chains/address.ts'
import { CHAINS } from '../../../src/chains/chains.ts'
import { EVM_CHAINS, findChain, findEvmChain } from '../../../src/chains/find.ts'
import { logos } from '../../../src/sandbox/market/logos.ts'
import { Market } from '../../../src/sandbox/market/market.ts'
import { fillFrom } from '../../../src/sandbox/market/pool.ts'
import type { Fill } from '../../../src/sandbox/market/prices.ts'
import { LISTINGS, type MarketToken } from '../../../src/sandbox/market/tokens.ts'
import { walk } from '../../../src/sandbox/market/walk.ts'
import fc from '../../fixtures/fast-check.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const market = new Market()

/** A token by its symbol. */
function token(chain: string, symbol: string): MarketToken {
  const found = market.tokens(chain).find((candidate) => candidate.symbol === symbol)
  if (found === undefined) throw new Error(`${symbol} is not listed on ${chain}`)
  return found
}

const units = (amount: number, { decimals }: MarketToken): bigint => BigInt(amount) * 10n ** BigInt(decimals)

/** 10^-10 dollars. */
const dollars = (text: string): bigint => BigInt(text.replace('.', ''))

/** JSON with bigints told apart from numbers. */
const text = (value: unknown): string =>
  JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}n` : member))

/** Pairs of tokens of one chain that are not the same, an amount of the first, and a moment. */
const trades = fc
  .record({
    chain: fc.constantFrom(...CHAINS.map((chain) => chain.key)),
    from: fc.nat(),
    to: fc.nat(),
    amountIn: fc.bigInt(1n, 10n ** 24n),
    now: fc.integer({ min: NOW, max: NOW + 1e11 }),
  })
  .map(({ chain, from, to, amountIn, now }) => {
    const tokens = market.tokens(chain)
    return { tokenIn: tokens[from % tokens.length]!, tokenOut: tokens[to % tokens.length]!, amountIn, now }
  })
  .filter(({ tokenIn, tokenOut }) => tokenIn !== tokenOut)

t.test('every token is listed once, under a canonical address of its chain', async (t) => {
  for (const { token } of LISTINGS) {
    const { chain, address, isNative, symbol } = token
    t.same(parseToken(findChain(chain)!, address), { address, isNative }, `${symbol} on ${chain}`)
    t.equal(market.find(chain, address), token)
  }
  t.equal(new Set(LISTINGS.map(({ token }) => `${token.chain} ${token.address}`)).size, LISTINGS.length)
  const traded = LISTINGS.filter(({ depthUsd }) => depthUsd > 0)
  t.ok(traded.length >= 40, 'at least forty have a pool')
  for (const chain of CHAINS) {
    const native = market.native(chain.key)
    t.match(native, { symbol: chain.native, decimals: chain.decimals, isNative: true })
    t.equal(market.tokens(chain.key)[0], native)
    const wrapped = findEvmChain(chain.key)?.wrappedNative
    if (wrapped !== undefined) t.match(market.find(chain.key, wrapped), { isNative: false, decimals: 18 })
  }
  t.equal(token('bsc', 'USDC').decimals, 18)
  t.equal(token('base', 'USDC').decimals, 6)
})

t.test('a token is found by any spelling of its address, and by nothing else', async (t) => {
  const found: [chain: string, address: string, symbol: string][] = [
    ['base', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 'USDC'],
    ['base', '0x833589FCD6EDB6E08F4C7C32D4F71B54BDA02913', 'USDC'],
    ['base', 'native', 'ETH'],
    ['base', '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee', 'ETH'],
    ['base', '0x0000000000000000000000000000000000000000', 'ETH'],
    ['base', '0x4200000000000000000000000000000000000006', 'WETH'],
    ['solana', 'So11111111111111111111111111111111111111112', 'SOL'],
    ['solana', '11111111111111111111111111111111', 'SOL'],
    ['sui', '0x2::sui::SUI', 'SUI'],
    ['sui', `0x${'2'.padStart(64, '0')}::sui::SUI`, 'SUI'],
    ['sui', '0x6864a6f921804860930db6ddbe2e16acdf8504495ea7481637a1c8b9a8fe54b::cetus::CETUS', 'CETUS'],
    ['ton', 'native', 'GRAM'],
    ['ton', 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c', 'GRAM'],
    ['ton', '0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe', 'USDT'],
  ]
  for (const [chain, address, symbol] of found) {
    t.equal(market.find(chain, address)?.symbol, symbol, `${address} on ${chain}`)
  }
  const absent: [chain: string, address: string][] = [
    ['ethereum', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
    ['base', 'USDC'],
    ['base', ''],
    ['solana', 'epjfwdd5aufqssqem2qn1xzybapc8g4weggkzwytdt1v'],
    ['nowhere', 'native'],
    ['toString', 'constructor'],
  ]
  for (const [chain, address] of absent) t.equal(market.find(chain, address), null, `${address} on ${chain}`)
  t.same(market.tokens('nowhere'), [])
  t.throws(() => market.native('nowhere'), TypeError)
  t.throws(() => market.at(NOW).usd({ ...token('base', 'USDC'), address: '0x' }), TypeError)
})

t.test('a seed and a moment decide everything', async (t) => {
  fc.assert(
    fc.property(trades, ({ tokenIn, tokenOut, amountIn, now }) => {
      const again = new Market({ seed: 1 }).at(now)
      t.equal(
        text(again.swap(tokenIn, tokenOut, amountIn)),
        text(market.at(now).swap(tokenIn, tokenOut, amountIn)),
      )
      return again.usd(tokenIn) === market.at(now).usd(tokenIn)
    }),
    { numRuns: 50 },
  )
  const [eth, usdc] = [token('base', 'ETH'), token('base', 'USDC')]
  const out = (now: number, seed = 1) =>
    new Market({ seed }).at(now).swap(eth, usdc, units(1, eth))!.amountOut
  t.equal(out(NOW), out(NOW + 2_999), 'prices stand still for three seconds')
  t.not(out(NOW), out(NOW, 2), 'another seed is another market')
  t.equal(market.at(NOW).at, NOW)
})

t.test('prices move at every step, a little, and never far from where they belong', async (t) => {
  const [eth, usdc] = [token('base', 'ETH'), token('base', 'USDC')]
  const prices = Array.from({ length: 500 }, (_, i) => dollars(market.at(NOW + i * 3_000).usd(eth)))
  const outs = Array.from({ length: 500 }, (_, i) => market.at(NOW + i * 3_000).swap(eth, usdc, 10n ** 18n)!)
  t.ok(new Set(outs.map((fill) => fill.amountOut)).size > 450, 'nearly every step is another price')
  for (const [i, price] of prices.entries()) {
    if (i === 0) continue
    const move = price - prices[i - 1]!
    if ((move < 0n ? -move : move) * 1_000n > prices[i - 1]! * 4n) t.fail('a step of more than 0.4 %')
  }
  fc.assert(
    fc.property(fc.integer(), fc.string(), fc.nat(1e9), fc.nat(1_000_000), (seed, key, step, swing) => {
      const place = walk(seed, key, step, swing)
      return Number.isInteger(place) && Math.abs(place) <= swing
    }),
  )
})

t.test('the native coin and its wrapper are one price, and one for the other', async (t) => {
  const prices = market.at(NOW)
  for (const { key: chain } of EVM_CHAINS) {
    const [native, wrapped] = market.tokens(chain) as [MarketToken, MarketToken]
    t.equal(prices.usd(native), prices.usd(wrapped))
    for (const [from, to] of [
      [native, wrapped],
      [wrapped, native],
    ] as const) {
      t.match(prices.swap(from, to, 12345n), {
        amountOut: 12345n,
        priceImpactPct: 0,
        hops: [{ venue: 'wrap', fee: 0n }],
      })
    }
    const usdc = market.tokens(chain).find(({ symbol }) => symbol === 'USDC')
    if (usdc === undefined) continue
    const amount = units(1, native)
    t.equal(prices.swap(native, usdc, amount)!.amountOut, prices.swap(wrapped, usdc, amount)!.amountOut)
    t.equal(prices.swap(wrapped, usdc, amount)!.hops.length, 1)
    t.match(prices.swap(usdc, wrapped, 1_000_000n)!.hops, [{ tokenIn: usdc, tokenOut: wrapped }])
  }
})

t.test('two tokens meet directly or by way of the native coin, whichever gives more', async (t) => {
  const prices = market.at(NOW)
  const route = (chain: string, from: string, to: string) =>
    prices
      .swap(token(chain, from), token(chain, to), units(10, token(chain, from)))
      ?.hops.map(({ tokenIn, tokenOut }) => `${tokenIn.symbol}>${tokenOut.symbol}`)
  t.same(route('ethereum', 'ETH', 'USDC'), ['ETH>USDC'])
  t.same(route('ethereum', 'USDT', 'USDC'), ['USDT>USDC'])
  t.same(route('ethereum', 'LINK', 'UNI'), ['LINK>ETH', 'ETH>UNI'])
  t.same(route('solana', 'BONK', 'USDC'), ['BONK>SOL', 'SOL>USDC'])
  t.same(route('sui', 'DEEP', 'USDC'), ['DEEP>SUI', 'SUI>USDC'])
  t.same(route('ton', 'USDT', 'DOGS'), ['USDT>GRAM', 'GRAM>DOGS'])

  fc.assert(
    fc.property(trades, ({ tokenIn, tokenOut, amountIn, now }) => {
      const prices = market.at(now)
      const fill = prices.swap(tokenIn, tokenOut, amountIn)
      if (fill === null) return true
      let amount = amountIn
      for (const hop of fill.hops) {
        t.same(prices.direct(hop.tokenIn, hop.tokenOut, amount), hop)
        amount = hop.amountOut
      }
      return (
        amount === fill.amountOut &&
        fill.amountOut >= (prices.direct(tokenIn, tokenOut, amountIn)?.amountOut ?? 0n)
      )
    }),
    { numRuns: 100 },
  )
})

t.test('what cannot be traded is null', async (t) => {
  const prices = market.at(NOW)
  const [eth, usdc, sol] = [token('base', 'ETH'), token('base', 'USDC'), token('solana', 'SOL')]
  const none: [why: string, tokenIn: MarketToken, tokenOut: MarketToken, amountIn: bigint][] = [
    ['no pool', eth, token('base', 'GHOST'), units(1, eth)],
    ['no pool', token('solana', 'GHOST'), sol, 1_000_000n],
    ['no pool', token('sui', 'GHOST'), token('sui', 'SUI'), 1_000_000n],
    ['no pool', token('ton', 'GHOST'), token('ton', 'GRAM'), 1_000_000n],
    ['two chains', eth, sol, units(1, eth)],
    ['one token', usdc, usdc, 1_000_000n],
    ['one token, native', eth, eth, 1_000_000n],
    ['nothing', eth, usdc, 0n],
    ['less than nothing', eth, usdc, -1n],
    ['too little for one unit', eth, usdc, 1n],
    ['too little for one whole token', eth, token('base', 'DUST'), units(1, eth) / 100n],
  ]
  for (const [why, tokenIn, tokenOut, amountIn] of none)
    t.equal(prices.swap(tokenIn, tokenOut, amountIn), null, why)
  t.equal(prices.direct(eth, usdc, 1n)?.amountOut, 0n, 'a pool takes a dust input and gives nothing')
  t.equal(prices.direct(token('ethereum', 'LINK'), token('ethereum', 'UNI'), 1n), null)
})

t.test('k never falls, and all of the fee stays in the pool', async () => {
  const amount = fc.bigInt(1n, 10n ** 30n)
  fc.assert(
    fc.property(amount, amount, amount, (reserveIn, reserveOut, amountIn) => {
      const { amountOut, fee, keptPpm } = fillFrom({ in: reserveIn, out: reserveOut }, amountIn)
      const before = reserveIn * reserveOut
      // By Uniswap's own measure: also with the fee taken away from the balance.
      const adjusted = ((reserveIn + amountIn) * 1_000n - amountIn * 3n) * (reserveOut - amountOut)
      return (
        adjusted >= before * 1_000n &&
        amountOut < reserveOut &&
        fee * 1_000n >= amountIn * 3n &&
        (fee - 1n) * 1_000n < amountIn * 3n &&
        keptPpm >= 0n &&
        keptPpm <= 1_000_000n
      )
    }),
  )
})

t.test('a round trip never gains, and costs at least the fees', async () => {
  fc.assert(
    fc.property(trades, ({ tokenIn, tokenOut, amountIn, now }) => {
      const prices = market.at(now)
      const there = prices.swap(tokenIn, tokenOut, amountIn)
      const back = there && prices.swap(tokenOut, tokenIn, there.amountOut)
      if (there === null || back === null) return true
      if (there.hops[0]!.venue === 'wrap' && there.hops.length === 1) return back.amountOut === amountIn
      return back.amountOut * 1_000n <= amountIn * 997n
    }),
    { numRuns: 300 },
  )
})

t.test('more in gives no less out, at a price that is no better', async () => {
  fc.assert(
    fc.property(trades, fc.bigInt(1n, 10n ** 24n), ({ tokenIn, tokenOut, amountIn, now }, more) => {
      const prices = market.at(now)
      const less = prices.swap(tokenIn, tokenOut, amountIn)
      const greater = prices.swap(tokenIn, tokenOut, amountIn + more)
      if (less === null || greater === null) return less === null
      const isSamePath =
        text(less.hops.map(({ pool }) => pool)) === text(greater.hops.map(({ pool }) => pool))
      const isImpactNoLess = greater.priceImpactPct >= less.priceImpactPct
      return greater.amountOut >= less.amountOut && (!isSamePath || isImpactNoLess)
    }),
    { numRuns: 300 },
  )
})

t.test(
  'impact is what the size costs, in percent: small in a deep pool, ruinous in a tiny one',
  async (t) => {
    const prices = market.at(NOW)
    const [eth, usdc, thin] = [token('base', 'ETH'), token('base', 'USDC'), token('base', 'THIN')]
    const impact = (to: MarketToken, amountIn: bigint) => prices.swap(eth, to, amountIn)!.priceImpactPct
    t.ok(impact(usdc, units(1, eth)) < 0.05)
    t.ok(impact(usdc, units(1_000, eth)) > 5)
    t.ok(impact(thin, units(1, eth)) > 80)
    t.ok(impact(thin, units(1, eth) / 10_000n) < 1)
    const pool = prices.swap(eth, thin, units(1_000_000, eth))!
    t.ok(pool.priceImpactPct > 99.9 && pool.priceImpactPct <= 100)
  },
)

t.test('worth is in dollars, exactly, with a fixed number of digits', async (t) => {
  const prices = market.at(NOW)
  for (const { token } of LISTINGS) t.match(prices.usd(token), /^\d+\.\d{12}$/, token.symbol)
  const [eth, usdc] = [token('base', 'ETH'), token('base', 'USDC')]
  const fill = prices.swap(eth, usdc, units(3, eth)) as Fill
  const price = dollars(prices.usd(eth))
  t.match(fill.amountInUsd, /^\d+\.\d{10}$/)
  t.ok(dollars(fill.amountInUsd) * 100n - price * 3n < 1_000n)
  const loss = dollars(fill.amountInUsd) - dollars(fill.amountOutUsd)
  t.ok(loss * 1_000n >= dollars(fill.amountInUsd) * 3n, 'the fee')
  t.ok(loss * 1_000n < dollars(fill.amountInUsd) * 4n, 'and hardly more')
  for (const other of [token('ethereum', 'ETH'), token('polygon', 'WETH')]) {
    const apart = dollars(prices.usd(other)) - price
    t.ok((apart < 0n ? -apart : apart) * 10_000n <= price * 5n, 'nearly one price on every chain')
  }
})

t.test('a token has one logo on all chains, and another token has another', async (t) => {
  const { handle } = logos()
  const drawn = async (path: string): Promise<unknown> =>
    (await handle({ method: 'GET', path, fault: null } as Parameters<typeof handle>[0])).body
  const of = (chain: string, symbol: string) => drawn(`/cms/images/${token(chain, symbol).address}`)
  const usdc = await of('base', 'USDC')
  t.same(await of('ethereum', 'USDC'), usdc)
  t.same(await drawn(`/coins/${token('solana', 'USDC').address}.png`), usdc)
  t.notSame(await of('ethereum', 'USDT'), usdc)
  t.notSame(await drawn('/images/unlisted'), usdc)
})
