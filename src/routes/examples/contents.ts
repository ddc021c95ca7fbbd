/** What the community's paths answer if an operator publishes the items of content.json. Source: §4.10 */
import type { Example } from '../../http/route.ts'
import { ALL, type ContentPath } from '../../research/content/inventory.ts'
import recorded from './content.json' with { type: 'json' }

const { published } = recorded
const wallet = published['game-players'][0]!.wallet

/** A request to a path, and the 200 that an operator's gateway gives to it. */
export function contentExample({ answer, parameters }: ContentPath): Example {
  if (answer.kind === 'fixed') return { request: {}, reply: answer.body }
  const items: readonly { readonly id: string; readonly queue?: string }[] = published[answer.of]
  if (answer.kind === 'operation') return { request: { operation: ALL }, reply: { items } }
  if (answer.kind === 'first') {
    return { request: parameters.includes('wallet') ? { wallet } : {}, reply: items[0] }
  }
  const { queue } = answer
  const found = queue === undefined ? items : items.filter((item) => item.queue === queue)
  const isPaged = parameters.includes('cursor') || parameters.includes('before')
  return { request: {}, reply: { items: found, ...(isPaged ? { next: null } : {}) } }
}
