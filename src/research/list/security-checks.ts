/**
 * Security checks of the tokens that were not chosen by hand. Each rebuild
 * checks a few: the sources take one token per call, and profiles need their
 * quotas too.
 */

import { type MarketProvider, PARTIAL_KEEP_MS } from '../../providers/market/market.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ListEntry } from './list-entry.ts'
import type { AskMarket } from './market-calls.ts'

/** A token is not checked again by the same source for this long. */
const KEEP_MS = 1_800_000
/** A source that failed on a token is asked about it again after this long. */
const RETRY_MS = 120_000

/** @returns a function that checks entries which are due, with so many calls to each source at most */
export function securityChecks(
  providers: readonly MarketProvider[],
  askMarket: AskMarket,
  clock: Clock,
): (entries: readonly ListEntry[], perSource: number) => Promise<void> {
  const all = providers.flatMap(({ label, chains, parts }) =>
    parts?.security === undefined ? [] : [{ label, chains, security: parts.security }],
  )
  const served = new Set(all.flatMap(({ chains, security }) => (security.isScarce ? [] : [...chains])))
  const sources = all.map((source) => {
    if (!source.security.isScarce) return source
    return { ...source, chains: new Set([...source.chains].filter((chain) => !served.has(chain))) }
  })

  async function ask(entry: ListEntry, { label, security }: (typeof sources)[number]): Promise<void> {
    entry.checkedAt.set(label, clock.now())
    const token = { chain: entry.chain, address: entry.address }
    const again = (ms: number): void => void entry.checkedAt.set(label, clock.now() - KEEP_MS + ms)
    const answer = await askMarket(
      label,
      (options) => security.askBriefly?.(token, options) ?? security.ask(token, options),
    )
    if (answer === undefined) return again(RETRY_MS)
    if (answer === null) return
    entry.setSecurity(label, answer)
    if (security.isPartial?.(answer)) again(PARTIAL_KEEP_MS)
  }

  return async (entries, perSource) => {
    const candidates = entries.filter(({ isChosen }) => !isChosen)
    const since = clock.now() - KEEP_MS
    await Promise.all(
      sources.flatMap((source) => {
        // Those that it was never asked about come first.
        const age = ({ checkedAt }: ListEntry): number =>
          checkedAt.get(source.label) ?? Number.NEGATIVE_INFINITY
        return candidates
          .filter((entry) => source.chains.has(entry.chain) && age(entry) < since)
          .sort((a, b) => (age(a) === age(b) ? 0 : age(a) - age(b)))
          .slice(0, perSource)
          .map((entry) => ask(entry, source))
      }),
    )
  }
}
