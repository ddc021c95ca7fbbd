/**
 * All answers of the sources about one token: every part from every source that
 * has it, and a report on each source.
 *
 * Source: §2 TokenProfile, §4.2
 */

import type { Part, Parts } from '../../providers/market/market.ts'
import type { TokenProfile } from '../../runtime/resources/token-profile.ts'
import { reasonOf } from '../../upstream/answers/source-report.ts'
import type { SourceAnswer, SourceFailure } from '../../upstream/answers/stale-if-error.ts'

/** The value of one part of the profile, from one source. */
export interface PartValue<P extends Part> {
  readonly provider: string
  readonly value: Parts[P]
  /** When the source answered, ms epoch. */
  readonly at: number
  readonly isStale: boolean
}

export type PartsReport = TokenProfile['sources'][number]

/** One source's answer about one part; `none` if it does not know the token. */
interface ProfileAnswer {
  readonly provider: string
  readonly part: Part
  readonly answer: SourceAnswer<Parts[Part]>
}

export class ProfileAnswers {
  readonly #entries: readonly ProfileAnswer[]
  /** One report per provider that was asked, in order of preference. */
  readonly reports: readonly PartsReport[]
  /** When the newest answer was given, ms epoch; null if no source has answered. */
  readonly updatedAt: number | null

  /** @param entries  the providers in order of preference */
  constructor(entries: readonly ProfileAnswer[]) {
    this.#entries = entries
    const providers = [...new Set(entries.map(({ provider }) => provider))]
    this.reports = providers.map((provider) =>
      report(
        provider,
        entries.filter((entry) => entry.provider === provider),
      ),
    )
    const times = entries.flatMap(({ answer }) => (answer.kind === 'failed' ? [] : [answer.at]))
    this.updatedAt = times.length === 0 ? null : Math.max(...times)
  }

  /** The values of one part: fresh ones before stale ones, each in order of preference. */
  of<P extends Part>(name: P): readonly PartValue<P>[] {
    const given = this.#entries.flatMap(({ provider, part, answer }): PartValue<P>[] => {
      if (part !== name || answer.kind !== 'given') return []
      const { value, at, staleBy } = answer
      return [{ provider, value: value as Parts[P], at, isStale: staleBy !== null }]
    })
    return given.toSorted((a, b) => Number(a.isStale) - Number(b.isStale))
  }
}

function report(provider: string, entries: readonly ProfileAnswer[]): PartsReport {
  const given = entries.flatMap(({ part, answer }) => (answer.kind === 'given' ? [{ part, ...answer }] : []))
  const failed = entries.flatMap(({ part, answer }) =>
    answer.kind === 'failed' ? [{ part, failure: answer.failure }] : [],
  )
  const times = entries.flatMap(({ answer }) => (answer.kind === 'failed' ? [] : [answer.at]))
  const failures = [...failed.map(({ failure }) => failure), ...given.flatMap(({ staleBy }) => staleBy ?? [])]
  return {
    provider,
    status: statusOf(given, failed.length),
    at: times.length === 0 ? null : Math.min(...times),
    parts: given.map(({ part }) => part),
    failed: failed.map(({ part }) => part),
    ...(failures[0] === undefined ? {} : reasonOf(failures[0])),
  }
}

function statusOf(
  given: readonly { readonly staleBy: SourceFailure | null }[],
  failed: number,
): PartsReport['status'] {
  if (given.length === 0) return failed === 0 ? 'missing' : 'failed'
  if (failed > 0) return 'partial'
  return given.some(({ staleBy }) => staleBy !== null) ? 'stale' : 'ok'
}
