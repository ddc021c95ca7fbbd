#!/usr/bin/env node
/** `npx swapgate-verify FILE`: judges the file of a trade again. It asks no network. */
import { readFileSync } from 'node:fs'
import { type Confirmed, judgeTrade } from './index.ts'

const [path] = process.argv.slice(2)
if (path === undefined) {
  process.stderr.write('Usage: swapgate-verify FILE, the file of a trade.\n')
  process.exit(2)
}
const { isIntact, isRepeated, verdict, onlyChainTells } = await judgeTrade(readFileSync(path, 'utf8'))
const lines = [
  isIntact ? 'The file is as it was written.' : 'The file is not as it was written, or no trade of swapgate.',
  ...(verdict === null
    ? []
    : [isRepeated ? 'The verdict comes out again.' : 'The verdict is not the one in the file.']),
  ...(verdict === null
    ? []
    : verdict.isVerified
      ? verified(verdict)
      : [`Not verified: ${verdict.rule}. ${verdict.message}`]),
  ...(onlyChainTells.length === 0 ? [] : [`Only a chain can tell: ${onlyChainTells.join(', ')}.`]),
]
process.stdout.write(`${lines.join('\n')}\n`)
process.exitCode = isIntact && isRepeated && verdict?.isVerified === true ? 0 : 1

function verified({ level, checks, facts }: Confirmed): string[] {
  const { spends, receives } = facts as Record<string, Record<string, string>>
  return [
    `Verified as ${level}: ${checks.length} rules hold.`,
    `It spends ${spends?.amount} base units of ${spends?.token}.`,
    `At least ${receives?.atLeast} base units of ${receives?.token} reach ${receives?.recipient}.`,
  ]
}
