/** Names and problems as people write them; the API's own names and codes stand in details alone. */
import type { SwapgateError } from '../../client/index.ts'
import { plain } from '../format.ts'
import words from './titles.json' with { type: 'json' }

type Texts = Readonly<Record<string, string>>
const TITLES: Texts = words.providers
const NODES: Texts = words.nodes
const PROBLEMS: Texts = words.problems
const BUDGETS: Texts = words.budgets

export const budgetOf = (name: string): string => BUDGETS[name] ?? name

/** `jupiter` is Jupiter, `base-1` is Base node 1. */
export function titleOf(label: string): string {
  const [, chain, nth] = /^([a-z]+)-(\d+)$/.exec(label) ?? []
  if (TITLES[label] !== undefined || chain === undefined) return TITLES[label] ?? label
  return `${NODES[chain] ?? chain.charAt(0).toUpperCase() + chain.slice(1)} node ${nth}`
}

export function textOf({ code, message, retryAfterMs }: SwapgateError): string {
  const seconds = String(Math.max(1, Math.ceil((retryAfterMs ?? 0) / 1_000)))
  return PROBLEMS[code]?.replace('{seconds}', seconds) ?? plain(message)
}
