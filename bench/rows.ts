/**
 * The age of the rows of a list of 500 when they are read, for an hour at three
 * intervals, under the quotas that DexScreener and Jupiter publish. Time is simulated:
 * the run never waits, and answers arrive at once.
 */
import { pino } from 'pino'
import { CHAINS } from '../src/chains/chains.ts'
import { PROVIDERS } from '../src/config/providers.ts'
import type { Discovered, DiscoveredBook, MarketProvider, MarketRow } from '../src/providers/market/market.ts'
import { LiveTokenList } from '../src/research/list/token-list.ts'
import { GatewayError } from '../src/runtime/errors.ts'
import { Governor, type Quota } from '../src/upstream/admission/governor.ts'
import { clockOf } from '../test/fixtures/clock.ts'
import type { BenchReport } from './report.ts'

const EPOCH = 1_795_262_400_000
const HOUR_MS = 3_600_000
/** Until every book is full and every row has been refreshed. */
const WARM_UP_MS = 120_000
const EVERY_MS = 10_000
const LOOK_MS = 1_000
const STALE_MS = 60_000
const INTERVALS = [
  ['every second', 1_000],
  ['every 30 seconds', 30_000],
  ['every 5 minutes', 300_000],
] as const
/** The books of the answers, of sixty tokens each: as many answers as fill each book. */
const BOOKS: readonly DiscoveredBook[] = [
  ...Array<DiscoveredBook>(2).fill('boosted'),
  ...Array<DiscoveredBook>(4).fill('trending'),
  ...Array<DiscoveredBook>(3).fill('new'),
]
const PER_ANSWER = 60
/** The chains of discovered tokens, in rotation: two of five on Solana. */
const FOUND_ON = [
  'solana',
  'base',
  'solana',
  'bsc',
  'ethereum',
  'solana',
  'base',
  'arbitrum',
  'solana',
  'ton',
]

interface Simulation {
  readonly list: LiveTokenList
  readonly clock: { ms: number }
  readonly calls: Record<string, number>
}

export async function benchRows(): Promise<BenchReport> {
  const rows: string[][] = []
  for (const [name, everyMs] of INTERVALS) rows.push([name, ...toCells(await readFor(HOUR_MS, everyMs))])
  return {
    tables: [
      {
        title: 'Token list: age of rows when read',
        text: 'An hour of simulated time, 490 rows, two of five on Solana; DexScreener at 300 calls a minute, Jupiter at 30,\nwithout a key. Ages in seconds, over all rows of all reads; stale means older than 60 seconds.',
        columns: ['read', 'median', 'p95', 'oldest', 'stale', 'DexScreener calls/min', 'Jupiter calls/min'],
        rows,
      },
    ],
    claims: [],
  }
}

interface RowAges {
  /** Ages of all rows of all reads, ms, ascending. */
  readonly ages: readonly number[]
  /** By provider. */
  readonly callsPerMinute: Readonly<Record<string, number>>
}

/** @param everyMs  the interval between reads */
export async function readFor(durationMs: number, everyMs: number): Promise<RowAges> {
  const { list, clock, calls } = simulation()
  const read = async (): Promise<number[]> => {
    const representation = await list.reply(false, null)
    const { tokens } = JSON.parse(representation.select({}).body.toString()) as {
      tokens: { priceTs: number | null }[]
    }
    return tokens.flatMap(({ priceTs }) => (priceTs === null ? [] : [EPOCH + clock.ms - priceTs]))
  }
  /** Lets the list's schedule look each second; a rebuild takes no time. */
  const pass = async (ms: number): Promise<void> => {
    for (const until = clock.ms + ms; clock.ms < until; ) {
      clock.ms += LOOK_MS
      await list.keepCurrent()
    }
  }
  await read()
  await pass(WARM_UP_MS)
  for (const label of Object.keys(calls)) calls[label] = 0
  const ages: number[] = []
  const endsAt = clock.ms + durationMs
  while (clock.ms < endsAt) {
    await pass(everyMs)
    for (const age of await read()) ages.push(age)
  }
  const perMinute = Object.entries(calls).map(([label, count]) => [label, (60_000 * count) / durationMs])
  return { ages: ages.sort((a, b) => a - b), callsPerMinute: Object.fromEntries(perMinute) }
}

function toCells({ ages, callsPerMinute }: RowAges): string[] {
  const at = (part: number): string => (ages[Math.floor(part * (ages.length - 1))]! / 1_000).toFixed(0)
  const stale = ages.filter((age) => age > STALE_MS).length / ages.length
  const calls = [callsPerMinute.dexscreener!, callsPerMinute.jupiter!]
  return [
    at(0.5),
    at(0.95),
    at(1),
    `${(100 * stale).toFixed(1)} %`,
    ...calls.map((count) => count.toFixed(1)),
  ]
}

function simulation(): Simulation {
  const time = { ms: 0 }
  const clock = clockOf({ now: () => time.ms, date: () => EPOCH + time.ms, after: () => () => {} })
  const calls: Record<string, number> = { dexscreener: 0, jupiter: 0 }
  const row = (chain: string, address: string): MarketRow => ({
    chain,
    address,
    symbol: 'SYM',
    name: 'Some token',
    price: 1 + time.ms / HOUR_MS,
    priceTs: EPOCH + time.ms,
    mcap: 5_000_000,
    liq: 800_000,
    vol24: 70_000,
    holders: 4_000,
  })
  const source = (
    label: string,
    chains: readonly string[],
    quota: Quota,
    maxTokens: number,
    everyMs?: number,
  ) => {
    const governor = new Governor(quota, clock)
    const provider: MarketProvider = {
      label,
      chains: new Set(chains),
      rows: {
        maxTokens,
        ...(everyMs === undefined ? {} : { everyMs }),
        async ask(chain, addresses, { priority }) {
          if (governor.admit(priority) > 0)
            throw new GatewayError('upstream_rate_limited', 'The quota is spent.')
          calls[label]!++
          return addresses.map((address) => row(chain, address))
        },
      },
    }
    return provider
  }
  let serial = 0
  const discoveries = BOOKS.map((book) => {
    const found = Array.from({ length: PER_ANSWER }, (): Discovered => {
      const chain = FOUND_ON[serial % FOUND_ON.length]!
      return { chain, address: `0x${(++serial).toString(16).padStart(40, '1')}`, row: null }
    })
    return { book, title: 'a site', everyMs: HOUR_MS, chains: null, ask: async () => found }
  })
  const everywhere = CHAINS.map(({ key }) => key)
  const list = new LiveTokenList({
    providers: [
      source('dexscreener', everywhere, PROVIDERS.dexscreener.quota.keyless, 30),
      source('jupiter', ['solana'], PROVIDERS.jupiter.quota.keyless, 100, EVERY_MS),
      { label: 'sites', chains: new Set(everywhere), discoveries },
    ],
    operatorTokens: () => [],
    clock,
    log: pino({ level: 'silent' }),
  })
  return { list, clock: time, calls }
}
