/**
 * Reads RugCheck's report on a token: its score, its findings, the largest
 * holders, and the locked share of the pools' liquidity.
 *
 * Unlike most scores, a lower one is safer. Percentages are given as percent, not
 * as fractions. `totalHolders` is 0 if holders were not counted, and
 * `totalMarketLiquidity` is 0 if no market was examined. `transferFee` can be 0
 * even if Token-2022 charges one: `token_extensions` has that fee.
 *
 * Source: §2 TokenProfile · api.rugcheck.xyz/swagger
 */
import { type Fields, fieldsOf } from '../../../chains/json/fields.ts'
import { type ByteRange, Items, membersOf } from '../../../chains/json/member.ts'
import { MAX_VALUES, parsedOrNone, valuesIn } from '../../../chains/json/parse.ts'
import { TOKEN_PROGRAM } from '../../../chains/solana/programs.ts'
import * as clean from '../clean.ts'
import { AnyObject, findingIn, keepFields, knownOf } from '../fields.ts'
import * as market from '../market.ts'
import members from './members.json' with { type: 'json' }

export type ReportParts = Pick<market.Parts, 'row' | 'about' | 'holders' | 'security' | 'lp'>

const CHAIN = 'solana'
const MAX_ITEMS = 50
const MAX_NAME_LENGTH = 100
const MAX_TAG_LENGTH = 64
const TOP = 10

const readItems = clean.itemsReader(AnyObject, MAX_ITEMS)
const booleanOf = findingIn([true], [false])
const isFrozen = findingIn([2, 'frozen'], [1, 'initialized'])

/** Holders whose names are looked up. */
const MAX_LABELLED = 20
/** The member with thousands of accounts by address; only those of the holders are read. */
const KNOWN_ACCOUNTS = 'knownAccounts'

/**
 * Parses the needed members of a report. A report can have megabytes, mostly markets that are not shown, and
 * parsing all of it at once would take too long.
 * @returns the needed members; none if the body is not a JSON object
 */
export function openReport(body: Buffer): Fields {
  const found = membersOf(body, 0, [...members.whole, ...members.lists, KNOWN_ACCOUNTS])
  const accounts = found.get(KNOWN_ACCOUNTS)
  found.delete(KNOWN_ACCOUNTS)
  let left = MAX_VALUES
  const parsed = ({ start, end }: ByteRange): unknown => {
    const text = body.subarray(start, end)
    const values = valuesIn(text, left)
    if (values > left) return undefined
    left -= values
    return parsedOrNone(text)
  }
  const report = Object.fromEntries(
    [...found].map(([name, range]) => {
      if (!members.lists.includes(name)) return [name, parsed(range)]
      // Of a list only the first items are parsed.
      const items = new Items(body, range.start)
      const shown = Array.from({ length: MAX_ITEMS }, () => items.next()).filter((item) => item !== null)
      return [name, shown.map(parsed)]
    }),
  )
  const holders = readItems(report.topHolders)
    .slice(0, MAX_LABELLED)
    .flatMap(({ owner, address }) => [owner, address])
  const wanted = holders.filter((holder): holder is string => typeof holder === 'string')
  const known = accounts === undefined ? [] : [...membersOf(body, accounts.start, wanted)]
  return {
    ...report,
    [KNOWN_ACCOUNTS]: Object.fromEntries(known.map(([name, range]) => [name, parsed(range)])),
  }
}

/** @param at  the time of the request, ms epoch */
export function readReportParts(report: Fields & { readonly mint: string }, at: number): ReportParts {
  return {
    row: rowOf(report, report.mint, at),
    about: aboutOf(report),
    holders: readItems(report.topHolders).flatMap((holder) => readHolder(holder, report)),
    security: securityOf(report, at),
    lp: lpOf(report),
  }
}

function rowOf(report: Fields, mint: string, at: number): market.MarketRow {
  const { tokenMeta, totalHolders, totalMarketLiquidity, markets } = report
  const { name, symbol } = fieldsOf(tokenMeta)
  const liquidity = clean.number(totalMarketLiquidity)
  return {
    chain: CHAIN,
    address: mint,
    symbol: clean.text(symbol, MAX_NAME_LENGTH),
    name: clean.text(name, MAX_NAME_LENGTH),
    price: null,
    priceTs: at,
    mcap: null,
    liq: readItems(markets).length === 0 ? liquidity || null : liquidity,
    vol24: null,
    holders: clean.number(totalHolders) || null,
    ...extrasOf(report),
  }
}

function extrasOf(report: Fields): market.RowExtras {
  const shares = readItems(report.topHolders)
    .slice(0, TOP)
    .map(({ pct }) => clean.percent(pct))
  const topTen =
    shares.includes(null) || shares.length < TOP ? null : shares.reduce((sum, pct) => sum! + pct!, 0)
  return knownOf<market.RowExtras>({
    launchpad: clean.text(fieldsOf(report.launchpad).name, MAX_NAME_LENGTH),
    creatorPct: clean.address(CHAIN, report.creator) === null ? null : shareOf(report.creatorBalance, report),
    topTenPct: topTen === null ? null : clean.percent(Math.round(topTen * 10_000) / 10_000),
  })
}

/** @returns percent of the supply, to the fourth digit */
function shareOf(amount: unknown, report: Fields): number | null {
  const part = clean.number(amount)
  const supply = clean.number(fieldsOf(report.token).supply)
  return part === null || !supply ? null : clean.percent(Math.round((part / supply) * 1_000_000) / 10_000)
}

/** Groups of holders that RugCheck believes to be connected. It does not name the holders. */
function insidersIn(report: Fields): Record<string, unknown> | null {
  const detected = clean.number(report.graphInsidersDetected)
  if (detected === null) return null
  const networks = readItems(report.insiderNetworks).map((network) => ({
    ...keepFields(network, ['type', 'size', 'activeAccounts']),
    supplyPct: shareOf(network.tokenAmount, report),
  }))
  return { detected, networks }
}

function aboutOf({ token, fileMeta }: Fields): market.About {
  const { mintAuthority, freezeAuthority } = fieldsOf(token)
  return {
    description: clean.text(fieldsOf(fileMeta).description, 2_000),
    image: clean.link(fieldsOf(fileMeta).image, clean.TOKEN_IMAGE_HOSTS),
    links: [],
    createdAt: null,
    mintAuthority: authorityOf(mintAuthority),
    freezeAuthority: authorityOf(freezeAuthority),
  }
}

/** Null means that there is no authority, as in the mint itself. A missing value is unknown. */
function authorityOf(value: unknown): string | null {
  return value === null ? 'none' : clean.address(CHAIN, value)
}

function readHolder(holder: Fields, report: Fields): market.TokenHolder[] {
  const address = clean.address(CHAIN, holder.owner) ?? clean.address(CHAIN, holder.address)
  const percent = clean.percent(holder.pct)
  if (address === null || percent === null) return []
  const balance = clean.decimal(holder.uiAmountString)
  const accounts = fieldsOf(report.knownAccounts)
  const { name, type } = fieldsOf(accounts[address] ?? accounts[String(holder.address)])
  const [label, kind] = [clean.text(name, MAX_TAG_LENGTH), clean.text(type, MAX_TAG_LENGTH)?.toLowerCase()]
  const tags = [
    label,
    label?.toLowerCase() === kind ? null : kind,
    holder.insider === true ? 'insider' : null,
  ]
  return [{ address, percent, balance, tags: tags.filter((tag) => tag != null) }]
}

function securityOf(report: Fields, at: number): market.Security {
  const { mintAuthority, freezeAuthority } = fieldsOf(report.token)
  const risks = risksIn(report)
  const extensions = extensionFlags(report)
  const insiders = insidersIn(report)
  const { jup_verified: verified } = fieldsOf(report.verification)
  const { sellTaxPct } = extensions
  return {
    at,
    facts: {
      ...scoresIn(report),
      ...keepFields(report, ['rugged', 'tokenType']),
      ...(sellTaxPct !== null && { transferFeePct: sellTaxPct }),
      risks,
      ...(insiders !== null && { insiders }),
    },
    flags: {
      ...market.UNKNOWN_FLAGS,
      ...extensions,
      blacklisted: booleanOf(report.rugged),
      freezable: isHeld(freezeAuthority),
      mintable: isHeld(mintAuthority),
      maliciousCreator: creatorIn(risks),
    },
    ...(typeof verified === 'boolean' && { verified }),
  }
}

/** @returns a summary's score and risks, and whether any risk is grave */
export function readSummary(summary: Fields, at: number) {
  const risks = risksIn(summary)
  const facts = { ...scoresIn(summary), ...keepFields(summary, ['tokenType']), risks }
  const flags = { ...market.UNKNOWN_FLAGS, maliciousCreator: creatorIn(risks) }
  return { security: { at, facts, flags }, isGrave: risks.some(({ level }) => level === 'danger') }
}

const scoresIn = ({ score, score_normalised }: Fields) =>
  knownOf({ rawScoreLowerIsSafer: clean.number(score), scoreLowerIsSafer: clean.number(score_normalised) })

function risksIn(report: Fields): Record<string, unknown>[] {
  return readItems(report.risks).map((risk) => keepFields(risk, members.risk))
}

/** Without an entry about the creator nothing is known. */
function creatorIn(risks: readonly Record<string, unknown>[]): true | null {
  return risks.some(({ name }) => name === 'Creator history of rugged tokens') || null
}

/** Flags from Token-2022 extensions. An absent extension is null in the report. */
function extensionFlags(report: Fields): Partial<market.RiskFlags> {
  const { token_extensions: extensions, tokenProgram } = report
  const transferFee = clean.percent(fieldsOf(report.transferFee).pct)
  if (extensions === null && tokenProgram === TOKEN_PROGRAM) {
    return {
      nonTransferable: false,
      sellTaxPct: transferFee,
      taxModifiable: false,
      permanentDelegate: false,
      transferHook: false,
      bornFrozen: false,
      paused: false,
    }
  }
  const found = fieldsOf(extensions)
  const readIf = (extension: unknown, read: (members: Fields) => boolean | null) =>
    extension === null ? false : read(fieldsOf(extension))
  return {
    nonTransferable: booleanOf(found.nonTransferable),
    // A 0 may also mean that RugCheck did not see the fee.
    sellTaxPct: feePct(found.transferFeeConfig) ?? (transferFee || null),
    taxModifiable: readIf(found.transferFeeConfig, (fee) => isHeld(fee.transferFeeConfigAuthority)),
    permanentDelegate: readIf(found.permanentDelegate, ({ delegate }) => isHeld(delegate)),
    transferHook: readIf(found.transferHook, ({ programId }) => isHeld(programId)),
    bornFrozen: readIf(found.defaultAccountState, (one) => isFrozen(one.state ?? one.accountState)),
    paused: readIf(found.pausableConfig, ({ paused }) => booleanOf(paused)),
  }
}

/** The current or announced transfer fee, in percent. */
function feePct(config: unknown): number | null {
  if (config === null) return 0
  const { transferFeeBasisPoints, maximumFee } = fieldsOf(fieldsOf(config).newerTransferFee)
  const bps = clean.number(transferFeeBasisPoints)
  if (bps === null || bps > 10_000) return null
  return clean.number(maximumFee) === 0 ? 0 : bps / 100
}

function isHeld(authority: unknown): boolean | null {
  const known = authorityOf(authority)
  return known === null ? null : known !== 'none'
}

/** Lists each pool: an average over pools of different depths would hide the one that matters. */
function lpOf(report: Fields): market.LiquidityLock {
  const pools = readItems(report.markets).map((market) => {
    const lp = fieldsOf(market.lp)
    return {
      address: clean.address(CHAIN, market.pubkey),
      venue: clean.text(market.marketType, MAX_NAME_LENGTH),
      lockedPct: clean.percent(lp.lpLockedPct),
      lockedUsd: clean.number(lp.lpLockedUSD),
    }
  })
  return { pools }
}
