/** Collected transactions, honest ones and thefts: no theft is called known, and no honest one dangerous. */
import t from 'tap'
import { explain } from '../../../src/proof/explain/explain.ts'
import { honest, thefts, VECTORS } from '../../fixtures/explained.ts'
import { skipWithout } from '../../fixtures/vectors.ts'

for (const { family, skip } of VECTORS.map((family) => ({
  family,
  skip: skipWithout(`explain/${family}.jsonl`),
}))) {
  t.test(`thefts, ${family}: none is known, and what is known of them is dangerous`, { skip }, async (t) => {
    for (const { name, request, sources } of thefts(family)) {
      const { verdict, risks, unknown } = await explain(request, sources)
      t.not(verdict, 'known', name)
      t.ok(risks.length + unknown.length > 0, name)
    }
  })

  t.test(`honest ones, ${family}: none is dangerous`, { skip }, async (t) => {
    for (const { name, request, sources, grants } of honest(family)) {
      const { verdict, risks } = await explain(request, sources)
      if (grants.length === 0) t.not(verdict, 'danger', `${name}: ${risks.map(({ code }) => code)}`)
      else t.ok(risks.length > 0, `${name} grants ${grants}`)
    }
  })
}
