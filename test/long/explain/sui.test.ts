/** Transactions of Sui by the classes of what harms, and honest ones, judged by a ledger that executes them. */

import t from 'tap'
import { explain } from '../../../src/explain/explain.ts'
import type { Explanation } from '../../../src/explain/types.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { CLASSES, HONEST, SuiDraw } from '../../fixtures/explain/sui-draw.ts'
import { outcomeOfSui, SUI } from '../../fixtures/explain/sui-judge.ts'
import { Table } from '../../fixtures/explain/table.ts'
import { SEED } from '../../fixtures/fast-check.ts'

const HARMFUL = 2_500
const HONEST_ONES = 250

/** Explains it beside what executing it does. */
async function explained(draw: SuiDraw) {
  const { transaction, world } = draw.compose()
  const asked = { chain: 'sui', transaction, owner: draw.owner, recent: [draw.friend] }
  const { harms, changes } = outcomeOfSui(world, transaction)
  const told = [...changes].map(([type, amount]) => ({
    token: type === SUI ? 'native' : type,
    amount: String(amount),
  }))
  const execute = async () => ({ by: 'judge', at: null, changes: told })
  return { asked, harms, told, explanation: await explain(asked, { execute }) }
}

/** Whatever leaves the wallet has to be one of the effects. */
const isNamed = ({ risks }: Explanation) => risks.every(({ code }) => code !== 'unexplained_outflow')

t.test('nothing harmful is without a risk', async (t) => {
  const table = new Table()
  const titles = Object.keys(CLASSES)
  for (let i = 0; table.harmful < HARMFUL && i < 2 * HARMFUL; i++) {
    const draw = new SuiDraw(new Random(SEED, i))
    const title = titles[i % titles.length]!
    const steps = Array.from({ length: 1 + draw.random.below(3) }, () => draw.random.pick(HONEST))
    steps.splice(draw.random.below(steps.length + 1), 0, draw.random.pick(CLASSES[title]!))
    for (const step of steps) step(draw)
    const { asked, harms, told, explanation } = await explained(draw)
    const missed = table.add(title, harms, explanation)
    if (missed !== null) t.fail(missed, { harms, asked })
    if (!isNamed(explanation)) t.fail(`${title}: its effects lack something`, { asked, told })
  }
  for (const line of table.lines()) t.comment(line)
  t.ok(table.harmful >= HARMFUL, `${table.harmful} harm`)
})

t.test('honest ones are not accused', async (t) => {
  const table = new Table()
  for (let i = 0; i < HONEST_ONES; i++) {
    const draw = new SuiDraw(new Random(SEED + 1, i))
    for (let steps = 1 + draw.random.below(3); steps > 0; steps--) draw.random.pick(HONEST)(draw)
    const { harms, explanation } = await explained(draw)
    t.same(harms, [], 'it is executed, and harms nobody')
    t.ok(isNamed(explanation), 'its effects are all that happens')
    table.add('honest', [], explanation)
  }
  for (const line of table.lines()) t.comment(line)
  t.equal(table.dangerous, 0, 'dangerous')
  t.ok(table.warned * 100 <= HONEST_ONES, `${table.warned} warned`)
})
