/**
 * A provider that was taken over, against the proof of a Sui swap: a table of
 * mutations, and mutations of single bytes. What the proof lets out is executed
 * by the sandbox's ledger, whose unknown code keeps all that it is given: where
 * the chain checks the minimum, what executes must leave the wallet with what
 * was agreed, whether or not anybody simulates it.
 */
import fc from 'fast-check'
import t from 'tap'
import { GatewayError } from '../../../src/errors.ts'
import { proveSui } from '../../../src/proof/sui.ts'
import type { Agreed } from '../../../src/proof/verification.ts'
import { judge } from '../../../src/simulation/simulation.ts'
import { type Tally, tryAll } from '../../fixtures/hostile/mutation.ts'
import { changesOf, honest, mutationsOf, prove } from '../../fixtures/hostile/sui.ts'
import { BUY, claimOf, SELL } from '../../fixtures/sui.ts'

const RUNS = Number(process.env.SWAPGATE_HOSTILE_RUNS ?? 3_000)

/** For the documents. */
export const run = async (): Promise<Tally[]> => [
  await tryAll('Sui, SUI for USDC', honest(BUY), mutationsOf(BUY), prove(BUY)),
  await tryAll('Sui, USDC for SUI', honest(SELL), mutationsOf(SELL), prove(SELL)),
]

t.test('no mutation in the table gets out that costs more than was agreed', async (t) => {
  for (const { family, tried, refused, letOut, thefts } of await run()) {
    t.same(thefts, [], family)
    t.equal(refused + letOut.length, tried)
    t.ok(tried > 55, `${tried} were tried`)
    t.comment(family, { tried, refused, letOut: letOut.map(({ what }) => what) })
  }
})

t.test('nothing that the table calls harmless is refused', async (t) => {
  for (const trade of [BUY, SELL]) {
    for (const { what, harmless, change } of mutationsOf(trade)) {
      if (harmless !== undefined) t.doesNotThrow(() => prove(trade)(change(honest(trade))), what)
    }
  }
})

t.test('nor does any single byte that is changed', async (t) => {
  const counts = { tried: 0, refused: 0, failed: 0, executed: 0 }
  for (const trade of [BUY, SELL]) {
    const whole = Buffer.from(honest(trade), 'base64')
    const claim = claimOf(trade)
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: whole.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (index, flip) => {
          counts.tried++
          const bytes = Buffer.from(whole)
          bytes[index]! ^= flip
          const base64 = bytes.toString('base64')
          let proof: ReturnType<typeof proveSui>
          try {
            proof = proveSui(base64, claim)
          } catch (error) {
            if (!(error instanceof GatewayError)) throw error
            counts.refused++
            return
          }
          const changes = changesOf(base64)
          if (changes === null) {
            counts.failed++
            return
          }
          counts.executed++
          if (!proof.checks.includes('minimum')) throw new Error('it is executed without a minimum')
          judge(changes, proof.agreed as Agreed)
        },
      ),
      { numRuns: RUNS },
    )
  }
  t.comment(counts)
  t.ok(counts.executed > 0 && counts.refused > counts.executed)
})
