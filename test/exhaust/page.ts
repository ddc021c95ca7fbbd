/** The section of docs/verification.md about the parser: where it differs from a validator, what was tried, the last run. */

import { table } from '../../scripts/docs/table.ts'
import { FAMILIES } from './families.ts'
import { countOf, type Family } from './family.ts'
import type { WholeLog } from './log.ts'
import { EXTRA_RULES, LEFT_TO_NODES } from './rules.ts'
import run from './run.json' with { type: 'json' }

const RUN = run as unknown as WholeLog | null

const count = (n: number): string => n.toLocaleString('en')

export function exhaust(): string {
  const all = FAMILIES.reduce((sum, family) => sum + countOf(family), 0)
  const differences = [...EXTRA_RULES, ...LEFT_TO_NODES].map(({ rule, parser, validator, reason }) => [
    rule,
    parser,
    validator,
    reason,
  ])
  const rows = FAMILIES.map((family) => [
    `\`${family.name}\``,
    family.what,
    productOf(family),
    count(countOf(family)),
    RUN === null ? '' : count(RUN.families[family.name]?.verdicts.accepted ?? 0),
  ])
  return [
    table(['rule', 'the parser', 'a validator', 'why'], differences),
    '',
    table(
      ['family', 'its cases', 'made up of', 'cases', 'accepted'],
      [...rows, ['all', '', '', count(all), acceptedByAll()]],
    ),
    '',
    RUN === null ? 'No whole run is recorded yet.' : described(RUN),
  ].join('\n')
}

const productOf = ({ factors }: Family): string =>
  factors.map(([factor, of]) => `${count(factor)} ${of}`).join(' × ')

const acceptedByAll = (): string =>
  RUN === null
    ? ''
    : count(Object.values(RUN.families).reduce((sum, { verdicts }) => sum + (verdicts.accepted ?? 0), 0))

function described(run: WholeLog): string {
  const { signed, badlySigned, refused, refusedApart } = run.machine
  return [
    `Last run: commit \`${run.commit}\`, Node.js ${run.node.slice(1)}, ${count(run.cases)} cases in ${count(run.seconds)} seconds`,
    `by ${run.processes} processes, ${run.disagreements} disagreements; SHA-256 of the verdicts \`${run.digest}\`.`,
    `In LiteSVM: ${count(signed)} signed, ${count(badlySigned)} badly signed, ${count(refused + refusedApart)} refused by the parser, 0 disagreements.`,
  ].join('\n')
}
