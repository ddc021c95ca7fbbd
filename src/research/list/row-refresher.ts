/**
 * Refreshes rows: the tokens of each chain in batches as large as a source
 * takes, the longest unasked first. A token that the first source does not know
 * goes to the next one.
 *
 * A source whose rows cover all pools of a token comes before those that show
 * one pool. Its quota allows few calls, so the tokens it knows wait for their
 * next call to it; one that has waited too long goes to the other sources.
 */

import type { MarketProvider, RowSource } from '../../providers/market/market.ts'
import type { Clock } from '../../runtime/clock.ts'
import { chunksOf, groupedBy } from '../../runtime/lists.ts'
import type { ListEntry } from './list-entry.ts'
import type { AskMarket } from './market-calls.ts'

/** How long a token waits for the source that covers all of its pools, ms. */
const PATIENCE_MS = 40_000

type RowProvider = MarketProvider & { readonly rows: RowSource }

interface RowBatch {
  readonly entries: readonly ListEntry[]
  /** In the order in which they are asked. */
  readonly providers: readonly RowProvider[]
}

/**
 * @param providers  in the order in which they are asked
 * @returns a function that refreshes entries, with so many batches at most, and resolves to how many it asked for
 */
export function rowRefresher(providers: readonly MarketProvider[], askMarket: AskMarket, clock: Clock) {
  const sources = providers
    .filter((provider): provider is RowProvider => provider.rows !== undefined)
    .sort((a, b) => Number(isRateLimited(b)) - Number(isRateLimited(a)))
  /** When each rate-limited source was last asked, and when for each token; monotonic, ms. */
  const sourceAskedAt = new Map<string, number>()
  const tokenAskedAt = new WeakMap<ListEntry, number>()

  /** The tokens of each chain in batches, the longest unasked first. */
  function batchesOf(entries: Iterable<ListEntry>): RowBatch[] {
    const byChain = groupedBy(entries, ({ chain }) => chain)
    const batches: RowBatch[] = []
    for (const [chain, ofChain] of byChain) {
      let providers = sources.filter(({ chains }) => chains.has(chain))
      let rest = ofChain.sort(byAge)
      const [first] = providers
      if (first !== undefined && isRateLimited(first)) {
        const next = nextFor(first, rest)
        if (next.length > 0) batches.push({ entries: next, providers })
        rest = rest.filter((entry) => !next.includes(entry) && !waits(entry, first))
        providers = providers.slice(1)
      }
      const size = providers[0]?.rows.maxTokens
      if (size === undefined) continue
      for (const part of chunksOf(rest, size)) batches.push({ entries: part, providers })
    }
    return batches.sort((a, b) => byAge(a.entries[0]!, b.entries[0]!))
  }

  /** The tokens that a rate-limited source was asked about longest ago; none before it is due. */
  function nextFor({ label, rows }: RowProvider, entries: readonly ListEntry[]): readonly ListEntry[] {
    const asked = sourceAskedAt.get(label) ?? Number.NEGATIVE_INFINITY
    if (clock.now() - asked < rows.everyMs!) return []
    const at = (entry: ListEntry): number => tokenAskedAt.get(entry) ?? Number.MIN_SAFE_INTEGER
    return entries.toSorted((a, b) => at(a) - at(b)).slice(0, rows.maxTokens)
  }

  const waits = ({ quotedBy, askedAt }: ListEntry, { label }: RowProvider): boolean =>
    quotedBy === label && clock.now() - askedAt < PATIENCE_MS

  async function ask({ entries, providers }: RowBatch): Promise<void> {
    const { chain } = entries[0]!
    const askedAt = clock.now()
    for (const entry of entries) entry.askedAt = askedAt
    let missing = entries
    for (const provider of providers) {
      const { label, rows } = provider
      if (isRateLimited(provider)) {
        sourceAskedAt.set(label, askedAt)
        for (const entry of missing) tokenAskedAt.set(entry, askedAt)
      }
      const addresses = [...new Set(missing.map(({ quotedAs }) => quotedAs))]
      const answers = await Promise.all(
        chunksOf(addresses, rows.maxTokens).map((some) =>
          askMarket(label, (options) => rows.ask(chain, some, options)),
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

  return async (entries: Iterable<ListEntry>, maxBatches: number): Promise<number> => {
    const batches = batchesOf(entries).slice(0, maxBatches)
    await Promise.all(batches.map(ask))
    return batches.length
  }
}

const isRateLimited = ({ rows }: RowProvider): boolean => rows.everyMs !== undefined

// Never asked is minus infinity, and the difference of two infinities is NaN.
function byAge(a: ListEntry, b: ListEntry): number {
  return a.askedAt === b.askedAt ? 0 : a.askedAt - b.askedAt
}
