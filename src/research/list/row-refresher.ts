/**
 * Bringing rows up to date: the tokens of a chain in batches as large as a
 * source takes, those first that were asked for longest ago. What the first
 * source does not know, the next one is asked for.
 *
 * A source whose rows are of all of a token's pools comes before those that
 * show one of them. It is asked seldom, so that the tokens that it knows wait
 * for their turn with it; only one whose turn does not come goes to the others.
 */

import type { MarketProvider, RowSource } from '../../providers/market/market.ts'
import type { Clock } from '../../runtime/clock.ts'
import { chunksOf } from './chunks.ts'
import type { ListEntry } from './list-entry.ts'
import type { MarketCalls } from './market-calls.ts'

/** How long a token waits for the source that knows it best, ms. */
const PATIENCE_MS = 40_000

type RowProvider = MarketProvider & { readonly rows: RowSource }

interface RowBatch {
  readonly entries: readonly ListEntry[]
  /** In the order in which they are asked. */
  readonly providers: readonly RowProvider[]
}

export class RowRefresher {
  readonly #providers: readonly RowProvider[]
  readonly #calls: MarketCalls
  readonly #clock: Clock
  /** When a source that is asked seldom was, and for which tokens; monotonic, ms. */
  readonly #askedAt = new Map<string, number>()
  readonly #turns = new WeakMap<ListEntry, number>()

  /** @param providers  in the order in which they are asked */
  constructor(providers: readonly MarketProvider[], calls: MarketCalls, clock: Clock) {
    const all = providers.filter((provider): provider is RowProvider => provider.rows !== undefined)
    this.#providers = all.toSorted((a, b) => Number(isSeldom(b)) - Number(isSeldom(a)))
    this.#calls = calls
    this.#clock = clock
  }

  /** @returns how many batches were asked for */
  async refresh(entries: Iterable<ListEntry>, maxBatches: number): Promise<number> {
    const batches = this.#batches(entries).slice(0, maxBatches)
    await Promise.all(batches.map((batch) => this.#ask(batch)))
    return batches.length
  }

  /** For another instance: when sources that are asked seldom were. */
  state(): readonly (readonly [source: string, at: number])[] {
    return [...this.#askedAt]
  }

  adopt(askedAt: ReturnType<RowRefresher['state']>): void {
    for (const [label, at] of askedAt) this.#askedAt.set(label, Math.max(at, this.#askedAt.get(label) ?? at))
  }

  /** The tokens of each chain by age, in batches, the oldest batch first. */
  #batches(entries: Iterable<ListEntry>): RowBatch[] {
    const byChain = new Map<string, ListEntry[]>()
    for (const entry of entries) {
      const ofChain = byChain.get(entry.chain)
      if (ofChain === undefined) byChain.set(entry.chain, [entry])
      else ofChain.push(entry)
    }
    const batches: RowBatch[] = []
    for (const [chain, ofChain] of byChain) {
      let providers = this.#providers.filter(({ chains }) => chains.has(chain))
      let rest = ofChain.sort(byAge)
      const [first] = providers
      if (first !== undefined && isSeldom(first)) {
        const turn = this.#turnOf(first, rest)
        if (turn.length > 0) batches.push({ entries: turn, providers })
        rest = rest.filter((entry) => !turn.includes(entry) && !this.#waits(entry, first))
        providers = providers.slice(1)
      }
      const size = providers[0]?.rows.maxTokens
      if (size === undefined) continue
      for (const part of chunksOf(rest, size)) batches.push({ entries: part, providers })
    }
    return batches.sort((a, b) => byAge(a.entries[0]!, b.entries[0]!))
  }

  /** Those that a source that is asked seldom has not been asked for for longest; none before it is due. */
  #turnOf({ label, rows }: RowProvider, entries: readonly ListEntry[]): readonly ListEntry[] {
    const asked = this.#askedAt.get(label) ?? Number.NEGATIVE_INFINITY
    if (this.#clock.now() - asked < rows.everyMs!) return []
    const turn = (entry: ListEntry): number => this.#turns.get(entry) ?? Number.MIN_SAFE_INTEGER
    return entries.toSorted((a, b) => turn(a) - turn(b)).slice(0, rows.maxTokens)
  }

  #waits({ quotedBy, askedAt }: ListEntry, { label }: RowProvider): boolean {
    return quotedBy === label && this.#clock.now() - askedAt < PATIENCE_MS
  }

  async #ask({ entries, providers }: RowBatch): Promise<void> {
    const { chain } = entries[0]!
    const askedAt = this.#clock.now()
    for (const entry of entries) entry.askedAt = askedAt
    let missing = entries
    for (const provider of providers) {
      const { label, rows } = provider
      if (isSeldom(provider)) {
        this.#askedAt.set(label, askedAt)
        for (const entry of missing) this.#turns.set(entry, askedAt)
      }
      const addresses = [...new Set(missing.map(({ quotedAs }) => quotedAs))]
      const answers = await Promise.all(
        chunksOf(addresses, rows.maxTokens).map((some) =>
          this.#calls.ask(label, (options) => rows.ask(chain, some, options)),
        ),
      )
      const byAddress = new Map(answers.flatMap((answer) => answer ?? []).map((row) => [row.address, row]))
      missing = missing.filter((entry) => {
        const row = byAddress.get(entry.quotedAs)
        if (row === undefined) return true
        entry.quotedBy = label
        entry.refresh(row, label)
        return false
      })
    }
  }
}

const isSeldom = ({ rows }: RowProvider): boolean => rows.everyMs !== undefined

// Never asked is minus infinity, of which two have no difference.
function byAge(a: ListEntry, b: ListEntry): number {
  return a.askedAt === b.askedAt ? 0 : a.askedAt - b.askedAt
}
