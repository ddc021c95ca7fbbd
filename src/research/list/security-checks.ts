/**
 * Security checks of the tokens that were not chosen by hand. Each rebuild
 * checks a few: the sources take one token per call, and profiles need their
 * quotas too.
 */

import { type MarketProvider, PARTIAL_KEEP_MS, type PartSource } from '../../providers/market/market.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ListEntry } from './list-entry.ts'
import type { AskMarket } from './market-calls.ts'

/** A token is not checked again by the same source for this long. */
const KEEP_MS = 1_800_000
/** A source that failed on a token is asked about it again after this long. */
const RETRY_MS = 120_000

type SecuritySource = Pick<MarketProvider, 'label' | 'chains'> & { readonly security: PartSource<'security'> }

export class SecurityChecks {
  readonly #sources: readonly SecuritySource[]
  readonly #askMarket: AskMarket
  readonly #clock: Clock

  constructor(providers: readonly MarketProvider[], askMarket: AskMarket, clock: Clock) {
    const sources = providers.flatMap(({ label, chains, parts }) =>
      parts?.security === undefined ? [] : [{ label, chains, security: parts.security }],
    )
    const served = new Set(sources.flatMap(({ chains, security }) => (security.isScarce ? [] : [...chains])))
    this.#sources = sources.map((source) => {
      if (!source.security.isScarce) return source
      return { ...source, chains: new Set([...source.chains].filter((chain) => !served.has(chain))) }
    })
    this.#askMarket = askMarket
    this.#clock = clock
  }

  /** @param perSource  most calls to each source */
  async check(entries: Iterable<ListEntry>, perSource: number): Promise<void> {
    const candidates = [...entries].filter(({ isChosen }) => !isChosen)
    await Promise.all(
      this.#sources.flatMap((source) =>
        this.#due(candidates, source)
          .slice(0, perSource)
          .map((entry) => this.#ask(entry, source)),
      ),
    )
  }

  /** The tokens to ask a source about: those it was never asked about come first. */
  #due(candidates: readonly ListEntry[], { label, chains }: SecuritySource): ListEntry[] {
    const since = this.#clock.now() - KEEP_MS
    const age = ({ checkedAt }: ListEntry): number => checkedAt.get(label) ?? Number.NEGATIVE_INFINITY
    return candidates
      .filter((entry) => chains.has(entry.chain) && age(entry) < since)
      .sort((a, b) => (age(a) === age(b) ? 0 : age(a) - age(b)))
  }

  async #ask(entry: ListEntry, { label, security }: SecuritySource): Promise<void> {
    entry.checkedAt.set(label, this.#clock.now())
    const token = { chain: entry.chain, address: entry.address }
    const again = (ms: number): void => void entry.checkedAt.set(label, this.#clock.now() - KEEP_MS + ms)
    const answer = await this.#askMarket(
      label,
      (options) => security.askBriefly?.(token, options) ?? security.ask(token, options),
    )
    if (answer === undefined) return again(RETRY_MS)
    if (answer === null) return
    entry.setSecurity(label, answer)
    if (security.isPartial?.(answer)) again(PARTIAL_KEEP_MS)
  }
}
