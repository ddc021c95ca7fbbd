import t from 'tap'
import { readFor } from '../../fixtures/row-ages.ts'

const MINUTE = 60_000

t.test(
  'some five hundred rows that are read each second are half a minute old at most, within the quotas',
  async (t) => {
    const { ages, callsPerMinute } = await readFor(2 * MINUTE, 1_000)
    t.ok(ages.length > 120 * 480)
    t.ok(ages.at(-1)! <= 30_000, `${ages.at(-1)} ms`)
    t.ok(callsPerMinute.dexscreener! <= 150, 'half of DexScreener’s')
    t.ok(callsPerMinute.jupiter! <= 6, 'a fifth of Jupiter’s')
  },
)

t.test('an occasional reader gets rows of the last minute', async (t) => {
  const { ages, callsPerMinute } = await readFor(30 * MINUTE, 10 * MINUTE)
  t.ok(ages.length >= 3 * 480)
  t.ok(ages.at(-1)! <= MINUTE, `${ages.at(-1)} ms`)
  t.ok(callsPerMinute.dexscreener! <= 90, 'while it is not read, a fifth as often')
})
