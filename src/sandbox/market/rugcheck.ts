/**
 * The sandbox's RugCheck: reports on the market's Solana tokens. Like the real one it
 * refuses unknown mints with status 400 and does not count the holders of the largest
 * tokens. A lower score is safer. The summary has little more than score and risks.
 *
 * Source: api.rugcheck.xyz/swagger
 */

import { formatAmount } from '../../chains/amount.ts'
import { isBase58Of } from '../../chains/solana/base58.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../chains/solana/programs.ts'
import type { ProviderServer } from '../provider-server.ts'
import type { World } from '../world.ts'
import type { PoolState } from './prices.ts'
import { type Facts, factsOf, isYoung } from './research.ts'
import type { MarketToken } from './tokens.ts'

/** The key that it knows. */
export const RUGCHECK_KEY = 'the-secret-key-of-rugcheck'
const CHAIN = 'solana'
/** Liquidity in dollars from which holders are not counted. */
const UNCOUNTED = 10_000_000

export function rugcheck({ market }: Pick<World, 'market'>): ProviderServer {
  return {
    name: 'rugcheck',
    rateLimited: () => ({ status: 429, body: { error: 'too many requests' } }),
    handle({ method, path, now, headers }) {
      // An unknown key is refused, whatever the header, although none is needed.
      const key = headers.authorization ?? headers['x-api-key']
      if (key !== undefined && key !== RUGCHECK_KEY)
        return { status: 401, body: { error: 'invalid api key' } }
      const [, mint, isSummary] = /^\/tokens\/([^/]+)\/report(\/summary)?$/.exec(path) ?? []
      if (method !== 'GET' || mint === undefined) return { status: 404, body: { error: 'not found' } }
      if (!isBase58Of(mint, 32)) return { status: 400, body: { error: 'invalid token mint' } }
      const token = market.find(CHAIN, mint)
      if (token === null) return { status: 400, body: { error: 'not found' } }
      const whole = report(token, factsOf(token, now), market.at(now).pools(token))
      return { status: 200, body: isSummary === undefined ? whole : summaryOf(whole) }
    },
  }
}

function report(token: MarketToken, facts: Facts, pools: readonly PoolState[]) {
  const liquidity = pools.reduce((sum, { liquidityUsd }) => sum + Number(liquidityUsd), 0)
  const risks = risksOf(facts, liquidity)
  const score = risks.reduce((sum, risk) => sum + risk.score, 1)
  return {
    mint: token.address,
    tokenProgram: isExtended(token) ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM,
    creator: facts.creator,
    creatorBalance: 0,
    tokenType: '',
    token: {
      mintAuthority: facts.mintAuthority,
      freezeAuthority: facts.freezeAuthority,
      // Base units, which may exceed 2^53 in the real API too.
      supply: Number(facts.supply),
      decimals: token.decimals,
      isInitialized: true,
    },
    token_extensions: isExtended(token) ? NO_POWERS : null,
    tokenMeta: {
      name: token.name,
      symbol: token.symbol,
      uri: '',
      mutable: false,
      updateAuthority: facts.creator,
    },
    fileMeta: { description: facts.description, name: token.name, symbol: token.symbol, image: '' },
    topHolders: facts.holders.map(({ address, percent, balance }, i) => ({
      address: facts.creator,
      owner: address,
      pct: percent,
      uiAmountString: formatAmount(balance, token.decimals),
      insider: i === 1 && token.trait === 'freezable',
    })),
    // Like empty Go slices, serialized as null.
    risks: risks.length === 0 ? null : risks,
    score,
    score_normalised: Math.min(Math.round(score / 200), 100),
    markets: pools.map(({ address, venue, liquidityUsd }) => ({
      pubkey: address,
      marketType: venue.toLowerCase(),
      lp: {
        quoteUSD: Number(liquidityUsd) / 2,
        baseUSD: Number(liquidityUsd) / 2,
        lpLockedPct: 60,
        lpLockedUSD: Number(liquidityUsd) * 0.6,
      },
    })),
    knownAccounts: Object.fromEntries([
      ...pools.map(({ address, venue }) => [address, { name: `${venue} Pool`, type: 'AMM' }]),
      // Some of the holders belong to services.
      ...facts.holders
        .slice(2, 3)
        .map(({ address }) => [address, { name: 'Sandbox Exchange', type: 'EXCHANGE' }]),
    ]),
    graphInsidersDetected: isYoung(token) ? 3 : 0,
    insiderNetworks: isYoung(token) ? [network(facts)] : null,
    launchpad: isYoung(token) ? { name: 'Pump.Fun', platform: 'pump_fun' } : null,
    verification: { jup_verified: token.trait === null },
    totalMarketLiquidity: liquidity,
    totalHolders: liquidity > UNCOUNTED ? 0 : facts.holderCount,
    transferFee: { pct: 0, maxAmount: 0, authority: '11111111111111111111111111111111' },
    rugged: false,
  }
}

function summaryOf({
  tokenProgram,
  tokenType,
  risks,
  score,
  score_normalised,
  markets,
}: ReturnType<typeof report>) {
  return {
    tokenProgram,
    tokenType,
    risks,
    score,
    score_normalised,
    lpLockedPct: markets[0]?.lp.lpLockedPct ?? 0,
  }
}

const network = ({ supply }: Facts) => ({
  id: 'sandbox-network',
  size: 3,
  type: 'transfer',
  tokenAmount: Number(supply / 50n),
  activeAccounts: 2,
})

const isExtended = ({ trait }: MarketToken): boolean => trait === 'scaled'

/** The powers of a Token-2022 mint without any risky extension. */
const NO_POWERS = {
  nonTransferable: false,
  transferFeeConfig: null,
  defaultAccountState: null,
  permanentDelegate: null,
  transferHook: null,
  pausableConfig: null,
}

function risksOf({ mintAuthority, freezeAuthority }: Facts, liquidity: number) {
  const risk = (name: string, description: string, score: number) => ({
    name,
    value: '',
    description,
    score,
    level: 'danger',
  })
  return [
    ...(mintAuthority === null
      ? []
      : [risk('Mint Authority still enabled', 'More tokens can be minted', 5_000)]),
    ...(freezeAuthority === null
      ? []
      : [risk('Freeze Authority still enabled', 'Tokens can be frozen', 7_500)]),
    ...(liquidity >= 1_000
      ? []
      : [risk('Low Liquidity', 'Low amount of liquidity in the token pool', 3_000)]),
  ]
}
