/**
 * A race, serialized for other instances: the order, and what each provider answered. The reader decides the
 * race again from that, with the same outcome.
 */
import { type Static, Type } from 'typebox'
import { findChain } from '../chains/find.ts'
import { CancellationScope } from '../flow/cancellation.ts'
import type { SwapProviders } from '../providers/proved.ts'
import type { Clock } from '../runtime/clock.ts'
import { nullable } from '../runtime/resources/shared.ts'
import { compile } from '../runtime/validate.ts'
import { type Codec, decodeError, EncodedError, encodeError } from '../upstream/answers/shared-answers.ts'
import type { Fair, Gas } from './fair.ts'
import type { SharedRace } from './quotes.ts'
import { decidedRace, type ProviderAnswer } from './race.ts'

const Amount = Type.String({ pattern: '^\\d{1,80}$' })
const Token = Type.Object({
  address: Type.String({ maxLength: 512 }),
  isNative: Type.Boolean(),
  decimals: Type.Integer({ minimum: 0, maximum: 255 }),
})
const Names = Type.Array(Type.String({ maxLength: 64 }), { maxItems: 8 })
const SerializedRace = Type.Object({
  chain: Type.String(),
  side: Type.Enum(['buy', 'sell']),
  tokenIn: Token,
  tokenOut: Token,
  amountIn: Amount,
  slippageBps: Type.Integer({ minimum: 1, maximum: 5_000 }),
  from: Type.Union([Type.String({ maxLength: 512 }), Type.Null()]),
  fair: Type.Object({
    out: Type.Union([Amount, Type.Null()]),
    floor: Type.Union([Amount, Type.Null()]),
    sources: Type.Array(Type.String()),
    market: Type.Optional(
      Type.Object({
        value: Amount,
        depths: Type.Array(Type.Union([Amount, Type.Null()]), { maxItems: 2 }),
      }),
    ),
    gas: Type.Optional(
      Type.Object({
        nodes: Names,
        prices: Names,
        price: Amount,
        dataFee: Amount,
        outPerCoin: Amount,
        usdPerCoin: Type.Union([Amount, Type.Null()]),
        usdPerOut: Type.Union([Amount, Type.Null()]),
      }),
    ),
    losses: Type.Optional(
      Type.Record(Type.String({ maxLength: 64 }), Type.Integer({ minimum: 0, maximum: 10_000 })),
    ),
  }),
  answers: Type.Array(
    Type.Object({
      provider: Type.String(),
      asOf: Type.Number(),
      offer: nullable(
        Type.Object({
          expectedOut: Amount,
          minOut: Amount,
          priceImpactPct: Type.Union([Type.Number(), Type.Null()]),
          gas: Type.Optional(
            Type.Object({ units: Type.Integer({ minimum: 0 }), bytes: Type.Integer({ minimum: 0 }) }),
          ),
          details: Type.Record(Type.String(), Type.Unknown()),
          raw: Type.String(),
        }),
      ),
      failure: Type.Union([EncodedError, Type.Null()]),
    }),
  ),
})

/** @param providers  this instance's: a race between other providers is not read */
export function raceCodec(providers: SwapProviders, clock: Clock): Codec<SharedRace> {
  const serialized = compile(SerializedRace)
  return {
    write({ order, fair, answers }) {
      return JSON.stringify({
        ...order,
        chain: order.chain.key,
        amountIn: String(order.amountIn),
        fair: { ...fair, out: text(fair.out), floor: text(fair.floor), ...written(fair) },
        answers: answers.map(({ provider, offer, failure, asOf }) => ({
          provider: provider.label,
          asOf,
          offer: offer && {
            ...offer,
            expectedOut: String(offer.expectedOut),
            minOut: String(offer.minOut),
          },
          failure: failure && encodeError(failure),
        })),
      })
    },
    read(text, { leftMs, skewMs }) {
      const value: unknown = JSON.parse(text)
      if (!serialized.Check(value)) return null
      const chain = findChain(value.chain)
      const candidates = (chain && providers.get(chain.key)) ?? []
      if (chain === null || value.answers.length !== candidates.length) return null
      const answers: ProviderAnswer[] = []
      for (const [i, provider] of candidates.entries()) {
        const { provider: label, offer, failure, asOf } = value.answers[i]!
        if (label !== provider.label) return null
        const answer: ProviderAnswer = {
          provider,
          offer: offer && { ...offer, expectedOut: BigInt(offer.expectedOut), minOut: BigInt(offer.minOut) },
          failure: failure && decodeError(failure),
          asOf: Math.round(asOf + skewMs),
        }
        // The bounds that every offer has, see providers/proved.ts.
        if (answer.offer && (answer.offer.minOut <= 0n || answer.offer.minOut > answer.offer.expectedOut)) {
          return null
        }
        answers.push(answer)
      }
      const { gas, market, ...worth } = value.fair
      const fair = {
        ...worth,
        out: amount(worth.out),
        floor: amount(worth.floor),
        ...(market && { market: { value: BigInt(market.value), depths: market.depths.map(amount) } }),
        ...(gas && { gas: readGas(gas) }),
      }
      const { side, tokenIn, tokenOut, slippageBps, from } = value
      const amountIn = BigInt(value.amountIn)
      const order = { chain, side, tokenIn, tokenOut, amountIn, slippageBps, from }
      const race = decidedRace(order, answers, fair)
      if (race === null) return null
      const now = clock.now()
      const isComplete = answers.every(({ offer, failure }) => offer !== null || failure !== null)
      return {
        ...race,
        scope: new CancellationScope(),
        cachedUntil: now + leftMs,
        partialSince: isComplete ? null : now,
      }
    },
  }
}

const written = ({ gas, market }: Fair) => ({
  ...(market && { market: { value: String(market.value), depths: market.depths.map(text) } }),
  ...(gas && {
    gas: {
      nodes: gas.nodes,
      prices: gas.prices,
      price: String(gas.price),
      dataFee: String(gas.dataFee),
      outPerCoin: String(gas.outPerCoin),
      usdPerCoin: text(gas.usdPerCoin),
      usdPerOut: text(gas.usdPerOut),
    },
  }),
})

const readGas = (gas: NonNullable<Static<typeof SerializedRace>['fair']['gas']>): Gas => ({
  nodes: gas.nodes,
  prices: gas.prices,
  price: BigInt(gas.price),
  dataFee: BigInt(gas.dataFee),
  outPerCoin: BigInt(gas.outPerCoin),
  usdPerCoin: amount(gas.usdPerCoin),
  usdPerOut: amount(gas.usdPerOut),
})

const text = (amount: bigint | null): string | null => (amount === null ? null : String(amount))
const amount = (text: string | null): bigint | null => (text === null ? null : BigInt(text))
