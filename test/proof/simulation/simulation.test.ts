/** An outcome, judged by what was agreed and by the gas that was used. */
import t from 'tap'
import { requireAgreed } from '../../../src/proof/simulation/simulation.ts'
import type { Agreed } from '../../../src/proof/terms/verification.ts'

/** Half a SUI, which is more than the order is worth. */
const BUDGET = 500_000_000n
const USED = 2_000_000n
const LEAST = 400_000_000n

const BUYS: Agreed = {
  spends: { token: 'usdc', atMost: 100n },
  receives: { token: null, atLeast: LEAST },
  atMostNativeFees: 0n,
  atMostGas: BUDGET,
}
const SELLS: Agreed = { ...BUYS, spends: { token: null, atMost: LEAST }, receives: null }

const outcome = (native: bigint, gas: bigint | null = USED) => ({
  changes: [{ token: null, amount: native }],
  gas,
})
const REFUSED = { code: 'material_refused', fields: { rule: 'simulation' } }

t.test('a gain is counted with the gas that was used, and not with the budget', async (t) => {
  t.doesNotThrow(() => requireAgreed(outcome(LEAST - USED), BUYS))
  t.throws(() => requireAgreed(outcome(LEAST - USED - 1n), BUYS), REFUSED)
  t.throws(() => requireAgreed(outcome(LEAST - BUDGET), BUYS), REFUSED, 'all of the budget is short')
  t.throws(() => requireAgreed({ changes: [], gas: USED }, BUYS), REFUSED)
})

t.test('so is a loss', async (t) => {
  t.doesNotThrow(() => requireAgreed(outcome(-LEAST - USED), SELLS))
  t.throws(() => requireAgreed(outcome(-LEAST - USED - 1n), SELLS), REFUSED)
  t.throws(() => requireAgreed(outcome(-LEAST - BUDGET), SELLS), REFUSED)
  const withFee = { ...SELLS, atMostNativeFees: 7n }
  t.doesNotThrow(() => requireAgreed(outcome(-LEAST - USED - 7n), withFee))
  t.throws(() => requireAgreed(outcome(-LEAST - USED - 8n), withFee), REFUSED)
})

t.test('gas returned for freed storage is not a gain of the swap', async (t) => {
  t.doesNotThrow(() => requireAgreed(outcome(LEAST + 5n, -5n), BUYS))
  t.throws(() => requireAgreed(outcome(LEAST + 4n, -5n), BUYS), REFUSED)
})

t.test('gas is bounded by what was agreed; if a node does not report it, by the bytes', async (t) => {
  t.throws(() => requireAgreed(outcome(LEAST, BUDGET + 1n), BUYS), REFUSED)
  const exact = { ...BUYS, atMostGas: 5_000n }
  t.doesNotThrow(() => requireAgreed(outcome(LEAST - 5_000n, null), exact))
  t.throws(() => requireAgreed(outcome(LEAST - 5_001n, null), exact), REFUSED)
})
