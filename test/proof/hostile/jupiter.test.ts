import t from 'tap'
import { run } from '../../fixtures/hostile/jupiter.ts'

t.test('a compromised Jupiter gets nothing out', async (t) => {
  for (const { family, tried, refused, letOut, thefts } of await run()) {
    t.same(thefts, [], family)
    t.ok(tried >= 300, `${family}: ${tried} tried`)
    t.equal(refused + letOut.length, tried)
    t.comment(`${family}: ${tried} tried, ${refused} refused, ${letOut.length} let out and harmless`)
  }
})
