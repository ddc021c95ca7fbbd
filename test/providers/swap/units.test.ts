/**
 * Amounts and slippage on their way to every provider, each in its own unit:
 * whatever they are, what is sent is the same quantity, digit for digit, and
 * the minimum is the one that the slippage allows.
 */

import t from 'tap'
import { minOut } from '../../../src/chains/amount.ts'
import { findEvmChain } from '../../../src/chains/find.ts'
import type { BuildOrder } from '../../../src/proof/terms/order.ts'
import type { SwapProvider } from '../../../src/providers/provider.ts'
import { dflow } from '../../../src/providers/swap/dflow.ts'
import { jupiter } from '../../../src/providers/swap/jupiter.ts'
import { kyberswap } from '../../../src/providers/swap/kyberswap.ts'
import { router } from '../../../src/providers/swap/router/router.ts'
import { swapcoffee } from '../../../src/providers/swap/swapcoffee.ts'
import { velora } from '../../../src/providers/swap/velora.ts'
import { xprovSui } from '../../../src/providers/swap/xprov-sui.ts'
import type { ProviderRequest } from '../../../src/sandbox/provider-server.ts'
import { dflow as sandboxDflow } from '../../../src/sandbox/swap/dflow.ts'
import { kyberswap as sandboxKyberswap } from '../../../src/sandbox/swap/kyberswap.ts'
import { router as sandboxRouter } from '../../../src/sandbox/swap/router.ts'
import { swapcoffee as sandboxSwapcoffee } from '../../../src/sandbox/swap/swapcoffee.ts'
import { velora as sandboxVelora } from '../../../src/sandbox/swap/velora.ts'
import { contractAddress } from '../../../src/sandbox/ton/addresses.ts'
import type { Upstream } from '../../../src/upstream/upstream.ts'
import { clockOf } from '../../fixtures/clock.ts'
import { evmOrder } from '../../fixtures/evm-orders.ts'
import fc from '../../fixtures/fast-check.ts'
import { orderOf as jupiterOrder, startJupiter } from '../../fixtures/jupiter.ts'
import { NOW, OPTIONS, orderOf, startProvider } from '../../fixtures/provider.ts'
import { startXprov, WALLETS } from '../../fixtures/xprov.ts'

/** One provider, and where its wire format has the two quantities. */
interface Wire {
  readonly name: string
  readonly provider: SwapProvider
  /** An order for an amount that its market can fill. */
  readonly order: BuildOrder
  readonly requests: () => readonly ProviderRequest[]
  /** The amount in a quote's request; null if it is not sent in base units. */
  readonly amount: ((request: ProviderRequest) => string | null | undefined) | null
  /** The slippage in a quote's request, or in a build's if only that has it; null if neither does. */
  readonly slippage: ((request: ProviderRequest) => string | null | undefined) | null
  readonly slippageUnit: 'bps' | 'fraction'
}

const inQuery = (name: string) => (request: ProviderRequest) => request.query.get(name)
const inBody = (pattern: RegExp) => (request: ProviderRequest) => pattern.exec(request.text)?.[1]

const EVM = evmOrder('base', 'USDC', 'ETH', 250_000_000n)
const SUI = { ...orderOf('sui', 'USDC', 'SUI', 25_000_000n), from: WALLETS.sui }
const TON = { ...orderOf('ton', 'USDT', 'GRAM', 5_000_000n), from: contractAddress('somebody') }

async function wires(t: Parameters<typeof startProvider>[0]): Promise<Wire[]> {
  const world = await startJupiter(t)
  const solana: Wire = {
    name: 'jupiter',
    provider: jupiter({ upstream: world.upstream }),
    order: jupiterOrder(world.market, 'buy', 'USDC', 1_000_000_000n),
    requests: () => world.exchanged.map(({ request }) => request),
    amount: inQuery('amount'),
    slippage: inQuery('slippageBps'),
    slippageUnit: 'bps',
  }
  const dflowWorld = await startJupiter(t, {}, sandboxDflow)
  const ofDflow: Wire = {
    ...solana,
    name: 'dflow',
    provider: dflow({ upstream: dflowWorld.upstream }),
    requests: () => dflowWorld.exchanged.map(({ request }) => request),
  }
  const start = async (
    create: Parameters<typeof startProvider>[1],
    adapt: (upstream: Upstream) => SwapProvider,
    order: BuildOrder,
    rest: Pick<Wire, 'amount' | 'slippage' | 'slippageUnit'>,
  ): Promise<Wire> => {
    const { upstream, requests } = await startProvider(t, create)
    const provider = adapt(upstream)
    return { name: provider.label, provider, order, requests: () => requests, ...rest }
  }
  const { client, requests } = await startXprov(t)
  return [
    solana,
    ofDflow,
    await start(
      sandboxKyberswap,
      (upstream) => kyberswap({ upstream, clock: clockOf({ date: () => NOW }) }),
      EVM,
      {
        amount: inQuery('amountIn'),
        slippage: inBody(/"slippageTolerance":([^,}]+)/),
        slippageUnit: 'bps',
      },
    ),
    await start(sandboxVelora, (upstream) => velora({ upstream, clock: clockOf({ date: () => NOW }) }), EVM, {
      amount: inQuery('amount'),
      // The minimum is sent, as an amount: velora.test.ts has it.
      slippage: null,
      slippageUnit: 'bps',
    }),
    await start(
      (world) => {
        const server = sandboxRouter(world)
        return { ...server, handle: (request) => server.handle({ ...request, path: `/base${request.path}` }) }
      },
      (upstream) =>
        router({
          upstream,
          chain: findEvmChain('base')!,
          contracts: [],
          clock: clockOf({ date: () => NOW }),
        }),
      EVM,
      {
        amount: inBody(/"amount":"(\d+)"/),
        slippage: inBody(/"slippage":"([^"]+)"/),
        slippageUnit: 'fraction',
      },
    ),
    {
      name: 'xprov on Sui',
      provider: xprovSui(client),
      order: SUI,
      requests: () => requests,
      amount: inQuery('fromAmount'),
      slippage: inQuery('slippage'),
      slippageUnit: 'fraction',
    },
    await start(
      sandboxSwapcoffee,
      (upstream) => swapcoffee({ upstream, clock: clockOf({ date: () => NOW }) }),
      TON,
      {
        // In whole tokens, and a double: swapcoffee.test.ts has its amounts.
        amount: null,
        slippage: inBody(/"slippage":([^,}]+)/),
        slippageUnit: 'fraction',
      },
    ),
  ]
}

/** @returns NaN for text that is not exactly a number of basis points */
function bpsOf(text: string, unit: Wire['slippageUnit']): number {
  if (unit === 'bps') return /^[1-9]\d{0,3}$/.test(text) ? Number(text) : Number.NaN
  const digits = /^0\.(\d{1,4})$/.exec(text)?.[1]
  return digits === undefined ? Number.NaN : Number(digits.padEnd(4, '0'))
}

t.test('amounts and slippage', async (t) => {
  for (const wire of await wires(t)) {
    const { name, provider, order, requests, amount, slippage, slippageUnit } = wire

    if (amount !== null)
      await t.test(`${name}: an amount is sent in all its digits`, async () => {
        const bits = order.chain.family === 'evm' ? 256n : 64n
        await fc.assert(
          fc.asyncProperty(fc.bigInt({ min: 1n, max: 2n ** bits - 1n }), async (amountIn) => {
            // The market may refuse it; what counts is what it was asked.
            await provider.quote({ ...order, amountIn }, OPTIONS).catch(() => null)
            return amount(requests().at(-1)!) === amountIn.toString()
          }),
          { numRuns: 25, examples: [[2n ** bits - 1n], [2n ** 53n + 1n], [10n ** 19n]] },
        )
      })

    await t.test(`${name}: slippage is sent in its unit, and makes the minimum`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 5_000 }), async (slippageBps) => {
          const asked = { ...order, slippageBps }
          const from = requests().length
          const offer = await provider.quote(asked, OPTIONS)
          if (slippage !== null) await provider.build(asked, offer, OPTIONS).catch(() => null)
          const sent = requests()
            .slice(from)
            .flatMap((request) => slippage?.(request) ?? [])
          const isSent = slippage === null || sent.length > 0
          const isSame = sent.every((text) => bpsOf(text, slippageUnit) === slippageBps)
          // LI.FI rounds its minimum up.
          const above = offer.minOut - minOut(offer.expectedOut, slippageBps)
          return isSent && isSame && (above === 0n || (above === 1n && name === 'xprov on Sui'))
        }),
        { numRuns: 25, examples: [[1], [10], [100], [1_000], [2_000], [2_001], [4_999], [5_000]] },
      )
    })
  }
})
