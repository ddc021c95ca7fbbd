import t from 'tap'
import { findChain } from '../../src/chains/find.ts'
import type { Order } from '../../src/proof/terms/order.ts'
import * as seal from '../../src/swap/seal.ts'
import fc from '../fixtures/fast-check.ts'

/** An order and its quote, in one row. */
interface Sealed {
  readonly provider: string
  readonly chain: string
  readonly side: 'buy' | 'sell'
  readonly token: string
  readonly amountIn: string
  readonly slippageBps: number
  readonly expectedOut: string
  readonly minOut: string
  readonly asOf: number
  readonly raw: string
  /** Null for the native coin. */
  readonly against: string | null
}

const solana = findChain('solana')!

function orderOf({ chain, side, token, amountIn, slippageBps, against }: Sealed): Order {
  const native = { address: against ?? 'native', isNative: against === null, decimals: 9 }
  const other = { address: token, isNative: false, decimals: 6 }
  const [tokenIn, tokenOut] = side === 'buy' ? [native, other] : [other, native]
  const rest = { side, tokenIn, tokenOut, slippageBps, from: null }
  return { ...rest, chain: { ...solana, key: chain }, amountIn: BigInt(amountIn) }
}

const quoteOf = ({ provider, expectedOut, minOut, asOf, raw }: Sealed): seal.SealableQuote => ({
  provider,
  expectedOut,
  minOut,
  route: { asOf, raw },
})

class Sealer {
  readonly #sealer: seal.Sealer

  constructor(secret: string | null) {
    this.#sealer = new seal.Sealer(secret)
  }

  seal(row: Sealed): string {
    return this.#sealer.seal(orderOf(row), quoteOf(row))
  }

  isSealed(row: Sealed, text: string): boolean {
    return this.#sealer.isSealed(orderOf(row), quoteOf(row), text)
  }
}

const quote: Sealed = {
  provider: 'jupiter',
  chain: 'solana',
  side: 'buy',
  token: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  amountIn: '1000000000',
  slippageBps: 300,
  expectedOut: '41873522',
  minOut: '40617316',
  asOf: 1_790_012_345_000,
  raw: '{"inAmount":"1000000000"}',
  against: null,
}

t.test('holds for what was sealed, under the same secret', async (t) => {
  const seal = new Sealer('secret').seal(quote)
  t.match(seal, /^[\w-]{43}$/)
  t.ok(new Sealer('secret').isSealed(quote, seal), 'instances that share the secret')
  t.notOk(new Sealer('other').isSealed(quote, seal))
  const random = new Sealer(null)
  t.ok(random.isSealed(quote, random.seal(quote)))
  t.notOk(new Sealer(null).isSealed(quote, random.seal(quote)), 'a secret of their own for each process')
})

t.test('breaks with any change of any field', async (t) => {
  const sealer = new Sealer('secret')
  const seal = sealer.seal(quote)
  const changed: Partial<Sealed>[] = [
    { provider: 'kyberswap' },
    { chain: 'base' },
    { side: 'sell' },
    { token: quote.token.toLowerCase() },
    { amountIn: '1000000001' },
    { slippageBps: 301 },
    { expectedOut: '41873523' },
    { minOut: '1' },
    { asOf: quote.asOf + 1 },
    { raw: '{"inAmount": "1000000000"}' },
    { raw: '' },
    { against: 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263' },
  ]
  for (const change of changed)
    t.notOk(sealer.isSealed({ ...quote, ...change }, seal), JSON.stringify(change))
  for (const bad of ['', 'x', seal.slice(1), `${seal}A`, seal.toUpperCase()])
    t.notOk(sealer.isSealed(quote, bad), bad)
})

t.test('it is for the token that is bought, or sold', async (t) => {
  const sealer = new Sealer('secret')
  for (const side of ['buy', 'sell'] as const) {
    const own = { ...quote, side }
    const seal = sealer.seal(own)
    t.ok(sealer.isSealed(own, seal))
    t.notOk(sealer.isSealed({ ...own, token: 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263' }, seal), side)
  }
})

t.test('it is for both tokens, where neither is the native coin', async (t) => {
  const sealer = new Sealer('secret')
  const against = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
  for (const side of ['buy', 'sell'] as const) {
    const own = { ...quote, side, against }
    const seal = sealer.seal(own)
    t.ok(sealer.isSealed(own, seal))
    t.notOk(sealer.isSealed({ ...own, against: null }, seal), 'another side')
    t.notOk(sealer.isSealed({ ...own, against: own.token, token: against }, seal), 'the other way round')
    t.notOk(sealer.isSealed({ ...own, side: side === 'buy' ? 'sell' : 'buy' }, seal))
  }
})

t.test('fields cannot run into each other', async (t) => {
  const sealer = new Sealer('secret')
  const text = fc.string()
  fc.assert(
    fc.property(text, text, text, text, (chain, token, otherChain, otherToken) => {
      const a = { ...quote, chain, token }
      const b = { ...quote, chain: otherChain, token: otherToken }
      const same = chain === otherChain && token === otherToken
      return sealer.isSealed(b, sealer.seal(a)) === same
    }),
  )
  const shifted = { ...quote, token: `${quote.token}"`, raw: quote.raw.slice(1) }
  t.notOk(sealer.isSealed(shifted, sealer.seal(quote)))
})
