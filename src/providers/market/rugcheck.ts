/**
 * RugCheck's report on a Solana token: its score, what it found, the largest
 * holders, and how much of the pools' liquidity is locked. One call answers
 * all parts.
 *
 * Its score is the opposite of most: the lower, the safer. Its percentages are
 * percentages already. `totalHolders` is 0 where they were not counted.
 *
 * Source: §4.2 · api.rugcheck.xyz/swagger · solana-foundation/explorer, pull
 * request 964 (the 400s that mean that there is no such token)
 */
import { Type } from 'typebox'
import { GatewayError } from '../../errors.ts'
import type { CallOptions } from '../provider.ts'
import { answerReader } from '../swap/answer.ts'
import type { Upstream } from '../upstream.ts'
import { cleanAddress, cleanDecimal, cleanLink, cleanNumber, cleanText, itemsReader } from './clean.ts'
import { AnyObject, type Fields, fieldsOf, keepFields } from './fields.ts'
import type {
  About,
  Holder,
  LiquidityLock,
  MarketProvider,
  MarketRow,
  Part,
  PartSource,
  Parts,
  Security,
} from './market.ts'
import { SharedCalls } from './shared-calls.ts'

const LABEL = 'rugcheck'
const CHAIN = 'solana'
const KEEP_MS = 10 * 60_000
/** The parts of one profile are asked for within moments of each other. */
const SHARED_MS = 5 * 60_000
const MAX_ITEMS = 50
const MAX_NAME_LENGTH = 100
const RISK_FIELDS = ['name', 'value', 'description', 'score', 'level']

const readReport = answerReader(Type.Object({ mint: Type.String() }))
const readRefusal = answerReader(Type.Object({ error: Type.String() }))
const readItems = itemsReader(AnyObject, MAX_ITEMS)

const NO_SUCH_TOKEN: ReadonlySet<string> = new Set(['not found', 'invalid token mint'])

/** What RugCheck said, and when it was asked, ms epoch. */
interface Asked {
  readonly at: number
  /** Null where it knows no such token. */
  readonly parts: Pick<Parts, 'row' | 'about' | 'holders' | 'security' | 'lp'> | null
}

export interface RugcheckOptions {
  /** Its headers are `rugcheckHeaders(key)`. */
  readonly upstream: Pick<Upstream, 'exchange'>
  /** Wall clock, ms. */
  readonly now?: () => number
}

/** @param apiKey  null for the share that is free */
export function rugcheckHeaders(apiKey: string | null): Readonly<Record<string, string>> {
  return apiKey === null || apiKey === '' ? {} : { 'x-api-key': apiKey }
}

export function rugcheck({ upstream, now = Date.now }: RugcheckOptions): MarketProvider {
  const calls = new SharedCalls<Asked>(SHARED_MS)

  const part = <P extends Part & keyof NonNullable<Asked['parts']>>(name: P): PartSource<P> => ({
    keepMs: KEEP_MS,
    async ask({ address }, options) {
      const { parts } = await calls.ask(address, options, (shared) =>
        askReport(upstream, address, now(), shared),
      )
      return parts === null ? null : parts[name]
    },
  })

  return {
    label: LABEL,
    chains: new Set([CHAIN]),
    parts: {
      row: part('row'),
      about: part('about'),
      holders: part('holders'),
      security: part('security'),
      lp: part('lp'),
    },
  }
}

async function askReport(
  upstream: RugcheckOptions['upstream'],
  mint: string,
  at: number,
  { deadlineMs, priority, cancel }: CallOptions,
): Promise<Asked> {
  const reply = await upstream.exchange<Asked | GatewayError>(
    {
      method: 'GET',
      path: `/tokens/${mint}/report`,
      body: null,
      priority,
      resend: true,
      read(status, body) {
        if (status === 200) {
          const report = readReport(body)?.value
          return report?.mint === mint ? { at, parts: partsOf(report, at) } : null
        }
        return status === 404 ? { at, parts: null } : readNone(body, at)
      },
    },
    deadlineMs,
    cancel,
  )
  if (reply instanceof GatewayError) throw reply
  return reply
}

/** @returns what a 400 says of the token; null where it says anything else */
function readNone(body: Buffer, at: number): Asked | GatewayError | null {
  const error = readRefusal(body)?.value.error.toLowerCase() ?? ''
  if (NO_SUCH_TOKEN.has(error)) return { at, parts: null }
  if (error !== 'unable to generate report') return null
  const message = 'RugCheck has no report of this token. Try again later.'
  return new GatewayError('upstream_failed', message, { provider: LABEL, scope: 'provider' })
}

function partsOf(report: Fields & { readonly mint: string }, at: number): NonNullable<Asked['parts']> {
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
      honeypot: null,
      blacklisted: typeof report.rugged === 'boolean' ? report.rugged : null,
      cannotSell: null,
      cannotBuy: null,
      freezable: isHeld(freezeAuthority),
      mintable: isHeld(mintAuthority),
      nonTransferable: null,
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
