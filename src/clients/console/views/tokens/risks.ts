/** The risks of a token that sources report. Anything unchecked is unknown, not safe. */
import type { TokenRow } from '../../../client/index.ts'
import flags from './flags.json' with { type: 'json' }

export interface Risk {
  readonly text: string
  /** Whether holders can lose everything now, rather than through a power that may be used later. */
  readonly isGrave: boolean
  readonly saidBy: readonly string[]
  readonly deniedBy: readonly string[]
}

/** A tax of at least this many percent is grave. */
export const GRAVE_TAX_PERCENT = 10

export interface RiskFlag {
  readonly name: string
  readonly text: string
  readonly isGrave: boolean
}

/** All flags that are read from the sources' findings, grave ones first. */
export const FLAGS: readonly RiskFlag[] = [
  ...flagsOf(flags.grave, true),
  ...flagsOf(flags.taxes, false),
  ...flagsOf(flags.powers, false),
]

function flagsOf(texts: Readonly<Record<string, string>>, isGrave: boolean): RiskFlag[] {
  return Object.entries(texts).map(([name, text]) => ({ name, text, isGrave }))
}

type SourceFindings = readonly (readonly [source: string, said: Readonly<Record<string, unknown>>])[]

/** What a source says of a flag: yes, no, or a tax in percent. Null: it does not say. */
export type FlagWord = boolean | number | null

export const wordOf = (said: unknown): FlagWord =>
  typeof said === 'boolean' || typeof said === 'number' ? said : null

export const isBad = (said: FlagWord): boolean => (typeof said === 'number' ? said > 0 : said === true)

/** A token's risks, grave ones first; null if no source has answered. */
export function risksOf({ security, nameSuspicious }: TokenRow): readonly Risk[] | null {
  const sources = sourcesOf(security)
  const names: Risk[] =
    nameSuspicious === true
      ? [{ text: 'name imitates a major', isGrave: true, saidBy: ['swapgate'], deniedBy: [] }]
      : []
  if (sources.length === 0) return names.length === 0 ? null : names
  const all = [...names, ...FLAGS.flatMap((flag) => riskOf(flag, sources))]
  return all.sort((a, b) => Number(b.isGrave) - Number(a.isGrave))
}

function riskOf({ name, text, isGrave }: RiskFlag, sources: SourceFindings): readonly Risk[] {
  const words = sources.map(([source, said]) => ({ source, said: wordOf(said[name]) }))
  const told = words.filter(({ said }) => said !== null)
  const saidBy = told.filter(({ said }) => isBad(said)).map(({ source }) => source)
  if (saidBy.length === 0) return []
  const deniedBy = told.filter(({ said }) => !isBad(said)).map(({ source }) => source)
  if (!Object.hasOwn(flags.taxes, name)) return [{ text, isGrave, saidBy, deniedBy }]
  const highest = Math.max(...told.map(({ said }) => Number(said)))
  return [{ text: `${text} ${highest}%`, isGrave: highest >= GRAVE_TAX_PERCENT, saidBy, deniedBy }]
}

/** The time of the oldest answer, ms of the wall clock; null without answers. */
export function checkedAt({ security }: TokenRow): number | null {
  const times = sourcesOf(security).flatMap(([, { at }]) => (typeof at === 'number' ? [at] : []))
  return times.length === 0 ? null : Math.min(...times)
}

export function sourcesOf(security: TokenRow['security']): SourceFindings {
  return Object.entries(security ?? {}).filter(
    (entry): entry is [string, Record<string, unknown>] => typeof entry[1] === 'object' && entry[1] !== null,
  )
}
