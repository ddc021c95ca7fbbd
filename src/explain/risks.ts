/**
 * The risks by their codes: their severity, and the rule that would have to hold. docs/explain.md has the
 * table.
 */
import rules from './risk-rules.json' with { type: 'json' }
import type { Severity } from './types.ts'

export type RiskCode = keyof typeof rules

export const RISKS = rules as Readonly<
  Record<RiskCode, { readonly severity: Severity; readonly rule: string }>
>
