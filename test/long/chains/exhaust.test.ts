/** What a sample of each family reaches of the parser, and what LiteSVM says of more of them. */

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { tryMachine } from '../../exhaust/machine.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

const run = (program: string, ...args: string[]): string =>
  execFileSync(
    process.execPath,
    ['--import=./scripts/ts-loader.mjs', `test/exhaust/${program}.ts`, ...args],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  )

t.test('the families alone reach every branch of the parser', async (t) => {
  const { branches, missed } = JSON.parse(run('coverage'))
  t.equal(missed, 0)
  t.ok(branches > 150, `${branches} branches`)
})

t.test(
  'LiteSVM judges as the parser and the verifier do, also what it cannot decode',
  { timeout: 600_000 },
  async (t) => {
    const tally = await tryMachine({ most: 200, mostApart: 2, through: 50_000 })
    t.ok(tally.signed > 1_000 && tally.refused > 1_000 && tally.refusedApart > 20, JSON.stringify(tally))
  },
)

t.test('the number of processes changes nothing about the digest', async (t) => {
  const [one, three] = [1, 3].map((processes) =>
    run('main', '--families=sizes,masks,heaps,prefixes', `--processes=${processes}`).split('\n').at(-2),
  )
  t.equal(one, three)
  t.match(one, /^783,426 cases, 0 disagreements, [0-9a-f]{64}$/)
})
