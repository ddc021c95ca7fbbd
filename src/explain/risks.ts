/**
 * The risks by their codes: their severity, and the rule that would have to hold. docs/explain.md has the
 * table. `isHeld`: a power that a key may hold over its own assets; code, a guard or a program may not, even at the
 * owner's address.
 */
import rules from './risk-rules.json' with { type: 'json' }
import type { Severity } from './types.ts'

export type RiskCode = keyof typeof rules

interface RiskRule {
  readonly severity: Severity
  readonly rule: string
  readonly isHeld?: boolean
}

export const RISKS = rules as Readonly<Record<RiskCode, RiskRule>>
