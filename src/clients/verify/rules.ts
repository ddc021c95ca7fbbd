/**
 * The verification rules in plain words. Each states what holds if the check passed; after a refusal, it is
 * what failed.
 */
import texts from './rule-texts.json' with { type: 'json' }

/** @returns null for a rule that this version has no description of */
export const ruleInWords = (rule: string): string | null =>
  Object.hasOwn(texts, rule) ? texts[rule as keyof typeof texts] : null
