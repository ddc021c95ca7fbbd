/** Transactions of Sui by the classes of what harms, and honest ones, judged by a ledger that executes them. */
import t from 'tap'
import { explain } from '../../../src/proof/explain/explain.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { CLASSES, HONEST, SuiDraw } from '../../fixtures/explain/sui-draw.ts'
import { harmsOfSui } from '../../fixtures/explain/sui-judge.ts'
import { Table } from '../../fixtures/explain/table.ts'

const SEED = Number(process.env.LANE_SEED ?? 1)
const HARMFUL = 2_500
const HONEST_ONES = 250

function request(draw: SuiDraw) {
  const { transaction, world } = draw.compose()
  return { world, asked: { chain: 'sui', transaction, owner: draw.owner, recent: [draw.friend] } }
}

t.test('nothing that harms is without a risk', async (t) => {
  const table = new Table()
  const titles = Object.keys(CLASSES)
  for (let i = 0; table.harmful < HARMFUL && i < 2 * HARMFUL; i++) {
    const draw = new SuiDraw(new Random(SEED, i))
    const title = titles[i % titles.length]!
    const steps = Array.from({ length: 1 + draw.random.below(3) }, () => draw.random.pick(HONEST))
    steps.splice(draw.random.below(steps.length + 1), 0, draw.random.pick(CLASSES[title]!))
    for (const step of steps) step(draw)
    const { world, asked } = request(draw)
    const harms = harmsOfSui(world, asked.transaction)
    const missed = table.add(title, harms, await explain(asked))
    if (missed !== null) t.fail(missed, { harms, asked })
  }
  for (const line of table.lines()) t.comment(line)
  t.ok(table.harmful >= HARMFUL, `${table.harmful} harm`)
})

t.test('honest ones are not accused', async (t) => {
  const table = new Table()
  for (let i = 0; i < HONEST_ONES; i++) {
    const draw = new SuiDraw(new Random(SEED + 1, i))
    for (let steps = 1 + draw.random.below(3); steps > 0; steps--) draw.random.pick(HONEST)(draw)
    const { world, asked } = request(draw)
    t.same(harmsOfSui(world, asked.transaction), [], 'it is executed, and harms nobody')
    table.add('honest', [], await explain(asked))
  }
  for (const line of table.lines()) t.comment(line)
  t.equal(table.dangerous, 0, 'dangerous')
  t.ok(table.warned * 100 <= HONEST_ONES, `${table.warned} warned`)
})
