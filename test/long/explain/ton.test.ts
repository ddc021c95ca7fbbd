/** What TON wallets are asked to send, by the classes of what harms, and honest ones, judged by carrying them out. */

import t from 'tap'
import { explain } from '../../../src/explain/explain.ts'
import type { ExplainRequest } from '../../../src/explain/types.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { Table } from '../../fixtures/explain/table.ts'
import { CLASSES, HONEST, REVOKES, type Step, TonDraw } from '../../fixtures/explain/ton-draw.ts'
import { harmsOfTon } from '../../fixtures/explain/ton-judge.ts'
import { SEED } from '../../fixtures/fast-check.ts'

const HARMFUL = 2_500
const HONEST_ONES = 250

function request(draw: TonDraw, steps: readonly Step[]) {
  const asked = { chain: 'ton', owner: draw.owner, recent: draw.recent, ...draw.asked(steps) }
  return { asked: asked as ExplainRequest, harms: harmsOfTon(draw.world, asked) }
}

t.test('nothing harmful is without a risk', async (t) => {
  const table = new Table()
  const titles = Object.keys(CLASSES)
  for (let i = 0; table.harmful < HARMFUL && i < 2 * HARMFUL; i++) {
    const draw = new TonDraw(new Random(SEED, i))
    const title = titles[i % titles.length]!
    const steps = Array.from({ length: draw.random.below(3) }, () => draw.random.pick(HONEST)(draw))
    steps.splice(draw.random.below(steps.length + 1), 0, draw.random.pick(CLASSES[title]!)(draw))
    const { asked, harms } = request(draw, steps)
    const missed = table.add(title, harms, await explain(asked))
    if (missed !== null) t.fail(missed, { harms, asked })
  }
  for (const line of table.lines()) t.comment(line)
  t.ok(table.harmful >= HARMFUL, `${table.harmful} harm`)
})

t.test('honest ones are not accused', async (t) => {
  const table = new Table()
  for (let i = 0; i < HONEST_ONES; i++) {
    const draw = new TonDraw(new Random(SEED + 1, i))
    const steps = draw.random.chance(0.1)
      ? [draw.random.pick(REVOKES)(draw)]
      : Array.from({ length: 1 + draw.random.below(3) }, () => draw.random.pick(HONEST)(draw))
    const { asked, harms } = request(draw, steps)
    t.same(harms, [], 'it is carried out, and harms nobody')
    table.add('honest', [], await explain(asked))
  }
  for (const line of table.lines()) t.comment(line)
  t.equal(table.dangerous, 0, 'dangerous')
  t.ok(table.warned * 100 <= HONEST_ONES, `${table.warned} warned`)
})
