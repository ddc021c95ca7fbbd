import t from 'tap'
import { minOut } from '../../../src/chains/amount.ts'
import {
  requireMaximum,
  requireMinimum,
  requireWorth,
  slippageToKeep,
} from '../../../src/providers/swap/worth.ts'
import fc from '../../fixtures/fast-check.ts'

const moved = (expectedOut: bigint, minOut: bigint) => ({
  code: 'quote_moved',
  status: 400,
  fields: { provider: 'p', minOut: String(minOut), expectedOut: String(expectedOut) },
})

t.test('what a new quote expects may equal the old minimum, and its minimum too', async (t) => {
  t.doesNotThrow(() => requireWorth({ expectedOut: 5n }, { minOut: 5n }, 'p'))
  t.throws(() => requireWorth({ expectedOut: 4n }, { minOut: 5n }, 'p'), moved(4n, 5n))
  t.doesNotThrow(() => requireMinimum({ expectedOut: 9n, minOut: 5n }, { minOut: 5n }, 'p'))
  t.throws(() => requireMinimum({ expectedOut: 9n, minOut: 4n }, { minOut: 5n }, 'p'), moved(9n, 5n))
})

t.test('an offer that keeps the minimum needs no other slippage', async (t) => {
  t.equal(slippageToKeep({ expectedOut: 100n, minOut: 97n }, { minOut: 97n }, 'p'), null)
  t.equal(slippageToKeep({ expectedOut: 100n, minOut: 98n }, { minOut: 97n }, 'p'), null)
  t.equal(slippageToKeep({ expectedOut: 100n, minOut: 96n }, { minOut: 97n }, 'p'), 300)
  t.equal(slippageToKeep({ expectedOut: 10_000n, minOut: 1n }, { minOut: 9_999n }, 'p'), 1, 'the least')
  t.throws(
    () => slippageToKeep({ expectedOut: 10_001n, minOut: 1n }, { minOut: 10_000n }, 'p'),
    moved(10_001n, 10_000n),
    'less than a bps is left',
  )
  t.throws(() => slippageToKeep({ expectedOut: 5n, minOut: 1n }, { minOut: 5n }, 'p'), moved(5n, 5n))
  t.throws(() => slippageToKeep({ expectedOut: 0n, minOut: 0n }, { minOut: 5n }, 'p'), moved(0n, 5n))
  t.throws(() => slippageToKeep({ expectedOut: 4n, minOut: 1n }, { minOut: 5n }, 'p'), moved(4n, 5n))
})

t.test('the slippage is the largest that keeps the minimum, and is refused where none does', async () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })
  fc.assert(
    fc.property(amount, amount, fc.integer({ min: 1, max: 5_000 }), (expectedOut, promised, slippage) => {
      const anew = { expectedOut, minOut: minOut(expectedOut, slippage) }
      const keeps = (bps: number) => minOut(expectedOut, bps) >= promised
      try {
        const bps = slippageToKeep(anew, { minOut: promised }, 'p')
        return bps === null ? anew.minOut >= promised : bps >= 1 && keeps(bps) && !keeps(bps + 1)
      } catch {
        return !keeps(1)
      }
    }),
  )
})

t.test('an exact output may take up to the maximum of its quote', (t) => {
  const takes = (amountIn: bigint) => ({ takes: { amountIn, maxIn: 99n } })
  t.doesNotThrow(() => requireMaximum(takes(5n), 5n, 'p'))
  t.throws(() => requireMaximum(takes(6n), 5n, 'p'), {
    code: 'quote_moved',
    fields: { provider: 'p', maxIn: '5', amountIn: '6' },
  })
  t.end()
})
