/**
 * The slippage that fits an order: enough to survive what usually happens between a quote and its block, and
 * no more, since a front-runner can take the rest. It is a suggestion: the client's own choice counts.
 */
import { fieldsOf } from '../chains/json/fields.ts'
import type { OrderTerms, Token } from '../proof/terms/order.ts'
import type { Offer } from '../providers/provider.ts'
import type { Quote } from '../runtime/resources/quote.ts'
import type { TokenRisks } from '../runtime/resources/token-profile.ts'
import type { Fair } from './fair.ts'

/** What the gateway holds in memory of a token; null if it does not know the token. */
export interface TokenFacts {
  /** Dollars in its pools, by one source. */
  readonly liq: number | null
  /** Percent by which the price changed in an hour. */
  readonly hourPct: number | null
  /** Percent that the token itself takes of a purchase and of a sale, the lowest that sources report. */
  readonly buyTaxPct: number | null
  readonly sellTaxPct: number | null
}
export type FactsOf = (chainKey: string, address: string) => TokenFacts | null
/** What is known against a token, without a call. */
export type RisksOf = (chainKey: string, address: string) => TokenRisks

/** The most in total, without a token's own fee. */
export const MOST_SUGGESTED_BPS = 300
/** A source that lies about a token's fee distorts a suggestion no more than this. */
const MOST_TAX_BPS = 1_000
/** What any market moves until the next block. */
const BASE_BPS = 10
const HOP_BPS = 5
const UNKNOWN_DEPTH_BPS = 50
const MOST_DEPTH_BPS = 200
const UNKNOWN_MOVE_BPS = 20
/** Prices move with the root of time: a minute of an hour. */
const MINUTE_OF_HOUR = Math.sqrt(1 / 60)
const BPS = 10_000

type Suggestion = Required<Pick<Quote, 'suggestedSlippageBps' | 'slippageReasons'>>

export function suggestedSlippage(order: OrderTerms, offer: Offer, fair: Fair, factsOf: FactsOf): Suggestion {
  const { chain, tokenIn, tokenOut } = order
  const moving = [tokenIn, tokenOut].filter((token) => !isStable(order, token))
  const facts = new Map(moving.map((token) => [token, factsOf(chain.key, token.address)]))
  const hops = hopsOf(offer)
  const depth = depthBps(
    fair,
    moving.map((token) => facts.get(token)?.liq ?? null),
  )
  const isKnown = moving.every((token) => facts.get(token)?.hourPct != null)
  const move = moving.reduce((sum, token) => sum + moveBps(facts.get(token)?.hourPct ?? null), 0)
  // On Solana a token's fee is on every transfer, and reported as one on sales.
  const bought = chain.family === 'solana' ? 'sellTaxPct' : 'buyTaxPct'
  const tax = taxBps(facts.get(tokenIn)?.sellTaxPct) + taxBps(facts.get(tokenOut)?.[bought])
  const reasons: Suggestion['slippageReasons'] = [
    { what: 'base', bps: BASE_BPS, why: 'What any market moves until the next block.' },
    {
      what: 'depth',
      bps: depth ?? UNKNOWN_DEPTH_BPS,
      why:
        depth === null ? DEPTH_UNKNOWN : 'What another trade of this size takes from the pools before yours.',
    },
    { what: 'volatility', bps: move, why: isKnown ? MOVES : MOVES_UNKNOWN },
    { what: 'hops', bps: HOP_BPS * (hops - 1), why: 'Each market more on the route can move.' },
    { what: 'transfer_fee', bps: tax, why: 'What the token itself takes of a transfer, as a source tells.' },
  ]
  const sum = reasons.reduce((total, { what, bps }) => total + (what === 'transfer_fee' ? 0 : bps), 0)
  return {
    suggestedSlippageBps: Math.min(sum, MOST_SUGGESTED_BPS) + tax,
    slippageReasons: reasons.filter(({ bps }) => bps > 0),
  }
}

const DEPTH_UNKNOWN = 'How deep the pools are is not known.'
const MOVES = 'What the prices of the last hour move in a minute.'
const MOVES_UNKNOWN = 'What prices move in a minute; of a token here it is not known.'

const isStable = ({ chain }: OrderTerms, { address }: Token): boolean =>
  chain.stablecoins.some((coin) => coin.address.toLowerCase() === address.toLowerCase())

/**
 * From what two sources agree on, else from the list's one source: it can only distort a suggestion, within
 * bounds.
 * @param listed  dollars, of the tokens that move
 * @returns null if it is unknown
 */
function depthBps({ market }: Fair, listed: readonly (number | null)[]): number | null {
  if (market === undefined) return null
  const agreed = market.depths.filter((depth) => depth !== null).map(Number)
  const depths = agreed.length > 0 ? agreed : listed.filter((liq) => liq !== null).map((liq) => liq * 1e6)
  if (depths.length === 0) return listed.length === 0 ? 0 : null
  // Half of a depth is on each side.
  const bps = depths.map((depth) => Math.floor((2 * Number(market.value) * BPS) / Math.max(depth, 1)))
  return Math.min(
    bps.reduce((sum, one) => sum + one, 0),
    MOST_DEPTH_BPS,
  )
}

const moveBps = (hourPct: number | null): number =>
  hourPct === null ? UNKNOWN_MOVE_BPS : Math.ceil(Math.abs(hourPct) * 100 * MINUTE_OF_HOUR)

const taxBps = (percent: number | null | undefined): number =>
  percent == null ? 0 : Math.min(Math.ceil(percent * 100), MOST_TAX_BPS)

/** As stated by the provider; one if it states none. */
function hopsOf({ details }: Offer): number {
  const { path, stated } = details
  if (Array.isArray(path)) return Math.max(path.length - 1, 1)
  const { hops, exchanges } = fieldsOf(stated)
  const listed = hops ?? exchanges
  return Array.isArray(listed) ? Math.max(listed.length, 1) : 1
}
