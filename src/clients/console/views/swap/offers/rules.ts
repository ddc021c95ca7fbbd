/** How far a build is verified, and its rules by subject. */
import type { Level } from '../../../../verify/types.ts'
import words from './words.json' with { type: 'json' }

/** The strongest first. */
export const LEVELS: Readonly<Record<Level, (typeof words.levels)['proved']>> = words.levels

/** @returns the weakest of them; an unknown level counts as `stated` */
export function weakestOf(levels: readonly string[]): Level {
  const order = Object.keys(LEVELS) as Level[]
  const ranks = levels.map((level) => order.indexOf(level as Level))
  return ranks.length === 0 || ranks.includes(-1) ? 'stated' : order[Math.max(...ranks)]!
}

const GROUPS: Readonly<Record<string, string>> = words.rules

const FORM = 'Form'

/** Rules by subject, without empty groups. */
export function groupsOf(rules: readonly string[]): readonly (readonly [group: string, rules: string[]])[] {
  const groups = new Map<string, string[]>([...Object.keys(GROUPS), FORM].map((group) => [group, []]))
  for (const rule of rules) {
    const group = Object.keys(GROUPS).find((one) => GROUPS[one]!.split(' ').includes(rule))
    groups.get(group ?? FORM)!.push(rule)
  }
  return [...groups].filter(([, some]) => some.length > 0)
}
