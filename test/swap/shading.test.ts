/** Providers that quote more than they deliver. */
import t from 'tap'
import { minOut } from '../../src/chains/amount.ts'
import { evmDigest } from '../../src/chains/transaction-digest.ts'
import { CancellationScope } from '../../src/flow/cancellation.ts'
import { createCounts } from '../../src/http/counts/counts.ts'
import type { ProvedProvider } from '../../src/providers/proved.ts'
import { Builds, parseReturnedQuote } from '../../src/swap/builds.ts'
import type { Decimals } from '../../src/swap/decimals.ts'
import { parseRequest } from '../../src/swap/order.ts'
import { Quotes } from '../../src/swap/quotes.ts'
import { Sealer } from '../../src/swap/seal.ts'
import { clockOf } from '../fixtures/clock.ts'
import { uninformed, WITHOUT_NONCES } from '../fixtures/uninformed.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
const ROUTER = '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5'
const CLIENTS = 5
const START = Date.UTC(2026, 10, 22)

const decimals = {
  addTo: async (_chain: unknown, token: { address: string; isNative: boolean }) => ({
    ...token,
    decimals: 6,
  }),
} as unknown as Decimals

/** It promises `offered`; what arrives is the test's to say. */
function provider(label: string, offered: bigint, calldata: () => string): ProvedProvider {
  return {
    label,
    freshMs: 10_000,
    chains: new Set(['base']),
    async quote({ slippageBps }) {
      const raw = `{"by":"${label}"}`
      return {
        expectedOut: offered,
        minOut: minOut(offered, slippageBps),
        priceImpactPct: null,
        details: {},
        raw,
      }
    },
    async buildProved() {
      return {
        material: { kind: 'evm', to: ROUTER, data: calldata(), value: '1', approval: null },
        verification: { level: 'proved', checks: [], stated: [], simulation: null },
      }
    },
  }
}

function world(offers: Readonly<Record<string, bigint>>) {
  let [now, nth] = [1_000, 0]
  const clock = clockOf({ date: () => START + now, now: () => now })
  const counts = createCounts(clock)
  const calldata = () => `0x${(nth++).toString(16).padStart(8, '0')}`
  const listed = Object.entries(offers).map(([label, offered]) => provider(label, offered, calldata))
  const common = {
    ...uninformed(clock),
    providers: new Map([['base', listed]]),
    decimals,
    sealer: new Sealer('secret'),
    counts,
  }
  const quotes = new Quotes(common)
  const builds = new Builds({ ...common, ...WITHOUT_NONCES, quotes })
  const request = parseRequest({
    chain: 'base',
    side: 'buy',
    token: USDC,
    amount: '1',
    slippageBps: 300,
    from: WALLET,
  })
  const quote = () => quotes.quote(request, null)
  /** One swap by the best offer. @returns whose it was */
  const swap = async (client: string, got: (offered: bigint, by: string) => bigint): Promise<string> => {
    const best = await quote()
    const scope = new CancellationScope(client)
    const built = await builds.build({ ...request, from: WALLET }, parseReturnedQuote(best), scope)
    const { to, data, value, provider: by } = built
    const digest = evmDigest({ chainId: 8453, from: WALLET, to: to!, data: data!, value: BigInt(value!) })
    const found = counts.deliveries.find(digest, null)!
    t.match(found.row, { provider: by, stated: built.expectedOut })
    counts.deliveries.landed(found, {
      ...{ hash: digest, signature: null, block: 1, slot: null, gasUsed: null },
      ...{ at: START + now, got: String(got(BigInt(built.expectedOut!), by)) },
    })
    now += 60_000
    return by
  }
  return { counts, quote, swap, wait: (ms: number) => (now += ms) }
}

t.test('one that shades by 30 bps is behind an honest one within 50 swaps', async (t) => {
  const { counts, quote, swap, wait } = world({ honest: 998_000n, shady: 1_000_000n })
  const winners: string[] = []
  for (let i = 0; i < 50; i++) {
    winners.push(
      await swap(`client ${i % CLIENTS}`, (offered, by) =>
        by === 'shady' ? (offered * 9_970n) / 10_000n : offered,
      ),
    )
  }
  const first = winners.indexOf('honest')
  t.ok(first > 0 && first < 50, `from the ${first + 1}th on`)
  t.same(new Set(winners.slice(first)), new Set(['honest']), 'and stays there')
  const best = await quote()
  t.match(best, { provider: 'honest', expectedOut: '998000' })
  t.notOk('deliveryLossBps' in best)
  t.match(best.route.alternatives, [{ provider: 'shady', behindBps: 10, deliveryLossBps: 30 }])
  const [{ providers }] = counts.bakeOff.report('24h').chains as [
    ReturnType<typeof counts.bakeOff.report>['chains'][number],
  ]
  t.match(providers.find(({ provider }) => provider === 'shady')!.delivered, {
    medianBps: 30,
    lossBps: 30,
    errorPerMille: 1,
  })
  t.match(providers.find(({ provider }) => provider === 'honest')!.delivered, { medianBps: 0, lossBps: 0 })
  wait(7 * 24 * 3_600_000)
  t.equal((await quote()).provider, 'shady', 'it is given another chance')
})

t.test('one client does not spoil the standing of an honest provider', async (t) => {
  const { quote, swap } = world({ a: 1_000_000n, b: 999_900n })
  for (let i = 0; i < 100; i++) await swap('an enemy', (offered) => offered / 2n)
  t.equal((await quote()).provider, 'a')
})
