import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { UNKNOWN_FLAGS } from '../../../src/providers/market/market.ts'
import { type ListSnapshot, listSnapshotCodec } from '../../../src/research/list/list-snapshot.ts'
import { clockOf } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'

const EPOCH = Date.UTC(2026, 10, 20, 12)
const NEVER = Number.NEGATIVE_INFINITY

/** A state with every time that there is, all by these two clocks. */
function snapshotAt(monotonic: number, epoch: number): ListSnapshot {
  const token = { chain: 'base', address: `0x${'1'.repeat(40)}` }
  return {
    endedAt: monotonic - 1,
    updatedAt: epoch - 2,
    entries: [
      {
        ...token,
        row: {
          ...token,
          symbol: 'SYM',
          name: null,
          price: 2,
          priceTs: epoch - 3,
          mcap: null,
          liq: null,
          vol24: null,
          holders: null,
          firstPoolAt: EPOCH - 86_400_000,
        },
        security: [['goplus', { at: epoch - 4, flags: { ...UNKNOWN_FLAGS, honeypot: true } }]],
        quotedBy: 'dex',
        priceBy: null,
        askedAt: monotonic - 5,
        checkedAt: [
          ['goplus', monotonic - 6],
          ['rugcheck', NEVER],
        ],
      },
      { ...token, row: null, security: [], quotedBy: null, priceBy: null, askedAt: NEVER, checkedAt: [] },
    ],
    books: {
      finds: { new: [[token.chain, token.address, monotonic - 7]] },
      updatedAt: { new: epoch - 8, trending: null },
      dueAt: [['dex new', monotonic + 9]],
    },
    rowsAskedAt: [['gecko', monotonic - 10]],
    pricesAskedAt: monotonic - 11,
  }
}

t.test("all times are converted to the reading instance's clocks", async () => {
  const ms = fc.integer({ min: 0, max: 1_000_000 })
  fc.assert(
    fc.property(ms, ms, ms, fc.integer({ min: -10_000, max: 10_000 }), (written, read, ageMs, skewMs) => {
      const text = listSnapshotCodec(clockOf({ now: () => written })).write(snapshotAt(written, EPOCH))!
      const reader = listSnapshotCodec(clockOf({ now: () => read + ageMs }))
      const got = reader.read(text, { ageMs, leftMs: 1_000, skewMs })
      return isDeepStrictEqual(got, snapshotAt(read, EPOCH + skewMs))
    }),
  )
})
