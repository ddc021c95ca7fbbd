import names from './rule-names.json' with { type: 'json' }

/** Every rule that material can be refused by, as docs/verification.md lists them by family; a metric has each. */
export const RULES: readonly string[] = names
