/**
 * A cached portfolio, compared with bare node:http serving the same bytes; and the
 * memory that the answers to ten thousand distinct requests take.
 */
import type { Holding } from '../../src/providers/holdings/holdings.ts'
import type { TokenSet } from '../../src/research/list/token-set.ts'
import { Portfolios } from '../../src/research/portfolio/portfolio.ts'
import { WalletReader } from '../../src/research/portfolio/wallet-reader.ts'
import { CLOCK } from '../../src/runtime/clock.ts'
import { heldMiB } from '../figures/measure.ts'
import { type BenchReport, type Claim, show, spread } from '../figures/report.ts'
import { type Latency, pace } from '../load/pace.ts'
import { GATEWAY, peer, pinClient, startServer } from '../servers/process.ts'

const ROUNDS = 5
const SECONDS = 4
const WARM_UP_SECONDS = 3
const PER_SECOND = 1_000
/** So high that nothing is rejected, while the limiter still counts. */
const LIMITS = 'portfolio=1000000000/1000000000'
const WALLETS =
  'address=0x52908400098527886E0F7030069857D2E4169EE7&chains=base,gnosis&sol=vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg'

const KEYS = 10_000
const HOLDINGS = 60

export async function benchPortfolio(): Promise<BenchReport> {
  const memory = await benchMemory()
  const latency = await benchLatency()
  return {
    tables: [...latency.tables, ...memory.tables],
    claims: memory.claims,
  }
}

async function benchLatency(): Promise<BenchReport> {
  pinClient()
  const gateway = await startServer(GATEWAY, { MODE: 'sandbox', LIMITS })
  const path = (round: number): string => `/api/portfolio?${WALLETS}&dust=${round}`
  const bare = await startServer(peer('portfolio'), { UPSTREAM: gateway.url + path(0) })
  const run = (origin: string, round: number, seconds: number): Promise<Latency> => {
    const isAnswer = (answer: string): boolean => answer.startsWith('{"address":"0x52')
    return pace(() => [{ origin, path: path(round), body: null, isAnswer }], PER_SECOND, seconds)
  }
  for (const { url } of [bare, gateway]) await run(url, 0, WARM_UP_SECONDS)
  const rounds: (readonly [bare: Latency, ours: Latency])[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    const ceiling = await run(bare.url, round, SECONDS)
    // An answer stays cached for half a minute; each round has its own.
    await fetch(gateway.url + path(round))
    rounds.push([ceiling, await run(gateway.url, round, SECONDS)])
  }
  await gateway.stop()
  await bare.stop()

  const over = (figure: (round: readonly [Latency, Latency]) => number) => spread(rounds.map(figure))
  const rows = ['bare node:http', 'swapgate'].map((name, i) => [
    name,
    show(
      over((round) => round[i]!.p50Ms),
      2,
    ),
    show(
      over((round) => round[i]!.p99Ms),
      2,
    ),
  ])
  const table = {
    title: `Cached portfolio at ${PER_SECOND.toLocaleString('en')} requests/s`,
    text: `The same bytes; ${ROUNDS} alternating rounds of ${SECONDS} s after a warm-up, from sending to the last byte.`,
    columns: ['', 'p50 ms', 'p99 ms'],
    rows,
  }
  return { tables: [table], claims: [] }
}

async function benchMemory(): Promise<BenchReport> {
  const portfolios = withoutNodes()
  const ask = (dust: number): Promise<Buffer> =>
    portfolios.read(portfolios.parse({ sol: '1'.repeat(32), dust }), null)
  const { length } = await ask(KEYS)
  const before = await heldMiB()
  for (let dust = 0; dust < KEYS; dust++) await ask(dust)
  const grown = spread([(await heldMiB()) - before])
  const table = {
    title: `Portfolios: memory after ${KEYS.toLocaleString('en')} distinct requests`,
    text: `Answers of ${(length / 1_024).toFixed(0)} KiB each. Heap and buffers, after garbage collection.`,
    columns: ['', 'MiB'],
    rows: [['grown by', show(grown, 1)]],
  }
  const claims: Claim[] = [
    { what: 'Portfolios: MiB for 10,000 distinct requests', figure: grown, is: 'at most', bound: 24 },
  ]
  // Keeps the cache alive until here, and proves that the last answer is in it.
  await portfolios.read(portfolios.parse({ sol: '1'.repeat(32), dust: KEYS - 1 }), null, () => {
    throw new Error('The last answer must be cached.')
  })
  return { tables: [table], claims }
}

/** Portfolios whose wallets all hold the same tokens, and are read in no time. */
function withoutNodes(): Portfolios {
  const holdings = Array.from({ length: HOLDINGS }, (_, i): Holding => {
    const token = { chain: 'solana', address: `Token${i}`.padEnd(44, '1'), isNative: false }
    return {
      token,
      amount: 10n ** 9n,
      decimals: 9,
      symbol: `T${i}`,
      name: 'A token',
      wrapped: null,
      notes: [],
    }
  })
  const tokens: TokenSet = { ready: async () => {}, chains: () => [], tokens: () => [], find: () => null }
  const universe = { ready: async () => {}, tokens: () => [], find: () => null }
  const ask = async () => ({ at: { block: null, slot: 1 }, holdings, missing: 0 })
  return new Portfolios({
    tokens,
    wallets: new WalletReader({ tokens, universe, holdings: () => ({ ask }), clock: CLOCK }),
    providers: [],
    minLiquidityUsd: 0,
    deadlineMs: 1_000,
    clock: CLOCK,
  })
}
