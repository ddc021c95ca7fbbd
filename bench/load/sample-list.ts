/**
 * A token list of 500 rows, all priced and most of them checked for risks, over
 * providers that answer at once.
 */

import { pino } from 'pino'
import { CHAINS } from '../../src/chains/chains.ts'
import {
  type DiscoveredBook,
  type MarketProvider,
  type MarketRow,
  type RiskFlags,
  UNKNOWN_FLAGS,
} from '../../src/providers/market/market.ts'
import { LiveTokenList } from '../../src/research/list/token-list.ts'
import { CLOCK } from '../../src/runtime/clock.ts'

const EPOCH = 1_795_262_400_000
const PER_ANSWER = 60
/** The books of the answers: as many answers as fill each book. */
const ANSWERS: readonly DiscoveredBook[] = [
  'boosted',
  'boosted',
  ...Array<DiscoveredBook>(4).fill('trending'),
  ...Array<DiscoveredBook>(3).fill('new'),
]
const FLAGS: RiskFlags = {
  ...UNKNOWN_FLAGS,
  honeypot: false,
  blacklisted: false,
  cannotSell: false,
  mintable: true,
  sellTaxPct: 0,
}

export interface SampleList {
  readonly list: LiveTokenList
  /** The list's clock, ms: a read rebuilds the list when this has advanced by `everyMs`. */
  readonly clock: { now: number }
  readonly everyMs: number
}

/** Makes the list; every row changes at each rebuild. */
export function sampleList(): SampleList {
  const clock = { now: 0 }
  const everyMs = 10_000
  const chains = new Set(CHAINS.map(({ key }) => key))
  const row = (chain: string, address: string, i: number): MarketRow => ({
    chain,
    address,
    symbol: `TOK${i}`,
    name: `Token number ${i} 🦊`,
    price: 0.001_234_5 * (i + 1) + clock.now * 1e-9,
    priceTs: EPOCH + clock.now,
    mcap: 1_234_567.8 * (i + 1),
    liq: 345_678.9 + i,
    vol24: 98_765.4 + i,
    holders: 1_000 + i,
  })
  const provider: MarketProvider = {
    label: 'sample',
    chains,
    rows: {
      maxTokens: 30,
      ask: async (chain, addresses) => addresses.map((address, i) => row(chain, address, i)),
    },
    discoveries: ANSWERS.map((book, nth) => ({
      book,
      title: `sample ${nth}`,
      everyMs: 60_000,
      chains: null,
      ask: async () =>
        Array.from({ length: PER_ANSWER }, (_, i) => {
          const address = `0x${(nth * PER_ANSWER + i + 1).toString(16).padStart(40, 'a')}`
          return { chain: 'base', address, row: null }
        }),
    })),
    parts: {
      security: { keepMs: 600_000, ask: async () => ({ at: EPOCH, facts: {}, flags: FLAGS }) },
    },
  }
  const list = new LiveTokenList({
    providers: [provider],
    operatorTokens: () => [],
    clock: { ...CLOCK, now: () => clock.now, date: () => EPOCH + clock.now },
    log: pino({ level: 'silent' }),
    bounds: { everyMs, batches: 100, allBatches: 100, discoveries: ANSWERS.length, checks: 500 },
  })
  return { list, clock, everyMs }
}
