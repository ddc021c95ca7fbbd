/**
 * The gateway's own cost of a quote, with providers that answer at once: the race, the
 * seal and the reply; and that of a quote answered from a shared answer.
 */

import { findChain } from '../../src/chains/find.ts'
import type { Order } from '../../src/proof/terms/order.ts'
import type { ProvedProvider } from '../../src/providers/proved.ts'
import { CLOCK } from '../../src/runtime/clock.ts'
import type { Decimals } from '../../src/swap/decimals.ts'
import { parseRequest } from '../../src/swap/order.ts'
import { Quotes } from '../../src/swap/quotes.ts'
import { Sealer } from '../../src/swap/seal.ts'
import { uninformed } from '../../test/fixtures/uninformed.ts'
import { type Loop, measure } from '../figures/measure.ts'
import { type BenchReport, type Claim, toReport } from '../figures/report.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
/** As long as a large Jupiter answer. */
const RAW = JSON.stringify({ routePlan: 'x'.repeat(20_480) })
/** The most that a seal or a shared quote may take, ns. */
const BOUND = 300_000

export async function benchSwaps(): Promise<BenchReport> {
  const seal = await measure('seal and verify, 20 KiB', sealing())
  const shared = await measure('quote: from a shared answer', quoting(1, false))
  const rows = [
    seal,
    shared,
    await measure('quote: one provider', quoting(1, true)),
    await measure('quote: three providers', quoting(3, true)),
    await measure('quote: five providers', quoting(5, true)),
  ]
  const claims: Claim[] = [seal, shared].map(({ name, ns }) => ({
    what: `${name}, ns`,
    figure: ns,
    is: 'at most',
    bound: BOUND,
  }))
  return toReport('Swaps', TEXT, rows, claims)
}

function sealing(): Loop {
  const sealer = new Sealer(null)
  const order: Order = {
    chain: findChain('solana')!,
    side: 'buy',
    tokenIn: { address: 'native', isNative: true, decimals: 9 },
    tokenOut: { address: USDC, isNative: false, decimals: 6 },
    amountIn: 1_000_000_000n,
    slippageBps: 300,
    from: null,
  }
  const quote = {
    provider: 'jupiter',
    expectedOut: '41873522',
    minOut: '40617316',
    route: { asOf: 1_790_012_345_000, raw: RAW },
  }
  return (times) => {
    let sum = 0
    for (let i = 0; i < times; i++) if (sealer.isSealed(order, quote, sealer.seal(order, quote))) sum++
    if (sum !== times) throw new Error('A seal must match what was sealed.')
    return sum
  }
}

function quoting(count: number, isNew: boolean): Loop {
  const decimals = {
    addTo: async (_chain: unknown, token: { address: string; isNative: boolean }) => ({
      ...token,
      decimals: 6,
    }),
  } as unknown as Decimals
  const list = Array.from({ length: count }, (_, i) => instant(`provider-${i}`, BigInt(1_000_000 + i)))
  const providers = new Map([['base', list]])
  const quotes = new Quotes({
    providers,
    decimals,
    sealer: new Sealer(null),
    ...uninformed({ ...CLOCK, now: () => 0 }),
  })
  const base = { chain: findChain('base')!.key, side: 'buy', token: USDC, slippageBps: 300 } as const
  let asked = 0
  return async (times) => {
    let sum = 0
    for (let i = 0; i < times; i++) {
      const amount = isNew ? String(++asked) : '1'
      const quote = await quotes.quote(parseRequest({ ...base, amount }), null)
      sum += JSON.stringify(quote).length
    }
    return sum
  }
}

function instant(label: string, expectedOut: bigint): ProvedProvider {
  return {
    label,
    freshMs: 10_000,
    chains: new Set(['base']),
    quote: async () => ({ expectedOut, minOut: expectedOut, priceImpactPct: null, details: {}, raw: RAW }),
    buildProved: () => Promise.reject(new Error('This bench builds nothing.')),
  }
}

const TEXT = `The gateway's own work for quotes whose raw answer has 20 KiB; no sockets and no waiting.`
