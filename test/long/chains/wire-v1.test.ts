/** A hundred thousand mutants of version 1 transactions; `--seed=N` draws others. */
import t from 'tap'
import { compareMutants } from '../../fixtures/mutants-v1.ts'

const COUNT = 100_000

t.test('every mutant gets the verdict of the second reading', { timeout: 600_000 }, async (t) => {
  const { accepted, refused } = compareMutants(Number(process.env.LANE_SEED ?? 1), COUNT)
  t.equal(accepted + refused, COUNT)
  t.ok(accepted > COUNT / 10 && refused > COUNT / 10, `${accepted} accepted, ${refused} refused`)
})
