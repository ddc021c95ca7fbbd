/**
 * The verdict of the sources' security reports: flags and disagreements first, then what no source reports.
 */
import type { TokenProfile } from '../../../client/index.ts'
import { titleOf } from '../../data/words.ts'
import { counted } from '../../format.ts'
import { FLAGS, type FlagWord, GRAVE_TAX_PERCENT, isBad, type RiskFlag, wordOf } from '../tokens/risks.ts'

/** One source's answer. */
export interface SourceWord {
  readonly source: string
  /** When the source was asked, ms of the wall clock. */
  readonly at: number | null
  readonly said: FlagWord
}

export interface Finding {
  readonly flag: RiskFlag
  readonly words: readonly SourceWord[]
  /** Whether a source says yes. */
  readonly isFlagged: boolean
  readonly isGrave: boolean
  /** Whether one says yes and another no. */
  readonly isDisputed: boolean
}

export interface SecurityVerdict {
  /** Of those that a source reports on; grave flags first. */
  readonly findings: readonly Finding[]
  /** Flags that no source reports. */
  readonly untold: readonly RiskFlag[]
  readonly state: 'danger' | 'warn' | 'ok' | 'unknown'
  readonly text: string
}

/** Known from the name alone; no source is asked about it. */
const IMITATES: Finding = {
  flag: { name: 'nameSuspicious', text: 'name imitates a major', isGrave: true },
  words: [{ source: 'swapgate', at: null, said: true }],
  isFlagged: true,
  isGrave: true,
  isDisputed: false,
}

export function verdictOf({ security = {}, row }: Pick<TokenProfile, 'security' | 'row'>): SecurityVerdict {
  const reports = Object.entries(security).map(([label, one]) => [titleOf(label), one] as const)
  const all = FLAGS.map((flag): Finding => {
    const words = reports.map(([source, { at, flags }]) => ({ source, at, said: wordOf(flags[flag.name]) }))
    const isFlagged = words.some(({ said }) => isBad(said))
    const isTaxed = words.some(({ said }) => typeof said === 'number' && said >= GRAVE_TAX_PERCENT)
    const isDenied = words.some(({ said }) => said !== null && !isBad(said))
    return {
      flag,
      words,
      isFlagged,
      isGrave: isFlagged && (flag.isGrave || isTaxed),
      isDisputed: isFlagged && isDenied,
    }
  })
  const isTold = ({ words }: Finding): boolean => words.some(({ said }) => said !== null)
  const told = [...(row?.nameSuspicious === true ? [IMITATES] : []), ...all.filter(isTold)]
  const findings = told.toSorted((a, b) => rankOf(a) - rankOf(b))
  const flags = findings.filter(({ isFlagged }) => isFlagged)
  const disputed = findings.filter(({ isDisputed }) => isDisputed).length
  return {
    findings,
    untold: all.filter((finding) => !isTold(finding)).map(({ flag }) => flag),
    state: flags.some(({ isGrave }) => isGrave)
      ? 'danger'
      : flags.length > 0
        ? 'warn'
        : findings.length > 0
          ? 'ok'
          : 'unknown',
    text: [
      counted(reports.length, 'source'),
      counted(findings.length, 'check'),
      counted(flags.length, 'flag'),
      ...(disputed === 0 ? [] : [counted(disputed, 'disagreement')]),
    ].join(', '),
  }
}

/**
 * A banner's text on grave flags, with the sources that report them and those that do not; null without any.
 */
export function dangerOf({ findings }: SecurityVerdict): string | null {
  const grave = findings.filter(({ isGrave }) => isGrave)
  if (grave.length === 0) return null
  const words = grave.flatMap((finding) => finding.words).filter(({ said }) => said !== null)
  const all = [...new Set(words.map(({ source }) => source))]
  const reporting = all.filter((name) => words.some(({ source, said }) => source === name && isBad(said)))
  const denying = all.filter((name) => !reporting.includes(name))
  const flags = grave.map(({ flag }) => flag.text).join(', ')
  const others = denying.length === 0 ? '' : `, not by ${denying.join(', ')}`
  return `Danger: ${flags}. Reported by ${reporting.join(', ')}${others}.`
}

const rankOf = ({ isGrave, isFlagged }: Finding): number => (isGrave ? 0 : isFlagged ? 1 : 2)
