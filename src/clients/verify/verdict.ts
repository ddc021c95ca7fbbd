/** The outcome of a verification, and how answers are read for one. */
import { refuseMaterial, type Verification } from '../../proof/terms/verification.ts'
import type { Confirmed, Facts, Send } from './types.ts'

/** The members of an answer, whatever they are. */
export type Answer = Readonly<Record<string, unknown>>

/** @throws GatewayError  for what is not an object */
export function objectOf(built: unknown): Answer {
  if (typeof built !== 'object' || built === null || Array.isArray(built)) throw refuseMaterial('malformed')
  return built as Answer
}

/** @throws GatewayError  naming the member, for what is not a text */
export function textOf(answer: Answer, name: string): string {
  const value = answer[name]
  if (typeof value !== 'string') throw refuseMaterial(name)
  return value
}

/**
 * The minimum to prove: the order's, or what the answer says arrives, where that is more. So what is shown holds.
 * @throws GatewayError  material_refused, rule `minimum`, for what is no amount
 */
export function leastOf(minOut: bigint, said: unknown): bigint {
  if (said === undefined || said === null) return minOut
  if (typeof said !== 'string' || !/^\d{1,78}$/.test(said)) throw refuseMaterial('minimum')
  return BigInt(said) > minOut ? BigInt(said) : minOut
}

/**
 * @param order  facts of the order itself
 * @param statedBefore  what was left to somebody's word before the material was read
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

/** What each source of the wallet's would tell. */
const NEEDED = {
  decimals: ['decimals'],
  execute: ['outcome'],
  ton: ['router', 'pools', 'jetton_wallet'],
} as const
