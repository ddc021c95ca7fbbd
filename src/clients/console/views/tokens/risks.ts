/** What sources say against a token. Silence is not safety: what nobody looked at is unknown. */
import type { TokenRow } from '../../../client/index.ts'

export interface Risk {
  readonly text: string
  /** Whether it can cost all of it, and not only be used against holders one day. */
  readonly isGrave: boolean
  readonly saidBy: readonly string[]
  readonly deniedBy: readonly string[]
}

const GRAVE: Readonly<Record<string, string>> = {
  honeypot: 'honeypot',
  cannotSell: 'cannot be sold',
  cannotBuy: 'cannot be bought',
  blacklisted: 'blacklisted',
  nonTransferable: 'not transferable',
  bornFrozen: 'born frozen',
  paused: 'paused',
  hiddenOwner: 'hidden owner',
  maliciousCreator: 'malicious creator',
  balancesModifiable: 'balances modifiable',
  selfDestructs: 'can self-destruct',
  taxPerAddress: 'tax per address',
}
const POWERS: Readonly<Record<string, string>> = {
  freezable: 'freezable',
  mintable: 'mintable',
  taxModifiable: 'tax modifiable',
  permanentDelegate: 'permanent delegate',
  transferHook: 'transfer hook',
}
const TAXES: Readonly<Record<string, string>> = { sellTaxPct: 'sell tax', buyTaxPct: 'buy tax' }
/** From this many percent on a tax is grave. */
export const GRAVE_TAX_PERCENT = 10

export interface Flag {
  readonly name: string
  readonly text: string
  readonly isGrave: boolean
}

/** All that is read of what sources say, the grave first. */
export const FLAGS: readonly Flag[] = [
  ...flagsOf(GRAVE, true),
  ...flagsOf(TAXES, false),
  ...flagsOf(POWERS, false),
]

function flagsOf(texts: Readonly<Record<string, string>>, isGrave: boolean): Flag[] {
  return Object.entries(texts).map(([name, text]) => ({ name, text, isGrave }))
}

type BySource = readonly (readonly [source: string, said: Readonly<Record<string, unknown>>])[]

/** The grave ones first; null where no source was heard. */
export function risksOf({ security, nameSuspicious }: TokenRow): readonly Risk[] | null {
  const sources = sourcesOf(security)
  const names: Risk[] =
    nameSuspicious === true
      ? [{ text: 'name imitates a major', isGrave: true, saidBy: ['swapgate'], deniedBy: [] }]
      : []
  if (sources.length === 0) return names.length === 0 ? null : names
  return [
    ...names,
    ...flags(sources, GRAVE, true),
    ...taxes(sources).sort((a, b) => Number(b.isGrave) - Number(a.isGrave)),
    ...flags(sources, POWERS, false),
  ]
}

/** When the oldest of the answers is of; null where there are none. */
export function checkedAt({ security }: TokenRow): number | null {
  const times = sourcesOf(security).flatMap(([, { at }]) => (typeof at === 'number' ? [at] : []))
  return times.length === 0 ? null : Math.min(...times)
}

export function sourcesOf(security: TokenRow['security']): BySource {
  return Object.entries(security ?? {}).filter(
    (entry): entry is [string, Record<string, unknown>] => typeof entry[1] === 'object' && entry[1] !== null,
  )
}

function flags(sources: BySource, texts: Readonly<Record<string, string>>, isGrave: boolean): Risk[] {
  return Object.entries(texts).flatMap(([flag, text]) => {
    const saidBy = sources.filter(([, said]) => said[flag] === true).map(([source]) => source)
    const deniedBy = sources.filter(([, said]) => said[flag] === false).map(([source]) => source)
    return saidBy.length === 0 ? [] : [{ text, isGrave, saidBy, deniedBy }]
  })
}

function taxes(sources: BySource): Risk[] {
  return Object.entries(TAXES).flatMap(([flag, text]) => {
    const told = sources.filter(([, said]) => typeof said[flag] === 'number')
    const highest = Math.max(0, ...told.map(([, said]) => Number(said[flag])))
    if (highest === 0) return []
    const saidBy = told.filter(([, said]) => Number(said[flag]) > 0).map(([source]) => source)
    const deniedBy = told.filter(([, said]) => said[flag] === 0).map(([source]) => source)
    return [{ text: `${text} ${highest} %`, isGrave: highest >= GRAVE_TAX_PERCENT, saidBy, deniedBy }]
  })
}
