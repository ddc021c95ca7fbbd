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
import { ONCHAIN, type RiskFlags, type Security, type TokenId } from '../../providers/market/market.ts'
import type { TokenRisks } from '../../runtime/resources/token-profile.ts'
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

export interface Finding {
  readonly rule: string
  /** The source of the flags; null if the finding comes from the market's figures. */
  readonly source: string | null
  readonly reason: string
}

interface Rule {
  readonly name: string
  readonly reason: string
  isBroken(flags: RiskFlags, subject: RiskSubject): boolean
}

const CONFISCATORY_TAX_PCT = 50
/** An established token has at least this much in its pools, dollars, and this many holders. */
const ESTABLISHED_LIQ = 250_000
const ESTABLISHED_HOLDERS = 500
/** A price is false if it makes the supply worth at least the first while the pools hold less than the second; dollars. */
const FALSE_FDV = 1_000_000
const FALSE_LIQ = 1_000

/** The rules that read a source's flags. */
const SECURITY_RULES: readonly Rule[] = [
  {
    name: 'honeypot',
    reason: 'It is a honeypot: it can be bought, but not sold.',
    isBroken: ({ honeypot }) => honeypot === true,
  },
  {
    name: 'blacklisted',
    reason: 'It is known to be malicious.',
    isBroken: ({ blacklisted }) => blacklisted === true,
  },
  {
    name: 'cannot_sell',
    reason: 'Its holders cannot sell all of it.',
    isBroken: ({ cannotSell }) => cannotSell === true,
  },
  {
    name: 'cannot_buy',
    reason: 'It cannot be bought.',
    isBroken: ({ cannotBuy }) => cannotBuy === true,
  },
  {
    name: 'sell_tax',
    reason: 'Half of a sale or more goes to its issuer.',
    isBroken: ({ sellTaxPct }) => sellTaxPct !== null && sellTaxPct >= CONFISCATORY_TAX_PCT,
  },
  {
    name: 'buy_tax',
    reason: 'Half of what is bought or more goes to its issuer.',
    isBroken: ({ buyTaxPct }) => buyTaxPct !== null && buyTaxPct >= CONFISCATORY_TAX_PCT,
  },
  {
    name: 'non_transferable',
    reason: 'It cannot be transferred.',
    isBroken: ({ nonTransferable }) => nonTransferable === true,
  },
  {
    name: 'born_frozen',
    reason: 'A buyer cannot sell it until its issuer thaws the account.',
    isBroken: ({ bornFrozen }) => bornFrozen === true,
  },
  {
    name: 'paused',
    reason: 'Its issuer has paused all transfers.',
    isBroken: ({ paused }) => paused === true,
  },
  {
    name: 'hidden_owner',
    reason: 'Its contract hides who owns it.',
    isBroken: ({ hiddenOwner }) => hiddenOwner === true,
  },
  {
    name: 'balances_modifiable',
    reason: 'Its owner can change what holders have.',
    isBroken: ({ balancesModifiable }) => balancesModifiable === true,
  },
  {
    name: 'self_destruct',
    reason: 'Its contract can be destroyed.',
    isBroken: ({ selfDestructs }) => selfDestructs === true,
  },
  {
    name: 'tax_per_address',
    reason: 'Its owner can tax single holders as it likes.',
    isBroken: ({ taxPerAddress }) => taxPerAddress === true,
  },
  {
    name: 'malicious_creator',
    reason: 'Its creator has made scam tokens before.',
    isBroken: ({ maliciousCreator }) => maliciousCreator === true,
  },
  {
    name: 'freezable_without_history',
    reason: 'Its issuer can freeze what holders have, and it has few holders or little in its pools.',
    isBroken: ({ freezable }, subject) => freezable === true && !isEstablished(subject),
  },
  {
    name: 'delegate_without_history',
    reason: 'Its issuer can take what holders have, and it has few holders or little in its pools.',
    isBroken: ({ permanentDelegate }, subject) => permanentDelegate === true && !isEstablished(subject),
  },
  {
    name: 'hook_without_history',
    reason: 'A program can refuse each transfer, and it has few holders or little in its pools.',
    isBroken: ({ transferHook }, subject) => transferHook === true && !isEstablished(subject),
  },
]

const GRAVE_TAX_PCT = 10
const isHighTax = (pct: number | null): boolean =>
  pct !== null && pct >= GRAVE_TAX_PCT && pct < CONFISCATORY_TAX_PCT
const isLowTax = (pct: number | null): boolean => pct !== null && pct > 0 && pct < GRAVE_TAX_PCT

/**
 * Rules that reject nothing, and are shown in swaps of the token: grave ones, and powers that serious issuers
 * keep.
 */
const TOLD_RULES: readonly (Rule & { readonly isGrave: boolean })[] = [
  {
    name: 'high_sell_tax',
    reason: 'A tenth of a sale or more goes to its issuer.',
    isGrave: true,
    isBroken: ({ sellTaxPct }) => isHighTax(sellTaxPct),
  },
  {
    name: 'high_buy_tax',
    reason: 'A tenth of what is bought or more goes to its issuer.',
    isGrave: true,
    isBroken: ({ buyTaxPct }) => isHighTax(buyTaxPct),
  },
  {
    name: 'low_sell_tax',
    reason: 'A part of each sale goes to its issuer.',
    isGrave: false,
    isBroken: ({ sellTaxPct }) => isLowTax(sellTaxPct),
  },
  {
    name: 'low_buy_tax',
    reason: 'A part of what is bought goes to its issuer.',
    isGrave: false,
    isBroken: ({ buyTaxPct }) => isLowTax(buyTaxPct),
  },
  {
    name: 'freezable',
    reason: 'Its issuer can freeze what holders have.',
    isGrave: false,
    isBroken: ({ freezable }, subject) => freezable === true && isEstablished(subject),
  },
  {
    name: 'permanent_delegate',
    reason: 'Its issuer can take what holders have.',
    isGrave: false,
    isBroken: ({ permanentDelegate }, subject) => permanentDelegate === true && isEstablished(subject),
  },
  {
    name: 'transfer_hook',
    reason: 'A program can refuse each transfer.',
    isGrave: false,
    isBroken: ({ transferHook }, subject) => transferHook === true && isEstablished(subject),
  },
  {
    name: 'mintable',
    reason: 'Its issuer can make more of it.',
    isGrave: false,
    isBroken: ({ mintable }) => mintable === true,
  },
  {
    name: 'tax_modifiable',
    reason: 'Its issuer can change its tax.',
    isGrave: false,
    isBroken: ({ taxModifiable }) => taxModifiable === true,
  },
]

const FALSE_PRICE: Finding = {
  rule: 'false_price',
  source: null,
  reason: 'Its price says that it is worth millions, and its pools hold next to nothing.',
}

/** A source's findings as a row shows them. */
export function summarize({ at, flags }: SecuritySummary): Record<string, unknown> {
  return { at, ...flags }
}

/** @param bySource  each source's flags. @returns why the token is rejected; empty for one that may be listed */
export function findRisks(
  subject: RiskSubject,
  bySource: Iterable<readonly [source: string, flags: RiskFlags]>,
): readonly Finding[] {
  const findings: Finding[] = []
  for (const [source, flags] of withoutSettled([...bySource])) {
    for (const { name, reason, isBroken } of SECURITY_RULES) {
      if (isBroken(flags, subject)) findings.push({ rule: name, source, reason })
    }
  }
  const { fdv, liq } = subject
  if (fdv !== null && liq !== null && fdv >= FALSE_FDV && liq < FALSE_LIQ) findings.push(FALSE_PRICE)
  return findings
}

export interface JudgedToken extends TokenId {
  readonly symbol: string | null
  readonly name: string | null
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
  const flags: TokenRisks['flags'] = findRisks(subject, bySource).map(({ rule, source, reason }) => {
    const at = source === null ? null : atOf.get(source)!
    return { flag: rule, isGrave: true, source, at, reason }
  })
  if (isNameSuspicious(token, symbol, name)) flags.push({ ...IMITATES })
  for (const [source, known] of withoutSettled(bySource)) {
    for (const { name: flag, reason, isGrave, isBroken } of TOLD_RULES) {
      if (isBroken(known, subject)) flags.push({ flag, isGrave, source, at: atOf.get(source)!, reason })
    }
  }
  flags.sort((a, b) => Number(b.isGrave) - Number(a.isGrave))
  const checkedBy = [...atOf].map(([source, at]) => ({ source, at }))
  return { ...about, checked: checkedBy.length > 0 ? 'sources' : 'nobody', checkedBy, flags }
}

const IMITATES = {
  flag: 'name_suspicious',
  isGrave: true,
  source: null,
  at: null,
  reason: "Its name looks like another coin's, in letters that only look alike.",
}

/** The flags without those that the token's own account settles. */
function withoutSettled(
  bySource: readonly (readonly [source: string, flags: RiskFlags])[],
): readonly (readonly [source: string, flags: RiskFlags])[] {
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
