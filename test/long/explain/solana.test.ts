/**
 * Solana transactions by class, each in a wrapping of the network's, executed in LiteSVM: none that harms the wallet by
 * its balances and permissions is explained without a risk, and honest ones are not accused.
 */

import t from 'tap'
import { explain } from '../../../src/explain/explain.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { SEED } from '../../fixtures/fast-check.ts'
import { drawSolana, HARMFUL, HONEST, SolanaJudge } from '../../fixtures/ledger-solana.ts'

const HARM_DRAWS = 8_000
const HONEST_DRAWS = 800

/** The request names no owner then: who pays is taken for it. */
const PAID_BY_OTHERS = 'payer that is not the wallet'
const ENVELOPE: readonly string[] = ['fee_payer', 'other_signer', 'not_signer']

interface Row {
  drawn: number
  executed: number
  harmful: number
  missed: number
  accused: number
}
const tables = (names: readonly string[]): Map<string, Row> =>
  new Map(names.map((name) => [name, { drawn: 0, executed: 0, harmful: 0, missed: 0, accused: 0 }]))

t.test('harmful material has a risk, and honest material has none', async (t) => {
  t.setTimeout(300_000)
  const judge = await SolanaJudge.load()
  const begun = process.cpuUsage()
  const rows = { harmful: tables(Object.keys(HARMFUL)), honest: tables(Object.keys(HONEST)) }
  for (let i = 0; i < HARM_DRAWS + HONEST_DRAWS; i++) {
    const isHarmful = i < HARM_DRAWS
    const { title, request, tables, plain } = drawSolana(new Random(SEED, i), isHarmful)
    const row = rows[isHarmful ? 'harmful' : 'honest'].get(title)!
    row.drawn++
    const judged = judge.judge(plain)
    const harms = judged?.harms ?? null
    if (judged !== null) row.executed++
    const execute = async () =>
      judged && title !== PAID_BY_OTHERS ? { by: 'judge', at: null, changes: judged.changes } : null
    const { verdict, risks, summary } = await explain(request, { tables: async () => tables, execute })
    // Who signs and pays says nothing of what is done.
    const isTold = risks.some(({ code, severity }) => severity !== 'info' && !ENVELOPE.includes(code))
    if (verdict === 'unknown' && risks.length === 0) t.fail(`${title}, draw ${i} is unknown without a risk`)
    if (harms !== null && harms.length > 0) {
      row.harmful++
      if (isTold) continue
      row.missed++
      t.fail(`${title}, draw ${i}: ${harms.join(', ')}`, { request, summary })
    } else if (!isHarmful && isTold) {
      row.accused++
      if (verdict === 'danger') t.fail(`${title}, draw ${i} is called dangerous`, { request, risks })
    }
  }
  const { user, system } = process.cpuUsage(begun)
  for (const [kind, classes] of Object.entries(rows)) {
    for (const [name, row] of classes) t.comment(`${kind}, ${name}: ${JSON.stringify(row)}`)
  }
  t.comment(`${((user + system) / 1e6).toFixed(1)} s of the processor`)
  for (const [name, { executed, harmful }] of rows.harmful) t.ok(harmful > 0, `${name}: ${executed} executed`)
  const honest = [...rows.honest.values()]
  const sum = (of: (row: Row) => number) => honest.reduce((all, row) => all + of(row), 0)
  t.equal(
    sum(({ harmful }) => harmful),
    0,
    'honest ones harm nobody',
  )
  t.ok(sum(({ executed }) => executed) > 0.9 * HONEST_DRAWS)
  t.ok(sum(({ accused }) => accused) <= 0.01 * HONEST_DRAWS)
})
