/** Compares the gateway's figures with what this page found in the transaction. */
import type { Quote } from '../../../../client/index.ts'
import type { Confirmed } from '../../../../verify/types.ts'
import { type Built, decimalsOf } from '../order.ts'

/** A figure that is shown, and the gateway's version of it. */
interface Told {
  readonly quote: Pick<Quote, 'amountIn' | 'amountInHuman' | 'expectedOut' | 'expectedOutHuman'>
  readonly built: Pick<Built, 'minOut' | 'verification'>
  readonly verdict: Pick<Confirmed, 'facts'>
  /** Null within one chain. */
  readonly crossing: object | null
}

/** The gateway's figure that differs from the transaction's by more than a unit; null if none does. */
export function differenceIn({ quote, built, verdict, crossing }: Told): string | null {
  const { spends, receives } = verdict.facts
  const isFar = (told: unknown, found: string, unit = 1n): boolean => {
    const by = typeof told === 'string' ? BigInt(told) - BigInt(found) : 0n
    return by > unit || by < -unit
  }
  // A bridge counts in fewer decimals, and rounds the minimum.
  const bridged = crossing === null ? 1n : BigInt(receives.atLeast) / 1_000n
  const isOther = (base: string | null, human: number | null, decimals: number | null): boolean => {
    const told = decimalsOf(base, human)
    return told !== null && decimals !== null && told !== decimals
  }
  const recipient = built.verification?.recipient
  if (isFar(quote.amountIn, spends.amount)) return 'amount'
  if (isFar(built.minOut, receives.atLeast, bridged)) return 'minimum'
  if (isOther(quote.amountIn, quote.amountInHuman, spends.decimals)) return 'amount in whole tokens'
  if (isOther(quote.expectedOut, quote.expectedOutHuman, receives.decimals)) return 'output in whole tokens'
  if (typeof recipient === 'string' && recipient.toLowerCase() !== receives.recipient.toLowerCase())
    return 'recipient'
  return null
}
