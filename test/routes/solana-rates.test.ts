/** Swaps while the cluster changes what accounts and signatures cost. */
import t from 'tap'
import { requireAgreed } from '../../src/proof/simulation/simulation.ts'
import { proveJupiter } from '../../src/proof/solana/jupiter.ts'
import type { SwapClaim } from '../../src/proof/solana/swap.ts'
import { CLOCK } from '../../src/runtime/clock.ts'
import { movedClock, STILL } from '../fixtures/clock.ts'
import { listen } from '../fixtures/gateway.ts'
import {
  EVM_WALLET,
  fund,
  getCrossChain,
  getQuote,
  postBuild,
  SOLANA_WALLET,
  SWAPS,
} from '../fixtures/swaps.ts'

type Json = Record<string, unknown>
type Cost = { readonly kind: string; readonly amount: string; readonly source: string }

const TOKEN_ACCOUNT = 128 + 165

t.test(
  'whatever a byte locks and a signature costs, honest swaps are built, and their costs told',
  async (t) => {
    const clock = movedClock({ ...STILL, after: CLOCK.after })
    const gateway = await listen(t, { LIMITS: 'swap=off,rpcRead=off' }, { clock })
    const { url, sandbox } = gateway
    await fund(sandbox!.solanaRpc)
    for (const [perByte, perSignature] of [
      [6_960, 5_000],
      [3_480, 10_000],
      [696, 10_000],
      [6_960, 10_000],
    ] as const) {
      const name = `${perByte} a byte, ${perSignature} a signature`
      const turned = await fetch(`${sandbox!.control}/faults/solana-prices`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ fault: 'prices', perByte, perSignature }),
      })
      t.equal(turned.status, 200)
      // What nodes told before is forgotten.
      clock.move(11_000)
      const quote = await (await getQuote(url, SWAPS.solana)).json()
      const response = await postBuild(url, { ...SWAPS.solana, quote })
      const built = (await response.json()) as Json & { costs: Cost[]; verification: Json }
      t.equal(response.status, 200, `${name}: ${JSON.stringify(built).slice(0, 200)}`)
      t.match(built.verification, { level: 'proved', simulation: { by: 'simulateTransaction' } }, name)
      const told = (kind: string) => built.costs.find((cost) => cost.kind === kind)
      t.match(told('network_fee'), { amount: `${perSignature}`, source: 'material' }, name)
      t.equal(told('rent')?.amount, `${perByte * TOKEN_ACCOUNT}`, name)
      t.notOk(told('other_fee'), name)

      const options = await (await fetch(`${url}/api/swap-options`)).json()
      const chain = (options as { chains: Json[] }).chains.find(({ key }) => key === 'solana')!
      const reserve = perByte * (2 * TOKEN_ACCOUNT + 128) + perSignature + 1_000_000
      t.equal(chain.reserve, String(reserve), `${name}: what a form keeps back`)

      const crossing = await getCrossChain(url, {
        fromChain: 'solana',
        toChain: 'base',
        amount: '0.5',
        from: SOLANA_WALLET,
        to: EVM_WALLET,
      })
      t.equal(crossing.status, 200, `${name}: ${(await crossing.text()).slice(0, 200)}`)
    }
  },
)

t.test('what rent no longer takes, nobody else may take', async (t) => {
  const gateway = await listen(t, { LIMITS: 'swap=off' })
  await fund(gateway.sandbox!.solanaRpc)
  const quote = (await (await getQuote(gateway.url, SWAPS.solana)).json()) as Json
  const response = await postBuild(gateway.url, { ...SWAPS.solana, quote })
  const built = (await response.json()) as Json & { verification: Record<string, string> }
  const { amountIn, minOut } = built.verification
  const claim: SwapClaim = {
    from: SOLANA_WALLET,
    mintIn: null,
    mintOut: String(SWAPS.solana.token),
    amountIn: BigInt(amountIn!),
    minOut: BigInt(minOut!),
  }
  const agreedAt = (perByte: bigint, perSignature: bigint) =>
    proveJupiter(
      String(built.solanaTransaction),
      { ...claim, solana: { perByte, perSignature } },
      { maxComputeUnitPrice: 50_000_000n },
    ).confirm
  /** Takes as much beside the swap as two accounts of a market lock, and a fee, at these rates. */
  const taking = (perByte: bigint, perSignature: bigint, gas: bigint | null) => ({
    changes: [
      { token: null, amount: -(claim.amountIn + 2n * 302n * perByte + perSignature) },
      { token: claim.mintOut, amount: claim.minOut },
    ],
    gas,
  })
  for (const perByte of [6_960n, 3_480n, 696n]) {
    const agreed = agreedAt(perByte, 5_000n)
    t.doesNotThrow(() => requireAgreed(taking(perByte, 5_000n, 5_000n), agreed), 'honest')
    t.throws(() => requireAgreed(taking(perByte + 1n, 5_000n, 5_000n), agreed), { code: 'material_refused' })
  }
  t.doesNotThrow(
    () => requireAgreed(taking(696n, 10_000n, 10_000n), agreedAt(696n, 10_000n)),
    'twice the fee',
  )
  t.throws(() => requireAgreed(taking(696n, 10_000n, 10_000n), agreedAt(696n, 5_000n)), {
    code: 'material_refused',
  })
  t.throws(() => requireAgreed(taking(696n, 15_000n, 10_000n), agreedAt(696n, 10_000n)), {
    code: 'material_refused',
  })
})
