/** A first sample of the 10,000 thefts of test/long, and of honest ones of the same parts. */

import t from 'tap'
import { explain } from '../../src/explain/explain.ts'
import { Random } from '../fixtures/classes/random.ts'
import { draw, lackOf } from '../fixtures/drainers.ts'
import { SEED } from '../fixtures/fast-check.ts'

const THEFTS = 200
const HONEST = 100

t.test('no theft is known, and each is named for what it is', async (t) => {
  const seen = new Set<string>()
  for (let i = 0; i < THEFTS; i++) {
    const drawn = draw(new Random(SEED, i), true)
    const lack = lackOf(drawn, await explain(drawn.request))
    if (lack !== null) t.fail(lack, { request: drawn.request })
    seen.add(`${drawn.family} ${drawn.title}`)
  }
  t.ok(seen.size > 20, `${seen.size} classes by family`)
})

t.test('no honest one is dangerous, and most are known', async (t) => {
  let known = 0
  for (let i = 0; i < HONEST; i++) {
    const { family, request } = draw(new Random(SEED, i), false)
    const { verdict, risks } = await explain(request)
    if (verdict === 'danger') t.fail(`${family}: ${risks.map(({ code }) => code)}`, { request })
    if (verdict === 'known') known++
  }
  t.ok(known > HONEST / 2, `${known} are known`)
})
