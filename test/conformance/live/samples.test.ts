/**
 * Real answers, transactions and messages: a gateway in live mode accepts each of them, or refuses it for a reason
 * that is listed in test/fixtures/live/judge.ts. docs/attacks.md has the table: with LIVE=write this test writes
 * what `npm run docs` makes it of.
 */
import { writeFileSync } from 'node:fs'
import t from 'tap'
import { judge, mayPass, REASONS, rowOf } from '../../fixtures/live/judge.ts'
import { isToBeRefused, LIVE_MISSING, type LiveSample, readLive } from '../../fixtures/live/samples.ts'
import {
  digestOf,
  type Judged,
  LIVE_FILE,
  LIVE_RUN,
  type LiveRun,
  tabulated,
} from '../../fixtures/live/table.ts'

const samples = LIVE_MISSING === false ? readLive() : []
const byRow = new Map<string, LiveSample[]>()
for (const sample of samples) byRow.set(rowOf(sample), [...(byRow.get(rowOf(sample)) ?? []), sample])

t.test('real samples', { skip: LIVE_MISSING }, async (t) => {
  const judged: Judged[] = []
  for (const [row, samples] of byRow) {
    await t.test(row, async (t) => {
      for (const sample of samples) {
        const rule = await judge(t, sample)
        judged.push({ sample, rule })
        const why = rule === null ? null : REASONS[row]?.[rule]
        const { id, expect } = sample
        if (isToBeRefused(sample) && !mayPass(sample)) {
          t.type(why, 'string', `${id} is refused for a listed reason: ${rule}`)
        } else {
          t.equal(rule, null, `${id} is accepted: ${expect.verdict}`)
        }
      }
    })
  }
  const run: LiveRun = { digest: digestOf(samples), rows: tabulated(judged) }
  if (process.env.LIVE === 'write') writeFileSync(LIVE_FILE, `${JSON.stringify(run, null, 2)}\n`)
  // Other samples may lie there than those that the table is of.
  else if (run.digest === LIVE_RUN.digest) t.strictSame(run.rows, LIVE_RUN.rows, 'LIVE=write writes them')
  else t.comment(`the documents' table is of other samples: ${JSON.stringify(run.rows)}`)
})
