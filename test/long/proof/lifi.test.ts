/** Every change of every field of the cross-chain provider's calls, as docs/attacks.md counts them. */
import t from 'tap'
import { tallyLifi } from '../../fixtures/lifi-hostile.ts'

t.test('each field, changed alone in every way, is refused or harmless', async (t) => {
  const { tried, refused, letOut, robbed } = tallyLifi()
  t.same(robbed, [])
  t.equal(refused + letOut, tried)
  t.comment(`${tried} tried, ${refused} refused, ${letOut} let out and harmless`)
})
