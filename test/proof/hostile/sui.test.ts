/**
 * A provider that was taken over, against the proof of a Sui swap: a table of
 * mutations, and mutations of single bytes. What the proof lets out is executed
 * by the sandbox's ledger, whose unknown code keeps all that it is given: where
 * the chain checks the minimum, what executes must leave the wallet with what
 * was agreed, whether or not anybody simulates it.
 */

import t from 'tap'
import { requireAgreed } from '../../../src/proof/simulation/simulation.ts'
import { proveSui } from '../../../src/proof/sui/sui.ts'
import type { Agreed } from '../../../src/proof/terms/verification.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import fc from '../../fixtures/fast-check.ts'
import { type Tally, tryAll } from '../../fixtures/hostile/mutation.ts'
import { attacksOn, combined, executed, honest, mutationsOf, prove } from '../../fixtures/hostile/sui.ts'
import { BETWEEN, BUY, claimOf, SELL, type Trade } from '../../fixtures/sui.ts'

/** One of each kind and direction. */
const RUNS = Number(process.env.SWAPGATE_HOSTILE_RUNS ?? 600)

/** For the documents. */
export const run = async (): Promise<Tally[]> => [
  await tryAll('Sui, SUI for USDC', honest(BUY), mutationsOf(BUY), prove(BUY)),
  await tryAll('Sui, USDC for SUI', honest(SELL), mutationsOf(SELL), prove(SELL)),
  await tryAll('Sui, a coin for another', honest(BETWEEN), mutationsOf(BETWEEN), prove(BETWEEN)),
]

interface Counts {
  tried: number
  refused: number
  failed: number
  executed: number
}

/** Whatever is let out and executes is within what was agreed: by its bytes alone, where they have the minimum. */
function holds(base64: string, trade: Trade, counts: Counts): void {
  counts.tried++
  let proof: ReturnType<typeof proveSui>
  try {
    proof = proveSui(base64, claimOf(trade))
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    counts.refused++
    return
  }
  const simulation = executed(base64)
  if (simulation === null) {
    counts.failed++
    return
  }
  counts.executed++
  const { receives, ...rest } = proof.agreed as Agreed
  const isBounded = proof.checks.includes('minimum') && proof.checks.includes('sent_token')
  // Without a minimum in the bytes nothing is handed out; what leaves is bounded all the same.
  requireAgreed(simulation, { ...rest, receives: isBounded ? receives : null })
}

t.test('no mutation in the table gets out that costs more than was agreed', async (t) => {
  for (const { family, tried, refused, letOut, thefts } of await run()) {
    t.same(thefts, [], family)
    t.equal(refused + letOut.length, tried)
    t.ok(tried > 55, `${tried} were tried`)
    t.comment(family, { tried, refused, letOut: letOut.map(({ what }) => what) })
  }
})

t.test('nothing that the table calls harmless is refused', async (t) => {
  for (const trade of [BUY, SELL, BETWEEN]) {
    for (const { what, harmless, change } of mutationsOf(trade)) {
      if (harmless !== undefined) t.doesNotThrow(() => prove(trade)(change(honest(trade))), what)
    }
  }
})

t.test('nor do two or three of them together', async (t) => {
  const counts = { tried: 0, refused: 0, failed: 0, executed: 0 }
  for (const trade of [BUY, SELL, BETWEEN]) {
    const attacks = attacksOn(trade)
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...attacks), { minLength: 2, maxLength: 3 }), (some) => {
        holds(combined(trade, some), trade, counts)
      }),
      { numRuns: RUNS },
    )
  }
  t.comment(counts)
  t.ok(counts.refused > 0 && counts.executed > 0)
})

t.test('nor does any single byte that is changed', async (t) => {
  const counts = { tried: 0, refused: 0, failed: 0, executed: 0 }
  for (const trade of [BUY, SELL, BETWEEN]) {
    const whole = Buffer.from(honest(trade), 'base64')
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: whole.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (index, flip) => {
          const bytes = Buffer.from(whole)
          bytes[index]! ^= flip
          holds(bytes.toString('base64'), trade, counts)
        },
      ),
      { numRuns: RUNS },
    )
  }
  t.comment(counts)
  t.ok(counts.executed > 0 && counts.refused > counts.executed)
})
