/**
 * The token API of the sandbox's Jupiter. An untraded token lacks most fields,
 * including its price.
 *
 * Source: jup-ag/docs, OpenAPI of the Tokens API v2
 */

import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../chains/solana/programs.ts'
import type { ProviderRequest } from '../provider-server.ts'
import { SLOT_MS } from '../solana/ledger/slots.ts'
import { JupiterRefusal } from '../swap/jupiter-quote.ts'
import { type Traded, tradedIn } from './activity.ts'
import type { Market } from './market.ts'
import { changesOf, factsOf, isYoung, pairsOf, topTenPct } from './research.ts'
import { isCase, type MarketToken } from './tokens.ts'

const CHAIN = 'solana'
const MAX_MINTS = 100
const MAX_RECENT = 30
const LIST = /^\/tokens\/v2\/(?:toporganicscore|toptraded|toptrending)\/(?:5m|1h|6h|24h)$/
/** The lists leave out these generic tokens. */
const GENERIC: ReadonlySet<string> = new Set(['SOL', 'USDC', 'USDT'])

/** @throws Refusal  404 for another path */
export function tokensAnswer(market: Market, { method, path, query, now }: ProviderRequest): unknown {
  const tokens = market.tokens(CHAIN)
  if (method === 'GET' && path === '/tokens/v2/search') {
    const mints = listed(query.get('query'), MAX_MINTS)
    return known(market, mints).map((token) => informationOf(market, token, now))
  }
  if (method === 'GET' && path === '/tokens/v2/recent') {
    const recent = tokens
      .filter((token) => isYoung(token) && !isCase(token))
      .map((token) => informationOf(market, token, now))
    return recent.sort((a, b) => b.createdAt.localeCompare(a.createdAt)).slice(0, MAX_RECENT)
  }
  if (method === 'GET' && path === '/tokens/v2/tag') {
    if (query.get('query') !== 'verified') throw new JupiterRefusal(400, 'Invalid tag')
    return tokens.map((token) => informationOf(market, token, now)).filter(({ isVerified }) => isVerified)
  }
  if (method === 'GET' && LIST.test(path)) {
    const rows = tokens
      .filter((token) => !GENERIC.has(token.symbol) && !isCase(token))
      .map((token) => informationOf(market, token, now))
    const volume = ({ stats24h }: (typeof rows)[number]) => stats24h?.buyVolume ?? 0
    return rows.sort((a, b) => volume(b) - volume(a)).slice(0, Number(query.get('limit') ?? 50))
  }
  throw new JupiterRefusal(404, 'Not Found')
}

function listed(text: string | null, most: number): readonly string[] {
  const mints = (text ?? '').split(',').filter((mint) => mint !== '')
  if (mints.length === 0 || mints.length > most) throw new JupiterRefusal(400, `Give 1 to ${most} mints`)
  return mints
}

function known(market: Market, mints: readonly string[]): readonly MarketToken[] {
  return mints.flatMap((mint) => market.find(CHAIN, mint) ?? [])
}

function liquidityOf(market: Market, token: MarketToken, now: number): number {
  return market
    .at(now)
    .pools(token)
    .reduce((sum, { liquidityUsd }) => sum + Number(liquidityUsd), 0)
}

function informationOf(market: Market, token: MarketToken, now: number) {
  const facts = factsOf(token, now)
  const prices = market.at(now)
  const pairs = pairsOf(prices, token)
  const pair = pairs.find(({ base }) => base === token) ?? pairs[0]
  const createdAt = new Date(facts.createdAt).toISOString()
  const usdPrice = Number(prices.usd(token))
  const supply = Number(facts.supply) / 10 ** token.decimals
  const traded = pair && tradedIn(market, pair, now)
  const change = changesOf(prices, { base: token, createdAt: facts.createdAt })
  return {
    id: token.address,
    name: token.name,
    symbol: token.symbol,
    icon: `https://static.jup.ag/${token.address}.png`,
    decimals: token.decimals,
    tokenProgram: token.trait === 'scaled' ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM,
    createdAt,
    website: facts.website,
    twitter: `https://x.com/${facts.twitter}`,
    telegram: null,
    dev: facts.creator,
    ...(facts.mintAuthority !== null && { mintAuthority: facts.mintAuthority }),
    ...(facts.freezeAuthority !== null && { freezeAuthority: facts.freezeAuthority }),
    circSupply: supply,
    totalSupply: supply,
    holderCount: facts.holderCount,
    audit: {
      ...(token.trait === 'spam' && { isSus: true }),
      ...(facts.mintAuthority === null && { mintAuthorityDisabled: true }),
      ...(facts.freezeAuthority === null && { freezeAuthorityDisabled: true }),
      topHoldersPercentage: topTenPct(facts),
    },
    organicScore: isYoung(token) ? 12.5 : 88.25,
    organicScoreLabel: isYoung(token) ? 'low' : 'high',
    isVerified: token.trait === null,
    tags: token.trait === null ? ['verified'] : null,
    updatedAt: new Date(now).toISOString(),
    ...(traded !== undefined && {
      firstPool: { id: pair!.address, createdAt: new Date(pair!.createdAt).toISOString() },
      fdv: supply * usdPrice,
      mcap: supply * usdPrice,
      usdPrice,
      priceBlockId: Math.floor(now / SLOT_MS),
      liquidity: liquidityOf(market, token, now),
      stats5m: statsOf(change.m5, traded.m5),
      stats1h: statsOf(change.h1, traded.h1),
      stats6h: statsOf(change.h6, traded.h6),
      stats24h: statsOf(change.h24, traded.h24),
    }),
  }
}

/** Members that would be zero are left out. */
function statsOf(priceChange: number, { volume, buys, sells }: Traded) {
  const part = buys + sells === 0 ? 0 : buys / (buys + sells)
  return {
    priceChange,
    ...(buys > 0 && { buyVolume: volume * part, numBuys: buys }),
    ...(sells > 0 && { sellVolume: volume * (1 - part), numSells: sells }),
  }
}
