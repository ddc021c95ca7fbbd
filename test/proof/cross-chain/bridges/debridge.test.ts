import t from 'tap'
import { WireTransaction } from '../../../../src/chains/solana/wire.ts'
import { type SolanaCall, solanaCallsOf } from '../../../../src/proof/cross-chain/bridges/call.ts'
import { debridgeId, debridgeTerms } from '../../../../src/proof/cross-chain/bridges/debridge.ts'
import { tokenAddress } from '../../../../src/sandbox/solana/ledger/instructions.ts'
import { encodeMaterial, FAMILIES, STRANGER } from '../../../fixtures/hostile/solana-bridges.ts'

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

t.test("an affiliate's fee is shown with its recipient, and the order states its demand", async (t) => {
  const { honest, prove, ask, mint, mutations } = FAMILIES.find(({ name }) => name === 'deBridge')!
  const proof = prove(honest)
  t.same([proof.fees, proof.demands], [[], proof.minimum])
  const { change } = mutations(ask, mint).find(({ what }) => what === 'a small affiliate fee')!
  const [fee] = prove(change(honest)).fees as { readonly amount: string }[]
  t.match(fee, { bps: 100, token: ask.tokenIn.address, recipient: STRANGER, whose: null })
  t.equal(fee!.amount, String(ask.amountIn / 100n))
})

t.test('a mint in a lookup table is the one of the account that pays', async (t) => {
  const { honest, ask, mint } = FAMILIES.find(({ name }) => name === 'deBridge')!
  const wire = new WireTransaction()
  wire.parse(Buffer.from(encodeMaterial(honest), 'base64'))
  const call = solanaCallsOf(wire).at(-1)!
  const looked = (tokens: string | null): SolanaCall => ({
    ...call,
    at: (index) => (index === 2 ? null : index === 5 ? tokens : call.at(index)),
  })
  const terms = (tokens: string | null) =>
    debridgeTerms(looked(tokens), { order: { ...ask, preference: null }, mint, now: 0 })
  t.match(terms(call.at(5)), { received: true })
  const usdt = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'
  for (const tokens of [tokenAddress(ask.from, usdt), STRANGER, null])
    t.throws(() => terms(tokens), { code: 'material_refused', fields: { rule: 'sent_token' } })
})
