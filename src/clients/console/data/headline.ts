/** The one sentence of an explanation: its gravest step, and whether others need a look. */
import type { Action, Explanation } from '../../../explain/types.ts'
import { capitalised, counted, joined } from '../format.ts'

export function headlineOf({ actions, risks, effects, unknown }: Explanation): string {
  const risksOf = (i: number) => risks.filter(({ action, severity }) => action === i && severity !== 'info')
  const rankOf = ({ kind }: Action, i: number): number => {
    if (risksOf(i).some(({ severity }) => severity === 'danger')) return 0
    if (kind === 'swap') return 1
    return effects.some(({ action, kind }) => action === i && kind !== 'account' && kind !== 'cost') ? 2 : 3
  }
  const [first] = actions.map((_, i) => i).sort((a, b) => rankOf(actions[a]!, a) - rankOf(actions[b]!, b))
  const unread = unknown.length === 0 ? '' : `${counted(unknown.length, 'part')} couldn't be decoded`
  if (first === undefined) return unread === '' ? 'Does nothing' : capitalised(unread)
  const { words, to } = actions[first]!
  const isNew = to !== null && risksOf(first).some(({ code }) => code === 'recipient_unknown')
  const others = actions.filter((_, i) => i !== first && risksOf(i).length > 0).length
  const more = others === 0 ? '' : `${counted(others, 'more step')} to check`
  return joined('; ', capitalised(isNew ? words.replaceAll(to, 'a new address') : words), more, unread)
}
