/**
 * Real messages of STON.fi and DeDust, from traces of mainnet and from the
 * tests of wallets and SDKs, each held against the order that it states; and
 * real contracts, whose addresses are computed again.
 */
import t from 'tap'
import { canonicalAddress } from '../../src/chains/address.ts'
import { dedustPools, dedustVault } from '../../src/proof/ton/dedust.ts'
import { jettonWallet } from '../../src/proof/ton/jetton-wallet.ts'
import { STON_ROUTERS } from '../../src/proof/ton/ston-routers.ts'
import { proveTon } from '../../src/proof/ton/ton.ts'
import { ruleOf } from '../fixtures/real-samples.ts'
import { BUILD, GRAM, readTonSample, type TonSample, USDT } from '../fixtures/ton-samples.ts'
import { readVectorLines, readVectors, skipWithout } from '../fixtures/vectors.ts'

const WALLETS = 'calldata/ton-wallets.json'
const SAMPLES = 'calldata/samples.jsonl'

interface WalletRow {
  readonly jetton: string
  readonly master: string
  readonly owner: string
  readonly wallet: string
  readonly layout: string
}

t.test('the wallets of mainnet owners are computed', { skip: skipWithout(WALLETS) }, async (t) => {
  const { rows } = readVectors<{ rows: WalletRow[] }>(WALLETS)
  t.equal(rows.length, 10)
  for (const { jetton: name, master, owner, wallet, layout } of rows) {
    const computed = jettonWallet(master, canonicalAddress('ton', owner))
    // Its wallets have a layout of their own, so the chain is asked.
    t.equal(computed, layout === 'tston' ? null : wallet, name)
  }
})

const WSTON = 'EQB0SoxuGDx5qjVt0P_bPICFeWdFLBmVopHhjgfs0q-wsTON'

// Vaults and pools: i582/abis data/dedust/info.toml, and the traces of mytonwallet-org/mytonwallet.
t.test("DeDust's contracts on mainnet are computed", async (t) => {
  t.equal(dedustVault(null), 'EQDa4VOnTYlLvDJ0gZjNYm5PXfSmmtL6Vs6A_CZEtXCNICq_')
  t.equal(dedustVault(USDT.address), 'EQAYqo4u7VF0fa4DPAebk4g9lBytj2VFny7pzXR0trjtXQaO')
  t.equal(
    jettonWallet(USDT.address, dedustVault(USDT.address)),
    'EQCI2sZ8zq25yub6rHEY8FwPqV3zbCqS5oasOdljENCjh0bs',
    'from which the vault takes payments',
  )
  const pairs: readonly (readonly [string | null, string | null, kind: 0 | 1, pool: string])[] = [
    [null, USDT.address, 0, 'EQA-X_yo3fzzbDbJ_0bzFWKqtRuZFIRa1sJsveZJ1YpViO3r'],
    [null, WSTON, 1, 'EQABt8YegyD7VJnZdFVwom8wwqp0E0X8tN2Y6NhrDmbrnSXP'],
    // The lower account comes first, whichever is sold.
    [USDT.address, GRAM.address, 0, 'EQC7ya9xk-edH6xhu74wZKo9LwaKIym1Z_Qm97CjHXzR9gJw'],
    [USDT.address, BUILD.address, 0, 'EQBzVxLuwKRtPNrpJ5GXqrjSjyYPQIlR-8VEauVzQS-vuEr1'],
  ]
  for (const [one, other, kind, pool] of pairs) {
    t.equal(dedustPools(one, other)[kind], pool)
    t.equal(dedustPools(other, one)[kind], pool, 'in the other direction')
    t.not(dedustPools(one, other)[1 - kind], pool)
  }
})

// Pairs of STON.fi's GET /v1/routers.
t.test("the routers' wallets of TON on mainnet are computed", async (t) => {
  const pairs: readonly (readonly [router: string, ptonWallet: string])[] = [
    ['EQCS4UEa5UaJLzOyyKieqQOQ2P9M-7kXpkO5HnP3Bv250cN3', 'EQCSIMGBps_qzRG3uPYhON8bucyCtu0mYdL1-u4gSz77IBa3'],
    ['EQDQ6j53q21HuZtw6oclm7z4LU2cG6S2OKvpSSMH548d7kJT', 'EQDTx6o7gmGo8cuJt_3EHEgO1RmGnLtGTzgTOsG5pAYs0uYd'],
    ['EQBigMnbY4NU1uwdvzertV5mv_yI7282R-ffW7XZFWPEVRDG', 'EQBiLHuQjDj4fNyCD7Ch5HwpNGldlb5g-LMwQ1kStQ4NM5kv'],
    ['EQAz1D0ZUiG_9XCyjrJ1-xTx-CnmnQ3J3LMKQ7sZTr-XlNZP', 'EQA2O81nzig4IUsCp_8dpzglywsCx-1ESPFzl0ygs1hFYUa2'],
    ['EQDkncuJ267Py3EmL2XAN7YsSNQMUu8u-GHsW9jVljcH8fr5', 'EQCcM8n2_K5D9Gu-YkyxM2W35WFs7ekYSbV9lgjXUDYofYt4'],
    ['EQBd9vfWfn6MOqBYEEYFeyFqliOYln1znFklfp8B02zlS_Lq', 'EQBeGsTkQbK4blB38PLbYlhqG2Xt3BH9IcX4FAS_Dpr6xPJK'],
  ]
  for (const [router, ptonWallet] of pairs) t.match(STON_ROUTERS.get(router), { version: 2, ptonWallet })
})

t.test(
  'real messages are held against their orders, bit by bit',
  { skip: skipWithout(SAMPLES) },
  async (t) => {
    const samples = readVectorLines<TonSample>(SAMPLES).filter(({ family }) =>
      ['stonfi', 'dedust'].includes(family),
    )
    let proved = 0
    for (const sample of samples) {
      const { message, order, minOut, rules } = readTonSample(sample)
      if ((await ruleOf(() => proveTon(message, order, { minOut, ...rules }))) !== null) continue
      proved++
      const more = await ruleOf(() => proveTon(message, order, { minOut: minOut + 1n, ...rules }))
      t.equal(more, 'minimum', 'the minimum is the one that it states')
      const other = { ...order, amountIn: order.amountIn + 1n }
      t.match(await ruleOf(() => proveTon(message, other, { minOut, ...rules })), /^(amount|value)$/)
    }
    t.equal(proved, 14)
  },
)
