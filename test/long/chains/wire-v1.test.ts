/** A hundred thousand mutants of version 1 transactions; `SEED=2` draws others. */

import t from 'tap'
import { SEED } from '../../fixtures/fast-check.ts'
import { compareMutants } from '../../fixtures/mutants-v1.ts'

const COUNT = 100_000

t.test('every mutant gets the verdict of the second reading', { timeout: 600_000 }, async (t) => {
  const { accepted, refused } = compareMutants(SEED, COUNT)
  t.equal(accepted + refused, COUNT)
  t.ok(accepted > COUNT / 10 && refused > COUNT / 10, `${accepted} accepted, ${refused} refused`)
})
