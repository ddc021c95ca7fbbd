/**
 * A race as instances tell it to each other: the order, and what each provider
 * answered. Who won, and why, follows from that here as it did there.
 */
import { Type } from 'typebox'
import { findChain } from '../chains/find.ts'
import type { SwapProviders } from '../proof/proved.ts'
import { CancellationScope } from '../runtime/cancellation.ts'
import type { Clock } from '../runtime/clock.ts'
import { compile } from '../runtime/validate.ts'
import { type Codec, decodeError, EncodedError, encodeError } from '../upstream/shared-answers.ts'
import type { Run } from './quotes.ts'
import { type Answer, decided } from './race.ts'

const Amount = Type.String({ pattern: '^\\d{1,80}$' })
const Token = Type.Object({
  address: Type.String({ maxLength: 512 }),
  isNative: Type.Boolean(),
  decimals: Type.Integer({ minimum: 0, maximum: 255 }),
})
const ToldRun = Type.Object({
  chain: Type.String(),
  side: Type.Enum(['buy', 'sell']),
  tokenIn: Token,
  tokenOut: Token,
  amountIn: Amount,
  slippageBps: Type.Integer({ minimum: 1, maximum: 5_000 }),
  from: Type.Union([Type.String({ maxLength: 512 }), Type.Null()]),
  fairOut: Type.Union([Amount, Type.Null()]),
  answers: Type.Array(
    Type.Object({
      provider: Type.String(),
      asOf: Type.Number(),
      offer: Type.Union([
        Type.Object({
          expectedOut: Amount,
          minOut: Amount,
          priceImpactPct: Type.Union([Type.Number(), Type.Null()]),
          details: Type.Record(Type.String(), Type.Unknown()),
          raw: Type.String(),
        }),
        Type.Null(),
      ]),
      failure: Type.Union([EncodedError, Type.Null()]),
    }),
  ),
})

/** @param providers  this instance's: a race of others is of no use */
export function runCodec(providers: SwapProviders, clock: Clock): Codec<Run> {
  const told = compile(ToldRun)
  return {
    write({ order, fairOut, winner }) {
      return JSON.stringify({
        ...order,
        chain: order.chain.key,
        amountIn: String(order.amountIn),
        fairOut: fairOut === null ? null : String(fairOut),
        answers: winner.answers.map(({ provider, offer, failure, asOf }) => ({
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
      if (!told.Check(value)) return null
      const chain = findChain(value.chain)
      const candidates = (chain && providers.get(chain.key)) ?? []
      if (chain === null || value.answers.length !== candidates.length) return null
      const answers: Answer[] = []
      for (const [i, provider] of candidates.entries()) {
        const { provider: label, offer, failure, asOf } = value.answers[i]!
        if (label !== provider.label) return null
        const answer: Answer = {
          provider,
          offer: offer && { ...offer, expectedOut: BigInt(offer.expectedOut), minOut: BigInt(offer.minOut) },
          failure: failure && decodeError(failure),
          asOf: Math.round(asOf + skewMs),
        }
        // As every offer is held to, see proof/proved.ts.
        if (answer.offer && (answer.offer.minOut <= 0n || answer.offer.minOut > answer.offer.expectedOut)) {
          return null
        }
        answers.push(answer)
      }
      const fairOut = value.fairOut === null ? null : BigInt(value.fairOut)
      const winner = decided(answers, fairOut)
      if (winner === null) return null
      const { side, tokenIn, tokenOut, slippageBps, from } = value
      const now = clock.now()
      const isWhole = answers.every(({ offer, failure }) => offer !== null || failure !== null)
      return {
        candidates,
        order: { chain, side, tokenIn, tokenOut, amountIn: BigInt(value.amountIn), slippageBps, from },
        fairOut,
        winner,
        scope: new CancellationScope(),
        keptUntil: now + leftMs,
        partialSince: isWhole ? null : now,
      }
    },
  }
}
