/**
 * Reads a token of Jupiter's API into a row and parts of a profile.
 *
 * Any field may be missing or null. The presence of `audit.isSus` marks a token as
 * suspicious, regardless of its value.
 *
 * Source: §2 TokenRow, TokenProfile · developers.jup.ag, Tokens API V2
 */
import { type Fields, fieldsOf } from '../../../chains/json/fields.ts'
import { readChanges } from '../changes.ts'
import {
  cleanAddress,
  cleanLink,
  cleanNumber,
  cleanPercent,
  cleanText,
  cleanTime,
  TOKEN_IMAGE_HOSTS,
} from '../clean.ts'
import { keepFields, knownOf } from '../fields.ts'
import {
  type About,
  type Early,
  type MarketRow,
  type Parts,
  type RowExtras,
  type Security,
  UNKNOWN_FLAGS,
} from '../market.ts'
import { isInactive, supportedLiquidity } from '../pools.ts'
import members from './members.json' with { type: 'json' }

/** A token in Jupiter's format. Its id is the mint's address. */
export type JupiterToken = Fields & { readonly id: string }

export type TokenParts = Pick<Parts, 'row' | 'about' | 'early' | 'security'>

const CHAIN = 'solana'
const MAX_NAME_LENGTH = 100

/** Jupiter's own host, and the hosts that tokens' authors use. */
const IMAGE_HOSTS: ReadonlySet<string> = new Set(['static.jup.ag', ...TOKEN_IMAGE_HOSTS])

/** @param at  the time of the request, ms epoch */
export function readTokenParts(token: JupiterToken, at: number): TokenParts {
  return {
    row: rowOf(token, at),
    about: aboutOf(token),
    early: earlyOf(token),
    security: securityOf(token, at),
  }
}

/** @param at  the time of the request, ms epoch */
export function rowOf(token: JupiterToken, at: number): MarketRow {
  const { buyVolume, sellVolume } = fieldsOf(token.stats24h)
  const [bought, sold] = [cleanNumber(buyVolume), cleanNumber(sellVolume)]
  // The volume is unknown if one half of it is unknown.
  const vol24 = bought === null || sold === null ? null : cleanNumber(bought + sold)
  const liq = cleanNumber(token.liquidity)
  const isBelieved = !isInactive(liq, vol24)
  return {
    chain: CHAIN,
    address: token.id,
    symbol: cleanText(token.symbol, MAX_NAME_LENGTH),
    name: cleanText(token.name, MAX_NAME_LENGTH),
    price: isBelieved ? cleanNumber(token.usdPrice) : null,
    priceTs: Math.min(cleanTime(token.updatedAt) ?? at, at),
    mcap: cleanNumber(token.mcap),
    liq: isBelieved ? supportedLiquidity(liq, vol24) : null,
    vol24,
    holders: cleanNumber(token.holderCount),
    ...extrasOf(token),
  }
}

function extrasOf(token: JupiterToken): RowExtras {
  const audit = fieldsOf(token.audit)
  return knownOf<RowExtras>({
    fdv: cleanNumber(token.fdv),
    image: cleanLink(token.icon, IMAGE_HOSTS),
    firstPoolAt: cleanTime(fieldsOf(token.firstPool).createdAt),
    launchpad: cleanText(token.launchpad, MAX_NAME_LENGTH),
    changes: readChanges((span) => {
      const { priceChange, numBuys, numSells } = fieldsOf(token[members.stats[span]])
      return { price: priceChange, buys: numBuys, sells: numSells }
    }),
    creatorPct: cleanPercent(audit.devBalancePercentage),
    topTenPct: cleanPercent(audit.topHoldersPercentage),
  })
}

function aboutOf(token: JupiterToken): About {
  const { mintAuthorityDisabled, freezeAuthorityDisabled } = fieldsOf(token.audit)
  return {
    description: null,
    image: cleanLink(token.icon, IMAGE_HOSTS),
    links: members.links.flatMap((type) => {
      const url = cleanLink(token[type])
      return url === null ? [] : [{ type, url }]
    }),
    createdAt: cleanTime(token.createdAt) ?? cleanTime(fieldsOf(token.firstPool).createdAt),
    mintAuthority: authorityOf(token.mintAuthority, mintAuthorityDisabled),
    freezeAuthority: authorityOf(token.freezeAuthority, freezeAuthorityDisabled),
  }
}

/** An existing authority has an address. Only the audit says that there is none. */
function authorityOf(address: unknown, isDisabled: unknown): string | null {
  return cleanAddress(CHAIN, address) ?? (isDisabled === true ? 'none' : null)
}

function earlyOf(token: JupiterToken): Early[] {
  const { id, createdAt } = fieldsOf(token.firstPool)
  const pool = cleanAddress(CHAIN, id)
  const creator = cleanAddress(CHAIN, token.dev)
  const venue = cleanText(token.launchpad, MAX_NAME_LENGTH)
  return [
    ...(pool === null ? [] : [{ kind: 'pool', address: pool, venue, at: cleanTime(createdAt) } as const]),
    ...(creator === null ? [] : [{ kind: 'creator', address: creator } as const]),
  ]
}

function securityOf(token: JupiterToken, at: number): Security {
  const audit = fieldsOf(token.audit)
  const isMarked = 'isSus' in audit
  return {
    at,
    facts: {
      ...(isMarked && { isSus: true }),
      ...keepFields(audit, members.auditFacts),
      ...keepFields(token, members.facts),
    },
    flags: {
      ...UNKNOWN_FLAGS,
      // A token without the mark may deserve it, so a missing mark says nothing.
      blacklisted: isMarked || null,
      freezable: isHeld(token.freezeAuthority, audit.freezeAuthorityDisabled),
      mintable: isHeld(token.mintAuthority, audit.mintAuthorityDisabled),
    },
    ...(typeof token.isVerified === 'boolean' && { verified: token.isVerified }),
  }
}

function isHeld(address: unknown, isDisabled: unknown): boolean | null {
  if (cleanAddress(CHAIN, address) !== null) return true
  return typeof isDisabled === 'boolean' ? !isDisabled : null
}
