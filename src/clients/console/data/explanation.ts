/**
 * What the gateway and its node add to the page's own explanation. The page trusts the gateway no further
 * than that: its answer can make a verdict worse, never better.
 */
import type { Action, Explanation } from '../../../explain/types.ts'
import type { Explain as Answer } from '../../client/index.ts'

const VERDICTS = ['known', 'unknown', 'danger'] as const

/** The page's explanation with the result of executing it, and with what only the gateway knows. */
export function withNode(
  own: Explanation,
  { verdict, actions, risks, unknown, simulation }: Answer,
): Explanation {
  const isNew = ({ code, reason }: { code: string; reason: string }) =>
    !own.risks.some((one) => one.code === code && one.reason === reason)
  const worse = Math.max(VERDICTS.indexOf(own.verdict), VERDICTS.indexOf(verdict))
  return {
    ...own,
    verdict: VERDICTS[worse]!,
    actions: own.actions.map((action, i) => described(action, actions[i])),
    risks: [...own.risks, ...risks.filter(isNew)],
    unknown: [...own.unknown, ...unknown.filter(({ where }) => where === 'simulation')],
    simulation,
  }
}

/** With a descriptor's texts, if both read the same action. */
function described(action: Action, theirs: Answer['actions'][number] | undefined): Action {
  const isSame = theirs?.words === action.words && action.fields === null
  return isSame ? { ...action, fields: theirs.fields } : action
}
