/**
 * RugCheck's report on a token: its score, what it found, the largest holders,
 * and how much of the pools' liquidity is locked.
 *
 * Its score is the opposite of most: the lower, the safer. Its percentages are
 * percentages already. `totalHolders` is 0 where they were not counted.
 *
 * Source: §2 TokenProfile · api.rugcheck.xyz/swagger
 */
import { Items, membersOf, type Range } from '../../json/member.ts'
import { MAX_VALUES, parsedOrNone, valuesIn } from '../../json/parse.ts'
import { cleanAddress, cleanDecimal, cleanLink, cleanNumber, cleanText, itemsReader } from './clean.ts'
import { AnyObject, type Fields, fieldsOf, keepFields } from './fields.ts'
import {
  type About,
  type Holder,
  type LiquidityLock,
  type MarketRow,
  type Parts,
  type Security,
  UNKNOWN_FLAGS,
} from './market.ts'

export type ReportParts = Pick<Parts, 'row' | 'about' | 'holders' | 'security' | 'lp'>

const CHAIN = 'solana'
const MAX_ITEMS = 50
const MAX_NAME_LENGTH = 100
const RISK_FIELDS = ['name', 'value', 'description', 'score', 'level']

const readItems = itemsReader(AnyObject, MAX_ITEMS)

/** What is read of a report, as a value; the lists as far as they are looked at. */
const MEMBERS = [
  'mint',
  'tokenMeta',
  'totalHolders',
  'totalMarketLiquidity',
  'token',
  'fileMeta',
  'score',
  'score_normalised',
  'rugged',
  'tokenType',
  'transferFee',
]
const LISTS = ['topHolders', 'risks', 'markets']

/**
 * A report has megabytes, most of them markets beyond those that are shown: all of it would take too long
 * to parse at once.
 * @returns what it has of the members that are read; none where it is not one
 */
export function openReport(body: Buffer): Fields {
  const found = membersOf(body, 0, [...MEMBERS, ...LISTS])
  let left = MAX_VALUES
  const parsed = ({ start, end }: Range): unknown => {
    const text = body.subarray(start, end)
    const values = valuesIn(text, left)
    if (values > left) return undefined
    left -= values
    return parsedOrNone(text)
  }
  return Object.fromEntries(
    [...found].map(([name, range]) => {
      if (!LISTS.includes(name)) return [name, parsed(range)]
      const items = new Items(body, range.start)
      const shown = Array.from({ length: MAX_ITEMS }, () => items.next()).filter((item) => item !== null)
      return [name, shown.map(parsed)]
    }),
  )
}

/** @param at  when it was asked for, ms epoch */
export function readParts(report: Fields & { readonly mint: string }, at: number): ReportParts {
  return {
    row: rowOf(report, report.mint, at),
    about: aboutOf(report),
    holders: readItems(report.topHolders).flatMap(readHolder),
    security: securityOf(report, at),
    lp: lpOf(report),
  }
}

function rowOf(
  { tokenMeta, totalHolders, totalMarketLiquidity }: Fields,
  mint: string,
  at: number,
): MarketRow {
  const { name, symbol } = fieldsOf(tokenMeta)
  return {
    chain: CHAIN,
    address: mint,
    symbol: cleanText(symbol, MAX_NAME_LENGTH),
    name: cleanText(name, MAX_NAME_LENGTH),
    price: null,
    priceTs: at,
    mcap: null,
    liq: cleanNumber(totalMarketLiquidity),
    vol24: null,
    holders: cleanNumber(totalHolders) || null,
  }
}

function aboutOf({ token, fileMeta }: Fields): About {
  const { mintAuthority, freezeAuthority } = fieldsOf(token)
  return {
    description: cleanText(fieldsOf(fileMeta).description, 2_000),
    image: cleanLink(fieldsOf(fileMeta).image),
    links: [],
    createdAt: null,
    mintAuthority: authorityOf(mintAuthority),
    freezeAuthority: authorityOf(freezeAuthority),
  }
}

/** Null is the mint's own way to say nobody; what is missing is unknown. */
function authorityOf(value: unknown): string | null {
  return value === null ? 'none' : cleanAddress(CHAIN, value)
}

function readHolder(holder: Fields): Holder[] {
  const address = cleanAddress(CHAIN, holder.owner) ?? cleanAddress(CHAIN, holder.address)
  const percent = percentOf(holder.pct)
  if (address === null || percent === null) return []
  const balance = cleanDecimal(holder.uiAmountString)
  return [{ address, percent, balance, tags: holder.insider === true ? ['insider'] : [] }]
}

function securityOf(report: Fields, at: number): Security {
  const { mintAuthority, freezeAuthority } = fieldsOf(report.token)
  const sellTaxPct = percentOf(fieldsOf(report.transferFee).pct)
  const score = cleanNumber(report.score)
  const normalised = cleanNumber(report.score_normalised)
  return {
    at,
    facts: {
      ...(score !== null && { rawScoreLowerIsSafer: score }),
      ...(normalised !== null && { scoreLowerIsSafer: normalised }),
      ...keepFields(report, ['rugged', 'tokenType']),
      ...(sellTaxPct !== null && { transferFeePct: sellTaxPct }),
      risks: readItems(report.risks).map((risk) => keepFields(risk, RISK_FIELDS)),
    },
    flags: {
      ...UNKNOWN_FLAGS,
      blacklisted: typeof report.rugged === 'boolean' ? report.rugged : null,
      freezable: isHeld(freezeAuthority),
      mintable: isHeld(mintAuthority),
      sellTaxPct,
    },
  }
}

function isHeld(authority: unknown): boolean | null {
  const known = authorityOf(authority)
  return known === null ? null : known !== 'none'
}

/** Each pool by itself: an average over pools of different depths would hide the one that matters. */
function lpOf(report: Fields): LiquidityLock {
  const pools = readItems(report.markets).map((market) => {
    const lp = fieldsOf(market.lp)
    return {
      address: cleanAddress(CHAIN, market.pubkey),
      venue: cleanText(market.marketType, MAX_NAME_LENGTH),
      lockedPct: percentOf(lp.lpLockedPct),
      lockedUsd: cleanNumber(lp.lpLockedUSD),
    }
  })
  return { pools }
}

function percentOf(value: unknown): number | null {
  const percent = cleanNumber(value)
  return percent === null || percent > 100 ? null : percent
}
