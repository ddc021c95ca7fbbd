/**
 * Bringing rows up to date: the tokens of a chain in batches as large as a
 * source takes, those first that were asked for longest ago. What the first
 * source does not know, the next one is asked for.
 */
import type { Clock } from '../clock.ts'
import type { MarketProvider, RowSource } from '../providers/market/market.ts'
import type { Entry } from './entry.ts'
import type { Sources } from './sources.ts'

type RowProvider = MarketProvider & { readonly rows: RowSource }

export class Rows {
  readonly #providers: readonly RowProvider[]
  readonly #clock: Clock

  /** @param providers  in the order in which they are asked */
  constructor(providers: readonly MarketProvider[], clock: Clock) {
    this.#providers = providers.filter((provider): provider is RowProvider => provider.rows !== undefined)
    this.#clock = clock
  }

  /** @returns how many batches were asked for */
  async refresh(entries: Iterable<Entry>, maxBatches: number, sources: Sources): Promise<number> {
    const batches = this.#batches(entries).slice(0, maxBatches)
    await Promise.all(batches.map((batch) => this.#ask(batch, sources)))
    return batches.length
  }

  /** The tokens of each chain by age, in batches, the oldest batch first. */
  #batches(entries: Iterable<Entry>): Entry[][] {
    const byChain = new Map<string, Entry[]>()
    for (const entry of entries) {
      const ofChain = byChain.get(entry.chain)
      if (ofChain === undefined) byChain.set(entry.chain, [entry])
      else ofChain.push(entry)
    }
    const batches: Entry[][] = []
    for (const [chain, ofChain] of byChain) {
      const maxTokens = this.#of(chain)[0]?.rows.maxTokens
      if (maxTokens === undefined) continue
      ofChain.sort(byAge)
      for (let i = 0; i < ofChain.length; i += maxTokens) batches.push(ofChain.slice(i, i + maxTokens))
    }
    return batches.sort((a, b) => byAge(a[0]!, b[0]!))
  }

  async #ask(batch: readonly Entry[], sources: Sources): Promise<void> {
    const { chain } = batch[0]!
    const askedAt = this.#clock.now()
    for (const entry of batch) entry.askedAt = askedAt
    let missing = batch
    for (const { label, rows } of this.#of(chain)) {
      const addresses = [...new Set(missing.map(({ quotedAs }) => quotedAs))].slice(0, rows.maxTokens)
      if (addresses.length === 0) return
      const answer = await sources.ask(label, (options) => rows.ask(chain, addresses, options))
      const byAddress = new Map(answer?.map((row) => [row.address, row]))
      missing = missing.filter((entry) => {
        const row = byAddress.get(entry.quotedAs)
        if (row === undefined) return true
        entry.isQuoted = true
        entry.refresh(row, this.#clock.now())
        return false
      })
    }
  }

  #of(chain: string): readonly RowProvider[] {
    return this.#providers.filter(({ chains }) => chains.has(chain))
  }
}

// Never asked is minus infinity, of which two have no difference.
function byAge(a: Entry, b: Entry): number {
  return a.askedAt === b.askedAt ? 0 : a.askedAt - b.askedAt
}
