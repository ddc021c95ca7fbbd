/**
 * The risk filter: which tokens the list rejects, and why. A rule reads the flags
 * of one source. An unknown flag rejects nothing, and one source's findings do
 * not clear another's. Only the token's own account overrides what sources say
 * about the same flag. These are heuristics, not an audit.
 *
 * Anything that prevents or confiscates a sale rejects a token whatever else is
 * known. Powers that serious issuers also keep, such as those of stablecoins,
 * reject it only if the token has no history.
 *
 * Native coins, stablecoins and the operator's own tokens are not gated: they
 * were chosen by hand, and USDC can be frozen too.
 *
 * Source: §1 (heuristics), §2 TokenRow `security`, TokenList `gated`
 */
import { type Named, ONCHAIN, type RiskFlags, type Security } from '../../providers/market/market.ts'
import type { TokenRisks } from '../../runtime/resources/token-profile.ts'
import type { TokenRow } from '../../runtime/resources/tokens.ts'
import rules from './flag-rules.json' with { type: 'json' }
import { isNameSuspicious } from './suspicious-name.ts'

/** The token's figures that the rules read in addition to the flags. Dollars; null is unknown. */
export interface RiskSubject {
  /** The supply on this chain at its price here. A market cap may also count the supply on other chains. */
  readonly fdv: number | null
  readonly liq: number | null
  readonly holders: number | null
}

/** The part of one source's findings that a row shows; the profile shows the rest. */
export type SecuritySummary = Pick<Security, 'at' | 'flags' | 'verified'>

/** Why a token is rejected. The source is that of the flags; null if the finding comes from the market's figures. */
export type Finding = Readonly<NonNullable<TokenRow['gate']>[number]>

/**
 * A row of flag-rules.json: `rejecting`, `grave` (rejects nothing, shown in swaps), or only `told` there. `when` is a
 * name in `BROKEN`.
 */
type Rule = (typeof rules.rejecting)[number]

/** An established token has at least this much in its pools, dollars, and this many holders. */
const ESTABLISHED_LIQ = 250_000
const ESTABLISHED_HOLDERS = 500
/** A price is false if it makes the supply worth at least the first while the pools hold less than the second; dollars. */
const FALSE_FDV = 1_000_000
const FALSE_LIQ = 1_000

const isBetween = (flag: unknown, least: number, below: number): boolean =>
  typeof flag === 'number' && flag >= least && flag < below

/** When a flag breaks a rule. Serious issuers keep powers over an established token. */
const BROKEN: Readonly<Record<string, (flag: unknown, subject: RiskSubject) => boolean>> = {
  set: (flag) => flag === true,
  confiscatory: (pct) => isBetween(pct, 50, Number.POSITIVE_INFINITY),
  high: (pct) => isBetween(pct, 10, 50),
  low: (pct) => isBetween(pct, Number.MIN_VALUE, 10),
  kept: (flag, subject) => flag === true && isEstablished(subject),
  unproven: (flag, subject) => flag === true && !isEstablished(subject),
}

const FALSE_PRICE: Finding = {
  rule: 'false_price',
  source: null,
  reason: 'Its price says that it is worth millions, and its pools hold next to nothing.',
}

/** A source's findings as a row shows them. */
export function summarizeRisk({ at, flags }: SecuritySummary): Record<string, unknown> {
  return { at, ...flags }
}

type SourceFlags = readonly [source: string, flags: RiskFlags]

/** @param bySource  each source's flags. @returns why the token is rejected; empty for one that may be listed */
export function findRisks(subject: RiskSubject, bySource: readonly SourceFlags[]): readonly Finding[] {
  const { fdv, liq } = subject
  const isFalsePrice = fdv !== null && liq !== null && fdv >= FALSE_FDV && liq < FALSE_LIQ
  return [...brokenBy(rules.rejecting, subject, bySource), ...(isFalsePrice ? [FALSE_PRICE] : [])]
}

function brokenBy(asked: readonly Rule[], subject: RiskSubject, bySource: readonly SourceFlags[]): Finding[] {
  return withoutSettled(bySource).flatMap(([source, flags]) =>
    asked
      .filter(({ flag, when }) => BROKEN[when]!(flags[flag as keyof RiskFlags], subject))
      .map(({ name, reason }) => ({ rule: name, source, reason })),
  )
}

export interface JudgedToken extends Named {
  /** Whether it was chosen by hand. Such a token is not checked. */
  readonly isChosen: boolean
  readonly subject: RiskSubject
  readonly security: readonly (readonly [source: string, summary: SecuritySummary])[]
}

/**
 * What is known against a token, shown in swaps of it, also for tokens that the list hides. Grave flags come
 * first.
 */
export function risksOf({ isChosen, subject, security, ...token }: JudgedToken): TokenRisks {
  const { chain, address, symbol, name } = token
  const about = { chain, token: address, symbol, name }
  if (isChosen) return { ...about, checked: 'chosen', checkedBy: [], flags: [] }
  const atOf = new Map(security.map(([source, { at }]) => [source, at]))
  const bySource = security.map(([source, { flags }]) => [source, flags] as const)
  const told = (findings: readonly Finding[], isGrave: boolean): TokenRisks['flags'] =>
    findings.map(({ rule, source, reason }) => {
      const at = source === null ? null : atOf.get(source)!
      return { flag: rule, isGrave, source, at, reason }
    })
  const flags = [
    ...told(findRisks(subject, bySource), true),
    ...(isNameSuspicious(token, symbol, name) ? told([IMITATES], true) : []),
    ...told(brokenBy(rules.grave, subject, bySource), true),
    ...told(brokenBy(rules.told, subject, bySource), false),
  ]
  const checkedBy = [...atOf].map(([source, at]) => ({ source, at }))
  return { ...about, checked: checkedBy.length > 0 ? 'sources' : 'nobody', checkedBy, flags }
}

const IMITATES: Finding = {
  rule: 'name_suspicious',
  source: null,
  reason: "Its name looks like another coin's, in letters that only look alike.",
}

/** The flags without those that the token's own account settles. */
function withoutSettled(bySource: readonly SourceFlags[]): readonly SourceFlags[] {
  const own = bySource.find(([source]) => source === ONCHAIN)?.[1]
  if (own === undefined) return bySource
  const known = Object.entries(own).filter(([, value]) => value !== null)
  const unsaid = Object.fromEntries(known.map(([name]) => [name, null]))
  return bySource.map(([source, flags]) => [source, flags === own ? flags : { ...flags, ...unsaid }])
}

/** Unknown liquidity counts as none. Few sources count holders, so their number matters only where it is known. */
function isEstablished({ liq, holders }: RiskSubject): boolean {
  return liq !== null && liq >= ESTABLISHED_LIQ && (holders === null || holders >= ESTABLISHED_HOLDERS)
}
