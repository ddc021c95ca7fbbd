/** The sums of a portfolio: rows of all chains, shares of chains, and the change of a day. */
import type { Portfolio, TokenList } from '../../../client/index.ts'

export type ChainPortfolio = Portfolio['chains'][number]
export type PortfolioHolding = ChainPortfolio['holdings'][number]

export interface HeldRow {
  readonly entry: ChainPortfolio
  readonly holding: PortfolioHolding
}

/** Priced holdings below this, in dollars, are hidden unless asked for. */
export const SMALL_USD = 1

const isSmall = ({ valueUsd }: PortfolioHolding): boolean => valueUsd !== null && valueUsd < SMALL_USD

/** The holdings of all chains, most valuable first and unpriced last. @param small  with those below a dollar */
export function rowsOf(chains: readonly ChainPortfolio[], small: boolean): readonly HeldRow[] {
  return chains
    .flatMap((entry) => entry.holdings.map((holding) => ({ entry, holding })))
    .filter(({ holding }) => small || !isSmall(holding))
    .sort((a, b) => (b.holding.valueUsd ?? -1) - (a.holding.valueUsd ?? -1))
}

export interface Share {
  /** A chain's key; null: the rest. */
  readonly chain: string | null
  /** Of 1. */
  readonly part: number
}

const SHARES = 4

/** The chains with the largest shares of the value, and the rest as one. */
export function sharesOf(chains: readonly ChainPortfolio[]): readonly Share[] {
  const worth = chains.filter(({ usd }) => usd > 0).sort((a, b) => b.usd - a.usd)
  const total = worth.reduce((sum, { usd }) => sum + usd, 0)
  const first = worth.slice(0, SHARES).map(({ chain, usd }) => ({ chain, part: usd / total }))
  const rest = worth.slice(SHARES).reduce((sum, { usd }) => sum + usd, 0)
  return rest === 0 ? first : [...first, { chain: null, part: rest / total }]
}

/** A token of a chain, however its address is spelled. */
export const idOf = (chain: string, address: string): string =>
  `${chain} ${address.startsWith('0x') ? address.toLowerCase() : address}`

/**
 * The change in 24 hours of the holdings whose change the list knows, weighted by value. A capped value
 * follows its pools and not only its price, so it is left out.
 *
 * @returns `covered` is the share of the total whose change is known, of 1; null if the list knows none of the holdings
 */
export function dayChangeOf({ chains, totalUsd }: Portfolio, { tokens }: TokenList) {
  const changes = new Map(
    tokens.map(({ chain, address, changes }) => [idOf(chain, address), changes?.h24?.pricePct ?? null]),
  )
  let now = 0
  let before = 0
  for (const { entry, holding } of rowsOf(chains, true)) {
    const percent = changes.get(idOf(entry.chain, holding.address)) ?? null
    if (percent === null || percent <= -100 || holding.valueUsd === null || holding.cappedBy) continue
    now += holding.valueUsd
    before += holding.valueUsd / (1 + percent / 100)
  }
  if (before === 0) return null
  return { usd: now - before, percent: (100 * (now - before)) / before, covered: now / totalUsd }
}
