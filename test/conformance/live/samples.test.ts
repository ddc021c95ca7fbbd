/**
 * Real answers, transactions and messages: a gateway in live mode accepts each of them, or refuses it for a reason
 * that is listed in test/fixtures/live/judge.ts. docs/verification.md has the table.
 */
import t from 'tap'
import { judge, mayPass, REASONS, rowOf } from '../../fixtures/live/judge.ts'
import { isToBeRefused, LIVE_MISSING, type LiveSample, readLive } from '../../fixtures/live/samples.ts'

const samples = LIVE_MISSING === false ? readLive() : []
const byRow = new Map<string, LiveSample[]>()
for (const sample of samples) byRow.set(rowOf(sample), [...(byRow.get(rowOf(sample)) ?? []), sample])

/** Refused wrongly, for now: each is to pass as soon as what refuses it is mended. */
const PENDING: ReadonlySet<string> = new Set(['evm-cee2bef4ac56'])

t.test('real samples', { skip: LIVE_MISSING }, async (t) => {
  for (const [row, samples] of byRow) {
    t.test(row, async (t) => {
      for (const sample of samples) {
        const rule = await judge(t, sample)
        const why = rule === null ? null : REASONS[row]?.[rule]
        const { id, expect } = sample
        if (isToBeRefused(sample) && !mayPass(sample)) {
          t.type(why, 'string', `${id} is refused for a listed reason: ${rule}`)
        } else {
          t.equal(rule, null, `${id} is accepted: ${expect.verdict}`, { todo: PENDING.has(id) })
        }
      }
    })
  }
})
