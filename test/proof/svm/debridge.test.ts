import t from 'tap'
import { debridgeId } from '../../../src/proof/svm/debridge.ts'
import { FAMILIES, STRANGER } from '../../fixtures/hostile/solana-bridges.ts'

t.test('deBridge has ids of its own for some chains, and the usual ones for the others', async (t) => {
  // docs.debridge.com, Supported Chains
  const ids = {
    ethereum: 1n,
    bsc: 56n,
    base: 8_453n,
    arbitrum: 42_161n,
    gnosis: 100_000_002n,
    sonic: 100_000_014n,
    berachain: 100_000_020n,
    hyperevm: 100_000_022n,
    mantle: 100_000_023n,
    plasma: 100_000_028n,
    monad: 100_000_030n,
  }
  for (const [chain, id] of Object.entries(ids)) t.equal(debridgeId(chain), id, chain)
  for (const chain of ['scroll', 'unichain', 'nowhere']) t.equal(debridgeId(chain), null, chain)
})

t.test("an affiliate's fee is shown with who gets it, and the order says what it demands", async (t) => {
  const { honest, prove, ask, mint, mutations } = FAMILIES.find(({ name }) => name === 'deBridge')!
  const proof = prove(honest)
  t.same([proof.fees, proof.demands], [[], proof.minimum])
  const { change } = mutations(ask, mint).find(({ what }) => what === 'a small affiliate fee')!
  const [fee] = prove(change(honest)).fees as { readonly amount: string }[]
  t.match(fee, { bps: 100, token: ask.tokenIn.address, recipient: STRANGER, whose: null })
  t.equal(fee!.amount, String(ask.amountIn / 100n))
})
