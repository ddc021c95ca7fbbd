/** What is drawn of every class that harms a wallet on an EVM chain has a risk; what is honest is not accused. */

import t from 'tap'
import { explain } from '../../../src/explain/explain.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { CLASSES, draw } from '../../fixtures/explain-evm/draws.ts'
import { Judge } from '../../fixtures/explain-evm/judge.ts'
import { SEED } from '../../fixtures/fast-check.ts'

const HARMFUL = 8_000
const HONEST = 800

const told = (drawn: unknown): string =>
  JSON.stringify(drawn, (key, one) =>
    key === 'world' ? undefined : typeof one === 'bigint' ? `${one}` : one,
  )

t.test('what harms has a risk', async (t) => {
  const rows = new Map(CLASSES.map((title) => [title, { drawn: 0, harmful: 0, silent: 0, known: 0 }]))
  for (let i = 0; i < HARMFUL; i++) {
    const { title, world, request } = draw(new Random(SEED, i), true)
    const row = rows.get(title)!
    row.drawn++
    const harms = new Judge(world).judge(request)
    if (harms.length === 0) continue
    row.harmful++
    const { verdict, risks } = await explain(request)
    if (verdict === 'known') row.known++
    if (risks.length > 0) continue
    if (row.silent++ < 3) t.fail(`${title}: ${harms}`, { request: told(request) })
  }
  for (const [title, row] of rows) {
    t.comment(`${title}: ${JSON.stringify(row)}`)
    t.equal(row.silent, 0, title)
    t.ok(row.harmful > row.drawn / 2, `${title}: ${row.harmful} of ${row.drawn} harm`)
  }
})

t.test('honest material is not accused', async (t) => {
  const seen = { drawn: 0, danger: 0, warned: 0 }
  for (let i = 0; i < HONEST; i++) {
    const { title, world, request } = draw(new Random(SEED, i), false)
    const harms = new Judge(world).judge(request)
    if (harms.length > 0) t.fail(`${title}: ${harms}`, { request: told(request) })
    seen.drawn++
    const { verdict, risks, unknown } = await explain(request)
    if (verdict === 'known') continue
    seen[verdict === 'danger' ? 'danger' : 'warned']++
    if (seen.danger + seen.warned < 6)
      t.comment(`${title}: ${told({ verdict, risks: risks.map(({ code }) => code), unknown, request })}`)
  }
  t.comment(JSON.stringify(seen))
  t.equal(seen.danger, 0)
  t.ok(seen.warned * 100 <= seen.drawn, `${seen.warned} are warned`)
})
