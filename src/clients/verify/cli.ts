#!/usr/bin/env node
/** `swapgate-verify FILE`: judges the file of a trade again. It asks no network. */
import { readFileSync } from 'node:fs'
import { printable, shownPath } from '../../runtime/shown.ts'
import texts from './cli-help.json' with { type: 'json' }
import { type Judgement, judgeTrade } from './index.ts'

const HELP = texts.help.join('\n')
const REFUSED = 1
const EXCEPT = 2

async function main(): Promise<number> {
  const given = process.argv.slice(2)
  const flags = given.filter((one) => one.startsWith('-'))
  const paths = given.filter((one) => !one.startsWith('-'))
  if (flags.includes('--help') || flags.includes('-h')) {
    process.stdout.write(HELP)
    return 0
  }
  const unknown = flags.find((flag) => flag !== '--json')
  if (unknown !== undefined || paths.length !== 1) {
    process.stderr.write(
      `${unknown === undefined ? 'Name one file.' : `There is no ${printable(unknown)}.`}\n\n${HELP}`,
    )
    return REFUSED
  }
  let text: string
  try {
    text = readFileSync(paths[0]!, 'utf8')
  } catch (error) {
    process.stderr.write(`${shownPath(paths[0]!)} cannot be read: ${shownPath((error as Error).message)}\n`)
    return REFUSED
  }
  const judgement = await judgeTrade(text)
  const code = codeOf(judgement)
  process.stdout.write(flags.length > 0 ? jsonOf(judgement, code) : `${linesOf(judgement).join('\n')}\n`)
  return code
}

function codeOf({ isIntact, isRepeated, broken, notBound }: Judgement): number {
  if (!isIntact || !isRepeated || broken.length > 0) return REFUSED
  return notBound.length > 0 ? EXCEPT : 0
}

/** A terminal obeys more than what JSON escapes. */
const jsonOf = (judgement: Judgement, code: number): string =>
  `${JSON.stringify({ code, ...judgement }, null, 2)}\n`.replace(
    /[^\n -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

function linesOf({ isIntact, isRepeated, verdict, broken, notBound, changes }: Judgement): string[] {
  if (!isIntact || verdict === null)
    return ['Refused: the file is not as it was written, or no trade of swapgate.']
  return [
    'The file is as it was written.',
    isRepeated ? 'Its verdict comes out again.' : 'Refused: its verdict is not the one that comes out.',
    ...broken.flatMap(({ part, rule, expected, found }) => [
      `Refused: ${part}, ${rule}`,
      `  expected: ${expected}`,
      `  found:    ${found}`,
    ]),
    ...(verdict.isVerified && broken.length === 0 ? verified(verdict) : []),
    ...changes.map(({ words }) => `The signed transaction ${words}.`),
    ...notBound.map(({ part, why }) => `Not bound: ${part}: ${why}.`),
  ]
}

function verified({ level, checks, facts }: Judgement['verdict'] & { readonly isVerified: true }): string[] {
  const { spends, receives } = facts
  return [
    `What was built is verified as ${level}: ${checks.length} rules hold.`,
    `It spends ${spends.amount} base units of ${spends.token}.`,
    `At least ${receives.atLeast} base units of ${receives.token} reach ${receives.recipient}.`,
  ]
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`The file cannot be judged: ${shownPath(String(error))}\n`)
  process.exitCode = REFUSED
}
