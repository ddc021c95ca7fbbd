/**
 * The price of a chain's native coin, and the charts of native coins and tokens. The price is the token
 * list's unless that is stale, else that of the next price source that has one; a chart is that of the first
 * source that has one. If a source fails, the answer names it with the reason and shows its last answer,
 * marked as stale.
 *
 * Source: §4.10 `/api/native-price`, `/api/native-history`
 */
import { nativeAddress } from '../../chains/address.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { wrapperOf } from '../../chains/majors.ts'
import { Call } from '../../flow/call.ts'
import type { CancellationScope } from '../../flow/cancellation.ts'
import { withoutGaps } from '../../providers/market/candles.ts'
import { type Chart, hasPrices, type MarketProvider, type Price } from '../../providers/market/market.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/log.ts'
import { named } from '../../runtime/tape.ts'
import { type CacheState, totalOf } from '../../upstream/answers/coalescing.ts'
import { reportOf, type SourceReport } from '../../upstream/answers/source-report.ts'
import { type SourceAnswer, StaleIfErrorCache } from '../../upstream/answers/stale-if-error.ts'
import { isPriceOld, isPriceStale } from '../list/price-age.ts'
import type { TokenSet } from '../list/token-set.ts'
import type { NativeHistory, NativePrice } from './shapes.ts'
import { CHART_SPANS, DEFAULT_SPAN, INTERVALS, type IntervalName, type SpanName } from './spans.ts'

const PRICE_KEEP_MS = 30_000
/** Charts of the native coins of all chains in every interval, and of several hundred tokens. */
const MAX_ANSWERS = 500
/** The JSON of a chart has about 25 KiB. */
const MAX_BYTES = 8 * 1024 * 1024
const MAX_PENDING = 500
/** The name of the token list among the sources. */
const LIST = 'tokens'

interface NativeCoinsOptions {
  readonly tokens: Pick<TokenSet, 'find'>
  /** In order of preference. */
  readonly providers: readonly MarketProvider[]
  /** For the whole answer, ms. */
  readonly deadlineMs: number
  readonly clock: Clock
  readonly log: Logger
}

/** The candles of an interval, or those of a span; of the default one without either. */
export interface HistoryOrder {
  /** Canonical. Absent: the native coin. */
  readonly token?: string | undefined
  readonly span?: SpanName | undefined
  readonly interval?: IntervalName | undefined
}

type KnownPrice = Pick<Price, 'price' | 'priceTs'> & { readonly source: string; readonly hasFailed: boolean }

export class NativeCoins {
  readonly #options: NativeCoinsOptions
  readonly #prices: StaleIfErrorCache<Price>
  readonly #charts: StaleIfErrorCache<Chart>

  constructor(options: NativeCoinsOptions) {
    const { clock, log } = options
    const bounds = { log, max: MAX_ANSWERS, maxBytes: MAX_BYTES, maxPending: MAX_PENDING }
    this.#options = options
    this.#prices = new StaleIfErrorCache({ ...bounds, clock: named(clock, 'natives prices') })
    this.#charts = new StaleIfErrorCache({ ...bounds, clock: named(clock, 'charts') })
  }

  /** The state of the caches of prices and charts together. */
  get cache(): CacheState {
    return totalOf([this.#prices.cache, this.#charts.cache])
  }

  /** @param scope  the client that calls to sources count for; null for the gateway itself */
  async price(chain: ChainDefinition, scope: CancellationScope | null): Promise<NativePrice> {
    const address = nativeAddress(chain)
    const reports: SourceReport[] = []
    let best = this.#listed(chain.key, address)
    const { providers, deadlineMs, clock } = this.#options
    const call = Call.of(clock, 'research', deadlineMs, scope ?? undefined)
    const sources = providers.filter(hasPrices).filter(({ chains }) => chains.has(chain.key))
    for (const [i, { label, prices }] of sources.entries()) {
      if (best !== null && !this.#isStale(best)) break
      // A source that hangs leaves the later ones their share of the time.
      const share = call.within(call.leftMs / (sources.length - i))
      const answer = await this.#prices.ask(
        {
          key: `${label} ${chain.key}`,
          provider: label,
          keepMs: PRICE_KEEP_MS,
          ask: async (shared) =>
            (await prices.ask([{ chain: chain.key, address }], share.in(shared)))[0] ?? null,
        },
        scope,
      )
      reports.push(reportOf(label, answer))
      if (answer.kind === 'given' && (best === null || answer.value.priceTs > best.priceTs)) {
        best = { ...answer.value, source: label, hasFailed: answer.staleBy !== null }
      }
      // A fresh answer ends the search, unless its price is so old that another source may have a newer one.
      const isFresh = answer.kind === 'given' && answer.staleBy === null
      if (isFresh && !isPriceOld(answer.value.priceTs, clock.date())) break
    }
    return {
      ...this.#coin(chain),
      price: best?.price ?? null,
      asOf: best?.priceTs ?? null,
      stale: best !== null && this.#isStale(best),
      source: best?.source ?? null,
      sources: reports,
    }
  }

  /** A chart of an interval is fetched as a whole, and a span cut from it: all requests for it share one call. */
  async history(
    chain: ChainDefinition,
    { token = nativeAddress(chain), interval, span = DEFAULT_SPAN }: HistoryOrder,
    scope: CancellationScope | null,
  ): Promise<NativeHistory> {
    const { providers, deadlineMs, clock } = this.#options
    const name = interval ?? CHART_SPANS[span].interval
    const { keepMs, ...whole } = INTERVALS[name]
    const id = { chain: chain.key, address: token }
    const reports: SourceReport[] = []
    let given: (SourceAnswer<Chart> & { readonly kind: 'given' }) | null = null
    let source: string | null = null
    const call = Call.of(clock, 'research', deadlineMs, scope ?? undefined)
    const sources = providers.filter(({ chains, charts }) => charts && chains.has(chain.key))
    for (const [i, { label, charts }] of sources.entries()) {
      if (given !== null) break
      const share = call.within(call.leftMs / (sources.length - i))
      const answer = await this.#charts.ask(
        {
          key: `${label} ${chain.key} ${token} ${name}`,
          provider: label,
          keepMs,
          ask: (shared) => charts!.ask(id, whole, share.in(shared)),
        },
        scope,
      )
      reports.push(reportOf(label, answer))
      if (answer.kind === 'given') [given, source] = [answer, label]
    }
    const count = interval === undefined ? CHART_SPANS[span].count : whole.count
    const shown = given && withoutGaps(given.value.candles, { ...whole, count }, clock.date())
    const isNative = token === nativeAddress(chain)
    const symbol = this.#options.tokens.find(chain.key, token)?.symbol ?? null
    return {
      ...(isNative ? this.#coin(chain) : { chain: chain.key, symbol, wrapped: null }),
      token,
      span: interval === undefined ? span : null,
      interval: name,
      intervalMs: whole.intervalMs,
      candles: shown && [...shown.candles],
      filled: shown?.filled ?? 0,
      pool: given?.value.pool ?? null,
      source,
      asOf: given?.at ?? null,
      ageMs: given === null ? null : Math.max(0, clock.date() - given.at),
      stale: given !== null && given.staleBy !== null,
      sources: reports,
    }
  }

  #coin(chain: ChainDefinition): Pick<NativePrice, 'chain' | 'symbol' | 'wrapped'> {
    // Markets list SOL under the mint of wrapped SOL, which is also its address here.
    const wrapped = chain.family === 'solana' ? nativeAddress(chain) : wrapperOf(chain.key)
    return { chain: chain.key, symbol: chain.native, wrapped }
  }

  #listed(chain: string, address: string): KnownPrice | null {
    const { price = null, priceTs = null } = this.#options.tokens.find(chain, address) ?? {}
    return price === null || priceTs === null || price === 0
      ? null
      : { price, priceTs, source: LIST, hasFailed: false }
  }

  #isStale({ priceTs, hasFailed }: KnownPrice): boolean {
    return hasFailed || isPriceStale(priceTs, this.#options.clock.date())
  }
}
