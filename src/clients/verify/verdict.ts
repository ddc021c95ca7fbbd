/** The outcome of a verification, and how answers are read for one. */
import { refuseMaterial, type Verification } from '../../proof/terms/verification.ts'
import type { Confirmed, Facts, Send } from './types.ts'

/** The members of an answer, whatever they are. */
export type Answer = Readonly<Record<string, unknown>>

/** @throws GatewayError  if it isn't an object */
export function objectOf(built: unknown): Answer {
  if (typeof built !== 'object' || built === null || Array.isArray(built)) throw refuseMaterial('malformed')
  return built as Answer
}

/** @throws GatewayError  naming the member, if it isn't a text */
export function textOf(answer: Answer, name: string): string {
  const value = answer[name]
  if (typeof value !== 'string') throw refuseMaterial(name)
  return value
}

/**
 * The minimum to prove: the order's, or the answer's, if that is more, so that the shown figure holds.
 * @throws GatewayError  material_refused, rule `minimum`, if it isn't an amount
 */
export function leastOf(minOut: bigint, said: unknown): bigint {
  if (said === undefined || said === null) return minOut
  if (typeof said !== 'string' || !/^\d{1,78}$/.test(said)) throw refuseMaterial('minimum')
  return BigInt(said) > minOut ? BigInt(said) : minOut
}

/**
 * @param order  facts of the order itself
 * @param statedBefore  what was already unproved before the material was read
 */
export function confirmed(
  { level, checks, stated, simulation: _, ...facts }: Verification,
  send: Send,
  order: Facts,
  statedBefore: readonly string[],
): Confirmed {
  const all = [...statedBefore, ...stated]
  const needs = (['decimals', 'execute', 'ton'] as const).filter((source) =>
    NEEDED[source].some((what) => all.includes(what)),
  )
  return {
    isVerified: true,
    level: statedBefore.length > 0 ? 'stated' : level,
    checks: checks.filter((check) => !all.includes(check)),
    stated: all,
    needs,
    facts: { ...facts, ...order },
    send,
  }
}

/** What each source of the wallet's would show. */
const NEEDED = {
  decimals: ['decimals'],
  execute: ['outcome'],
  ton: ['router', 'pools', 'jetton_wallet'],
} as const
