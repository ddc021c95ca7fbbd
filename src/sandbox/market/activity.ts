/**
 * The trades in the sandbox's pools: volumes, counts and single trades. They are derived from the pool, the
 * hour and the price's moves, so windows, candles and lists of trades agree, and the past does not change.
 */

import { createHash } from 'node:crypto'
import { encodeBase58 } from '../../chains/solana/base58.ts'
import type { Market } from './market.ts'
import { poolAddress } from './pool.ts'
import { mapped, type SandboxPair, WINDOWS } from './research.ts'
import { type Kind, PRICES } from './tokens.ts'
import { chance, gaussian } from './walk.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The busiest hour of the day, UTC, and how much busier than average it is. */
const BUSY_HOUR = 15
const BUSY_PART = 0.35
const WEEKEND_PART = 0.7
/** The deviations of the logarithms of an hour's volume and of a trade's size. */
const HOURLY_SPREAD = 0.3
const TRADE_SPREAD = 1.1
/** An hour's volume grows by this with its move, and is this much smaller without one. */
const BY_MOVE = 0.6
const AT_REST = 0.62
const LARGEST_MOVE = 3
/** In a longer list of trades, sales are counted by their share. */
const COUNTED = 400

/** The mean of trades, in dollars. */
const TRADE_USD: Readonly<Record<Kind, number>> = {
  stable: 1_500,
  coin: 900,
  large: 400,
  tail: 250,
  meme: 120,
  new: 60,
  odd: 60,
}

export interface SandboxTrade {
  readonly at: number
  readonly kind: 'buy' | 'sell'
  readonly tx: string
  readonly trader: string
  /** Dollars. */
  readonly worth: number
}

/** What was traded in a window. */
export interface Traded {
  /** Dollars. */
  readonly volume: number
  readonly buys: number
  readonly sells: number
  readonly buyers: number
  readonly sellers: number
}

/** In these windows, or since a younger pair opened. @param windows  hours */
export function tradedIn<Name extends string = keyof typeof WINDOWS>(
  market: Market,
  pair: SandboxPair,
  now: number,
  windows: Readonly<Record<Name, number>> = WINDOWS as never,
): Readonly<Record<Name, Traded>> {
  const since = (hours: number): number => Math.max(pair.createdAt, now - hours * HOUR_MS)
  const day = hoursOf(market, pair, since(24), now)
  return mapped(windows, (hours) => traded(pair, day, since(hours), now))
}

/** Dollars. @param from  ms epoch, as is `to` */
export function volumeOf(market: Market, pair: SandboxPair, from: number, to: number): number {
  return hoursOf(market, pair, from, to).reduce((sum, one) => sum + one.volume * partOf(one, from, to), 0)
}

/** The trades of the past day, newest first; a honeypot's are all buys. */
export function tradesOf(
  market: Market,
  pair: SandboxPair,
  now: number,
  most: number,
): readonly SandboxTrade[] {
  const trades: SandboxTrade[] = []
  const since = Math.max(pair.createdAt, now - DAY_MS)
  for (let hour = Math.floor(now / HOUR_MS); (hour + 1) * HOUR_MS > since; hour--) {
    const one = hourOf(market, pair, hour)
    for (let i = countBefore(pair, one, now) - 1; i >= 0 && trades.length < most; i--) {
      const trade = tradeOf(pair, one, i)
      if (trade.at < since) break
      trades.push(trade)
    }
    if (trades.length === most) break
  }
  return trades
}

/** An hour of a pair. */
interface TradingHour {
  /** Since the epoch. */
  readonly hour: number
  /** Dollars. */
  readonly volume: number
  readonly count: number
  /** The share of buys. */
  readonly bought: number
}

function hourOf(market: Market, pair: SandboxPair, hour: number): TradingHour {
  const { base, usualUsd, turnover } = pair
  // By the hour before: an hour's trades are known when it begins.
  const { dailyBps, kind } = PRICES[base.asset]!
  const end = hour * HOUR_MS
  const since = end - HOUR_MS
  const change = market.at(end).changePct(base, since) * 100
  const move = kind === 'stable' ? 0 : (change * Math.sqrt(24)) / dailyBps
  const key = keyOf(pair)
  const day = new Date(end)
  const byDay = 1 + BUSY_PART * Math.cos((2 * Math.PI * (day.getUTCHours() - BUSY_HOUR)) / 24)
  const byWeek = day.getUTCDay() % 6 === 0 ? WEEKEND_PART : 1
  const byMove = AT_REST * Math.exp(BY_MOVE * Math.min(LARGEST_MOVE, Math.abs(move)))
  const byChance = Math.exp(HOURLY_SPREAD * normal(key, hour, 0))
  const volume = ((usualUsd * turnover) / 24) * byDay * byWeek * byMove * byChance
  return {
    hour,
    volume,
    count: Math.floor(volume / TRADE_USD[kind] + chance(key, hour, 2)),
    bought: base.trait === 'honeypot' ? 1 : 0.5 + 0.12 * Math.tanh(move),
  }
}

/** The hours that a window has parts of. */
function hoursOf(market: Market, pair: SandboxPair, from: number, to: number): readonly TradingHour[] {
  const hours: TradingHour[] = []
  if (pair.turnover === 0) return hours
  for (let hour = Math.floor(from / HOUR_MS); hour * HOUR_MS < to; hour++)
    hours.push(hourOf(market, pair, hour))
  return hours
}

/** The part of an hour that is in a window. */
function partOf({ hour }: TradingHour, from: number, to: number): number {
  return Math.max(0, Math.min(to / HOUR_MS, hour + 1) - Math.max(from / HOUR_MS, hour))
}

function traded(pair: SandboxPair, hours: readonly TradingHour[], from: number, to: number): Traded {
  let [volume, count, bought] = [0, 0, 0]
  for (const one of hours) {
    const first = countBefore(pair, one, from)
    const last = countBefore(pair, one, to)
    volume += one.volume * partOf(one, from, to)
    count += last - first
    if (one.count > COUNTED) bought += Math.round((last - first) * one.bought)
    else for (let i = first; i < last; i++) bought += isBought(pair, one, i) ? 1 : 0
  }
  const sold = count - bought
  // A frequent trader trades at least three times.
  const people = (trades: number): number => Math.ceil(trades ** 0.9)
  return { volume: cents(volume), buys: bought, sells: sold, buyers: people(bought), sellers: people(sold) }
}

/** How many of an hour's trades are before a given time: each is somewhere in its own part of the hour. */
function countBefore(pair: SandboxPair, { hour, count }: TradingHour, at: number): number {
  const parts = ((at - hour * HOUR_MS) / HOUR_MS) * count
  if (parts <= 0) return 0
  if (parts >= count) return count
  const whole = Math.floor(parts)
  return whole + (chance(keyOf(pair), hour, 16 + 8 * whole) < parts - whole ? 1 : 0)
}

const isBought = (pair: SandboxPair, { hour, bought }: TradingHour, i: number): boolean =>
  chance(keyOf(pair), hour, 17 + 8 * i) < bought

function tradeOf(pair: SandboxPair, one: TradingHour, i: number): SandboxTrade {
  const key = keyOf(pair)
  const { hour, count, volume } = one
  const { chain } = pair.base
  const mean = volume / count
  const size = Math.exp(TRADE_SPREAD * normal(key, hour, 18 + 8 * i) - TRADE_SPREAD ** 2 / 2)
  const trader = Math.floor(60 * chance(key, hour, 20 + 8 * i) ** 2)
  return {
    at: Math.floor((hour + (i + chance(key, hour, 16 + 8 * i)) / count) * HOUR_MS),
    kind: isBought(pair, one, i) ? 'buy' : 'sell',
    tx: transactionId(chain, `${key} ${hour} ${i}`),
    trader: poolAddress(chain, `trader ${trader} ${key}`),
    worth: cents(mean * size),
  }
}

const keyOf = ({ base, address }: SandboxPair): string => `${base.chain} ${address}`

const normal = (key: string, place: number, which: number): number =>
  gaussian(chance(key, place, which), chance(key, place, which + 1))

const cents = (usd: number): number => Math.round(100 * usd) / 100

function transactionId(chain: string, key: string): string {
  // A hash has the form of a 32-byte address on every chain but Solana, whose signatures are longer.
  const digest = createHash('sha512').update(key).digest()
  if (chain === 'solana') return encodeBase58(digest)
  return `${chain === 'ton' ? '' : '0x'}${digest.toString('hex', 0, 32)}`
}
