/**
 * RugCheck's report on a token: its score, what it found, the largest holders,
 * and how much of the pools' liquidity is locked.
 *
 * Its score is the opposite of most: the lower, the safer. Its percentages are
 * percentages already. `totalHolders` is 0 where they were not counted, and
 * `totalMarketLiquidity` where no market was looked at. `transferFee` is 0 also
 * where Token-2022 takes one: that is what `token_extensions` tells.
 *
 * Source: §2 TokenProfile · api.rugcheck.xyz/swagger
 */
import { type ByteRange, Items, membersOf } from '../../chains/json/member.ts'
import { MAX_VALUES, parsedOrNone, valuesIn } from '../../chains/json/parse.ts'
import { TOKEN_PROGRAM } from '../../chains/solana/programs.ts'
import {
  cleanAddress,
  cleanDecimal,
  cleanLink,
  cleanNumber,
  cleanPercent,
  cleanText,
  itemsReader,
  TOKEN_IMAGE_HOSTS,
} from './clean.ts'
import { AnyObject, type Fields, fieldsOf, keepFields, knownOf } from './fields.ts'
import {
  type About,
  type Holder,
  type LiquidityLock,
  type MarketRow,
  type Parts,
  type RiskFlags,
  type RowExtras,
  type Security,
  UNKNOWN_FLAGS,
} from './market.ts'

export type ReportParts = Pick<Parts, 'row' | 'about' | 'holders' | 'security' | 'lp'>

const CHAIN = 'solana'
const MAX_ITEMS = 50
const MAX_NAME_LENGTH = 100
const MAX_TAG_LENGTH = 64
const TOP = 10
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
  'tokenProgram',
  'token_extensions',
  'creator',
  'creatorBalance',
  'verification',
  'launchpad',
  'graphInsidersDetected',
]
/** Holders whose names are looked for. */
const MAX_LABELLED = 20
const LISTS = ['topHolders', 'risks', 'markets', 'insiderNetworks']
/** By address; thousands of them, of which those of the holders are read. */
const KNOWN_ACCOUNTS = 'knownAccounts'

/**
 * A report has megabytes, most of them markets beyond those that are shown: all of it would take too long
 * to parse at once.
 * @returns what it has of the members that are read; none where it is not one
 */
export function openReport(body: Buffer): Fields {
  const found = membersOf(body, 0, [...MEMBERS, ...LISTS, KNOWN_ACCOUNTS])
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
      if (!LISTS.includes(name)) return [name, parsed(range)]
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

/** @param at  when it was asked for, ms epoch */
export function readParts(report: Fields & { readonly mint: string }, at: number): ReportParts {
  return {
    row: rowOf(report, report.mint, at),
    about: aboutOf(report),
    holders: readItems(report.topHolders).flatMap((holder) => readHolder(holder, report)),
    security: securityOf(report, at),
    lp: lpOf(report),
  }
}

function rowOf(report: Fields, mint: string, at: number): MarketRow {
  const { tokenMeta, totalHolders, totalMarketLiquidity, markets } = report
  const { name, symbol } = fieldsOf(tokenMeta)
  const liquidity = cleanNumber(totalMarketLiquidity)
  return {
    chain: CHAIN,
    address: mint,
    symbol: cleanText(symbol, MAX_NAME_LENGTH),
    name: cleanText(name, MAX_NAME_LENGTH),
    price: null,
    priceTs: at,
    mcap: null,
    liq: readItems(markets).length === 0 ? liquidity || null : liquidity,
    vol24: null,
    holders: cleanNumber(totalHolders) || null,
    ...extrasOf(report),
  }
}

function extrasOf(report: Fields): RowExtras {
  const shares = readItems(report.topHolders)
    .slice(0, TOP)
    .map(({ pct }) => cleanPercent(pct))
  const topTen =
    shares.includes(null) || shares.length < TOP ? null : shares.reduce((sum, pct) => sum! + pct!, 0)
  return knownOf<RowExtras>({
    launchpad: cleanText(fieldsOf(report.launchpad).name, MAX_NAME_LENGTH),
    creatorPct: cleanAddress(CHAIN, report.creator) === null ? null : shareOf(report.creatorBalance, report),
    topTenPct: topTen === null ? null : cleanPercent(Math.round(topTen * 10_000) / 10_000),
  })
}

/** @returns percent of the supply, to the fourth digit */
function shareOf(amount: unknown, report: Fields): number | null {
  const part = cleanNumber(amount)
  const supply = cleanNumber(fieldsOf(report.token).supply)
  return part === null || !supply ? null : cleanPercent(Math.round((part / supply) * 1_000_000) / 10_000)
}

/** Holders that are thought to belong together: it is not told who they are. */
function insidersIn(report: Fields): Record<string, unknown> | null {
  const detected = cleanNumber(report.graphInsidersDetected)
  if (detected === null) return null
  const networks = readItems(report.insiderNetworks).map((network) => ({
    ...keepFields(network, ['type', 'size', 'activeAccounts']),
    supplyPct: shareOf(network.tokenAmount, report),
  }))
  return { detected, networks }
}

function aboutOf({ token, fileMeta }: Fields): About {
  const { mintAuthority, freezeAuthority } = fieldsOf(token)
  return {
    description: cleanText(fieldsOf(fileMeta).description, 2_000),
    image: cleanLink(fieldsOf(fileMeta).image, TOKEN_IMAGE_HOSTS),
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

function readHolder(holder: Fields, report: Fields): Holder[] {
  const address = cleanAddress(CHAIN, holder.owner) ?? cleanAddress(CHAIN, holder.address)
  const percent = cleanPercent(holder.pct)
  if (address === null || percent === null) return []
  const balance = cleanDecimal(holder.uiAmountString)
  const accounts = fieldsOf(report.knownAccounts)
  const { name, type } = fieldsOf(accounts[address] ?? accounts[String(holder.address)])
  const [label, kind] = [cleanText(name, MAX_TAG_LENGTH), cleanText(type, MAX_TAG_LENGTH)?.toLowerCase()]
  const tags = [
    label,
    label?.toLowerCase() === kind ? null : kind,
    holder.insider === true ? 'insider' : null,
  ]
  return [{ address, percent, balance, tags: tags.filter((tag) => tag != null) }]
}

function securityOf(report: Fields, at: number): Security {
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
      ...UNKNOWN_FLAGS,
      ...extensions,
      blacklisted: booleanOf(report.rugged),
      freezable: isHeld(freezeAuthority),
      mintable: isHeld(mintAuthority),
      maliciousCreator: creatorIn(risks),
    },
    ...(typeof verified === 'boolean' && { verified }),
  }
}

/** What a summary says: the score and the risks, and of those whether one is grave. */
export function readSummary(
  summary: Fields,
  at: number,
): { readonly security: Security; readonly isGrave: boolean } {
  const risks = risksIn(summary)
  const facts = { ...scoresIn(summary), ...keepFields(summary, ['tokenType']), risks }
  const flags = { ...UNKNOWN_FLAGS, maliciousCreator: creatorIn(risks) }
  return { security: { at, facts, flags }, isGrave: risks.some(({ level }) => level === 'danger') }
}

function scoresIn(report: Fields): Record<string, unknown> {
  const score = cleanNumber(report.score)
  const normalised = cleanNumber(report.score_normalised)
  return {
    ...(score !== null && { rawScoreLowerIsSafer: score }),
    ...(normalised !== null && { scoreLowerIsSafer: normalised }),
  }
}

function risksIn(report: Fields): Record<string, unknown>[] {
  return readItems(report.risks).map((risk) => keepFields(risk, RISK_FIELDS))
}

/** That nothing is listed of a creator says nothing. */
function creatorIn(risks: readonly Record<string, unknown>[]): true | null {
  return risks.some(({ name }) => name === 'Creator history of rugged tokens') || null
}

/** What Token-2022 has its makers do: null in the report for an extension that is not there. */
function extensionFlags(report: Fields): Partial<RiskFlags> {
  const { token_extensions: extensions, tokenProgram } = report
  const transferFee = cleanPercent(fieldsOf(report.transferFee).pct)
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
  const {
    transferFeeConfig: fee,
    permanentDelegate,
    transferHook,
    defaultAccountState,
    pausableConfig,
  } = found
  return {
    nonTransferable: typeof found.nonTransferable === 'boolean' ? found.nonTransferable : null,
    // Its 0 is also what it says of a fee that it does not see.
    sellTaxPct: feePct(fee) ?? (transferFee || null),
    taxModifiable: fee === null ? false : isHeld(fieldsOf(fee).transferFeeConfigAuthority),
    permanentDelegate: permanentDelegate === null ? false : isHeld(fieldsOf(permanentDelegate).delegate),
    transferHook: transferHook === null ? false : isHeld(fieldsOf(transferHook).programId),
    bornFrozen: defaultAccountState === null ? false : isFrozen(fieldsOf(defaultAccountState)),
    paused: pausableConfig === null ? false : booleanOf(fieldsOf(pausableConfig).paused),
  }
}

/** The fee that is taken, or announced. */
function feePct(config: unknown): number | null {
  if (config === null) return 0
  const { transferFeeBasisPoints, maximumFee } = fieldsOf(fieldsOf(config).newerTransferFee)
  const bps = cleanNumber(transferFeeBasisPoints)
  if (bps === null || bps > 10_000) return null
  return cleanNumber(maximumFee) === 0 ? 0 : bps / 100
}

function isFrozen({ state, accountState }: Fields): boolean | null {
  const told = state ?? accountState
  if (told === 2 || told === 'frozen') return true
  return told === 1 || told === 'initialized' ? false : null
}

function booleanOf(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null
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
      lockedPct: cleanPercent(lp.lpLockedPct),
      lockedUsd: cleanNumber(lp.lpLockedUSD),
    }
  })
  return { pools }
}
