/** The outcome of a verification, and how answers are read for one. */
import { refuseMaterial, type Verification } from '../../proof/verification.ts'
import type { Confirmed, MaterialToSign } from './types.ts'

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
 * @param more  facts of the order itself
 * @param stated  what was left to somebody's word before the material was read
 */
export function confirmed(
  { level, checks, stated, simulation: _, ...facts }: Verification,
  material: MaterialToSign,
  more: Readonly<Record<string, unknown>>,
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
    facts: { ...facts, ...more },
    material,
  }
}

/** What each source of the wallet's would tell. */
const NEEDED = {
  decimals: ['decimals'],
  execute: ['outcome'],
  ton: ['router', 'pools', 'jetton_wallet'],
} as const
