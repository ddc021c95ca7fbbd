/** Two thousand changes that a hostile gateway makes to what it built: the sample of test/clients/verify is the first of them. */
import t from 'tap'
import { verify } from '../../../src/clients/verify/index.ts'
import { builtHonestly, decimals } from '../../fixtures/built.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { INSTANT } from '../../fixtures/clock.ts'
import { attacksOn } from '../../fixtures/mitm.ts'

const COUNT = 2_000

t.test('nothing that a hostile gateway makes of its builds is confirmed', async (t) => {
  const all = await builtHonestly()
  const seen = new Map<string, number>()
  for (const { name, built, answer } of attacksOn(
    all,
    new Random(Number(process.env.LANE_SEED ?? 1), 0),
    COUNT,
  )) {
    const { isVerified } = await verify(built.order, answer, { trust: { decimals }, now: () => INSTANT })
    if (isVerified) t.fail(`${built.route.title}: ${name}`, { answer })
    const key = `${built.route.family}: ${name}`
    seen.set(key, (seen.get(key) ?? 0) + 1)
  }
  t.ok(seen.size >= 30, `${seen.size} kinds by family`)
})
