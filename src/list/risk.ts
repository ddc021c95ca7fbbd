/**
 * The risk gate: which tokens the list holds back, and why. A rule reads what
 * one source found; what is not known gates nothing, and no finding clears
 * another source's. These are heuristics, not an audit.
 *
 * Native coins, stablecoins and the operator's own tokens are not gated: they
 * were chosen by hand, and USDC can be frozen too.
 *
 * Source: §1 (heuristics), §2 TokenRow `security`, TokenList `gated`
 */
import type { RiskFlags, Security } from '../providers/market/market.ts'

/** What the rules read beside the flags. Dollars; null is unknown. */
export interface RiskSubject {
  readonly mcap: number | null
  readonly liq: number | null
  readonly holders: number | null
}

/** What a row shows of one source's findings; the rest is the profile's to tell. */
export type SecuritySummary = Pick<Security, 'at' | 'flags'>

export interface Finding {
  readonly rule: string
  /** The source whose flags showed it; null where it was found in the market's figures. */
  readonly source: string | null
  readonly reason: string
}

interface Rule {
  readonly name: string
  readonly reason: string
  isBroken(flags: RiskFlags, subject: RiskSubject): boolean
}

const CONFISCATORY_TAX_PCT = 50
/** What a token must have in its pools, dollars, and in how many hands, to be more than its issuer's word. */
const ESTABLISHED_LIQ = 250_000
const ESTABLISHED_HOLDERS = 500
/** Dollars: a market cap of at least the first is false where the pools hold less than the second. */
const FALSE_MCAP = 1_000_000
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
    name: 'non_transferable',
    reason: 'It cannot be transferred.',
    isBroken: ({ nonTransferable }) => nonTransferable === true,
  },
  {
    name: 'freezable_without_history',
    reason: 'Its issuer can freeze what holders have, and it has few holders or little in its pools.',
    isBroken: ({ freezable }, subject) => freezable === true && !isEstablished(subject),
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

/** @param bySource  what each source found. @returns none for a token that may be listed */
export function findRisks(
  subject: RiskSubject,
  bySource: Iterable<readonly [source: string, flags: RiskFlags]>,
): readonly Finding[] {
  const findings: Finding[] = []
  for (const [source, flags] of bySource) {
    for (const { name, reason, isBroken } of SECURITY_RULES) {
      if (isBroken(flags, subject)) findings.push({ rule: name, source, reason })
    }
  }
  const { mcap, liq } = subject
  if (mcap !== null && liq !== null && mcap >= FALSE_MCAP && liq < FALSE_LIQ) findings.push(FALSE_PRICE)
  return findings
}

/** Unknown liquidity is no history; few sources count holders, so that their number decides only where it is known. */
function isEstablished({ liq, holders }: RiskSubject): boolean {
  return liq !== null && liq >= ESTABLISHED_LIQ && (holders === null || holders >= ESTABLISHED_HOLDERS)
}
