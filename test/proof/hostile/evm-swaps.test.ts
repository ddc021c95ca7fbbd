import t from 'tap'
import { run } from '../../fixtures/hostile/evm-swaps.ts'

t.test('a compromised KyberSwap or Velora gets nothing out', async (t) => {
  for (const { family, tried, refused, letOut, thefts } of await run()) {
    t.same(thefts, [], family)
    t.ok(tried >= 40, `${family}: ${tried} tried`)
    t.equal(refused + letOut.length, tried)
    t.comment(`${family}: ${tried} tried, ${refused} refused, ${letOut.length} let out and harmless`)
  }
})
