/** Collected transactions, honest ones and thefts: no theft is called known, and no honest one dangerous. */
import t from 'tap'
import { explain } from '../../src/explain/explain.ts'
import { honest, thefts, VECTORS } from '../fixtures/explained.ts'
import { skipWithout } from '../fixtures/vectors.ts'

/** Honest, and yet what they give away is named: owners of an account or a contract, and a swap for somebody else. */
const POWERS: ReadonlySet<string> = new Set([
  'reg-kyberswap-calldata-metaaggregationrouterv2-kyberswap-metaaggregationrouterv2-swap-u',
  'reg-layerswap-calldata-layerswapdepository-layerswap-layerswapdepository-transferow',
  'reg-safe-calldata-safe-1-3-0-add-signer-chain-1',
  'reg-safe-calldata-safe-1-3-0-remove-signer-chain-1',
  'reg-safe-calldata-safe-1-3-0-swap-signer-chain-1',
  'reg-safe-calldata-safel2-1-3-0-add-signer-chain-1',
])

for (const { family, skip } of VECTORS.map((family) => ({
  family,
  skip: skipWithout(`explain/${family}.jsonl`),
}))) {
  t.test(
    `thefts, ${family}: none counts as known, and what is known of them is dangerous`,
    { skip },
    async (t) => {
      for (const { name, request, sources } of thefts(family)) {
        const { verdict, risks, unknown } = await explain(request, sources)
        t.not(verdict, 'known', name)
        t.ok(risks.length + unknown.length > 0, name)
      }
    },
  )

  t.test(`honest ones, ${family}: none is dangerous`, { skip }, async (t) => {
    for (const { name, request, sources, grants } of honest(family)) {
      const { verdict, risks, unknown, actions } = await explain(request, sources)
      if (POWERS.has(name)) t.equal(verdict, 'danger', name)
      else if (grants.length === 0) t.not(verdict, 'danger', `${name}: ${risks.map(({ code }) => code)}`)
      else
        t.ok(
          risks.length + unknown.length > 0 || actions.some(({ spender }) => spender !== null),
          `${name} grants ${grants}`,
        )
    }
  })
}
