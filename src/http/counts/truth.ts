/**
 * Which providers keep their word: a row for each swap that was built here and that a block has, and what the rows show.
 * Each row names its transaction, so that anybody can read from a node what arrived.
 *
 * A provider is accused by a test that bets. It starts with a stake in four parts, which bet one to four quarters of what they
 * have that a swap delivers at least a hundredth of a percent less than stated. If only the market moves, that happens in
 * at most half of the swaps. Then the expected stake never grows, and it ever reaches n times its start with a
 * probability of at most 1/n (Ville's inequality). A window begins with each day that is kept, for all swaps and for each
 * size class, and accuses at 1,000 times its start for each of those windows: together they accuse an honest provider of
 * a chain with a probability of at most 1/1000 a week. It takes 17 swaps that are all short, and more if some are not.
 *
 * - Swaps that overlap in time share a move of the market: only the first of them bets.
 * - A client bets a few times in a window: one that only swaps when the market falls can't accuse alone.
 * - What is proved stays proved until its day is forgotten, even if the provider is honest for a while.
 */
import { type Static, Type } from 'typebox'
import { findMajor } from '../../chains/majors.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { Count, integer, NullableCount, nullable } from '../../runtime/resources/shared.ts'
import { recorded } from '../../runtime/tape.ts'
import texts from './texts.json' with { type: 'json' }

const { truth: text } = texts

export const SIZES = ['small', 'medium', 'large'] as const
export type SizeClass = (typeof SIZES)[number]
/** Whole stablecoins from which a swap is in the next class. */
const MEDIUM = 1_000n
const LARGE = 10_000n
export const Size = Type.Enum([...SIZES], { description: text.size })

const Amount = (description: string) => Type.String({ pattern: '^-?\\d{1,80}$', description })
const Perhaps = (description: string) => nullable(Amount(description))

export const TruthRow = Type.Object({
  at: integer(text.at),
  chain: Type.String(),
  provider: Type.String(),
  size: nullable(Size),
  token: Type.String({ description: text.token }),
  isNative: Type.Boolean(),
  stated: Amount(text.stated),
  minimum: Amount('`minOut` of the build'),
  simulated: Perhaps(text.simulated),
  simulatedAt: NullableCount(text.simulatedAt),
  got: Amount(text.got),
  otherNativeOut: Perhaps(text.otherNativeOut),
  gasStated: Perhaps(text.gasStated),
  gasUsed: Perhaps(text.gasUsed),
  hash: nullable(Type.String(), { description: 'on EVM chains' }),
  signature: nullable(Type.String(), { description: 'on Solana' }),
  block: NullableCount('on EVM chains'),
  slot: NullableCount('on Solana'),
})
export type TruthRow = Static<typeof TruthRow>

const FIGURES = {
  swaps: Count,
  medianBps: integer(text.medianBps),
  medianSimulatedBps: nullable(Type.Integer(), { description: text.medianSimulatedBps }),
  medianGasBps: nullable(Type.Integer(), { description: text.medianGasBps }),
  lossBps: { ...Count, description: text.lossBps },
}
export const Delivered = Type.Object(
  {
    ...FIGURES,
    clients: Count,
    errorPerMille: { ...Count, description: text.errorPerMille },
    sizes: Type.Array(Type.Object({ size: Size, ...FIGURES })),
  },
  { description: text.delivered },
)
export type Delivered = Static<typeof Delivered>

/** A row, and what is not shown of it. */
interface Kept {
  readonly row: TruthRow
  /** What arrived less than stated, what was simulated less, and what gas was not used, all of what was stated; bps. */
  readonly short: number
  readonly simulatedShort: number | null
  readonly gasShort: number | null
  readonly client: number
  /** When the swap was built, Unix ms. */
  readonly builtAt: number
  /** By its block's time, days since 1970. */
  readonly day: number
}

/** Today, and the days before it. */
const KEPT_DAYS = 7
const DAY_MS = 86_400_000
const MAX_ROWS = 5_000
/** Of one client in a day: swaps on some chains cost next to nothing. */
const MAX_ROWS_OF_CLIENT = 100
const MAX_BETS_OF_CLIENT = 6
/** A start with enough digits that rounding down costs nothing that matters; all numbers stay exact integers. */
const STAKE = 2 ** 28
/** Quarters of a part of the stake. */
const BETS = [1, 2, 3, 4]
const ERROR_PER_MILLE = 1
const WINDOWS = KEPT_DAYS * (SIZES.length + 1)
const PROVED = (STAKE * BETS.length * WINDOWS * 1_000) / ERROR_PER_MILLE
const MAX_LOSS_BPS = 100
const BPS = 10_000n

const dayOf = (date: number): number => Math.floor(date / DAY_MS)

export class Truth {
  /** In the order in which they were found. */
  #rows: Kept[] = []
  /** By chain and provider. */
  readonly #judged = new Map<string, Delivered>()
  #today = 0
  readonly #clock: Clock

  constructor(clock: Clock = CLOCK) {
    this.#clock = clock
  }

  /** @param builtAt  when the swap was built, Unix ms */
  add(row: TruthRow, client: number, builtAt: number): void {
    this.#forget()
    // A block's clock may be ahead.
    const day = Math.min(dayOf(row.at), this.#today)
    if (day <= this.#today - KEPT_DAYS) return
    if (this.#rows.length >= MAX_ROWS) this.#dropUntil(Math.min(...this.#rows.map((one) => one.day)))
    const own = this.#rows.filter((one) => one.client === client && one.day === day)
    if (this.#rows.length >= MAX_ROWS || own.length >= MAX_ROWS_OF_CLIENT) return
    const short = shortIn(row.stated, row.got)!
    const simulatedShort = shortIn(row.stated, row.simulated)
    const gasShort = shortIn(row.gasStated, row.gasUsed)
    this.#rows.push({ row, short, simulatedShort, gasShort, client, builtAt, day })
    this.#judged.delete(keyOf(row.chain, row.provider))
  }

  /** JSON lines. */
  lines(): string {
    this.#forget()
    return this.#rows.map(({ row }) => `${JSON.stringify(row)}\n`).join('')
  }

  /** @returns null if there are no rows of it */
  of(chain: string, provider: string): Delivered | null {
    this.#forget()
    const key = keyOf(chain, provider)
    let judged = this.#judged.get(key) ?? null
    if (judged === null) {
      const rows = this.#rows.filter(({ row }) => keyOf(row.chain, row.provider) === key)
      if (rows.length > 0) this.#judged.set(key, (judged = judge(rows)))
    }
    return judged
  }

  /** The proved shortfalls by provider, bps. @param size  of the order, as in `lossFor` */
  lossesOf(chain: string, providers: readonly string[], size: SizeClass | null): Record<string, number> {
    const losses = () => Object.fromEntries(providers.map((one) => [one, lossFor(this.of(chain, one), size)]))
    return recorded(this.#clock, `losses ${chain}`, losses)
  }

  #forget(): void {
    const today = dayOf(this.#clock.date())
    if (today === this.#today) return
    this.#today = today
    this.#dropUntil(today - KEPT_DAYS)
  }

  /** Drops whole days, but not today: a window has all swaps since its day began. @param last  the last to go */
  #dropUntil(last: number): void {
    this.#rows = this.#rows.filter(({ day }) => day > last || day === this.#today)
    this.#judged.clear()
  }
}

/** By the stablecoin on either side; null if there is none. @param sides  tokens, with base units of each if known */
export function sizeOf(
  chain: string,
  ...sides: readonly (readonly [token: string, amount: bigint | null | undefined])[]
): SizeClass | null {
  for (const [token, amount] of sides) {
    const major = findMajor(chain, token)
    if (amount == null || major?.kind !== 'stablecoin') continue
    const whole = amount / 10n ** BigInt(major.decimals)
    return whole < MEDIUM ? 'small' : whole < LARGE ? 'medium' : 'large'
  }
  return null
}

/** What an order's offers are ranked with. @param size  null: unknown, so that the worst class counts */
export function lossFor(delivered: Delivered | null, size: SizeClass | null): number {
  const { lossBps = 0, sizes = [] } = delivered ?? {}
  const own = sizes.filter((one) => size === null || one.size === size)
  return Math.max(lossBps, ...own.map((one) => one.lossBps))
}

/** The shortfall in hundredths of a percent of the offer, rounded towards zero; negative if more arrived. */
export const shortBps = (offered: bigint, got: bigint): number => Number(((offered - got) * BPS) / offered)

const shortIn = (stated: string | null, got: string | null): number | null =>
  stated === null || got === null ? null : shortBps(BigInt(stated), BigInt(got))

const keyOf = (chain: string, provider: string): string => `${chain} ${provider}`

function judge(rows: readonly Kept[]): Delivered {
  const sizes = SIZES.map((size) => ({ size, own: rows.filter(({ row }) => row.size === size) }))
  return {
    ...figuresOf(rows),
    clients: new Set(rows.map(({ client }) => client)).size,
    errorPerMille: ERROR_PER_MILLE,
    sizes: sizes.flatMap(({ size, own }) => (own.length === 0 ? [] : { size, ...figuresOf(own) })),
  }
}

function figuresOf(rows: readonly Kept[]) {
  const days = [...new Set(rows.map(({ day }) => day))]
  return {
    swaps: rows.length,
    medianBps: medianOf(rows.map(({ short }) => short))!,
    medianSimulatedBps: medianOf(rows.flatMap(({ simulatedShort }) => simulatedShort ?? [])),
    medianGasBps: medianOf(rows.flatMap(({ gasShort }) => gasShort ?? [])),
    lossBps: Math.max(...days.map((first) => provedLoss(rows.filter(({ day }) => day >= first)))),
  }
}

/** The median shortfall of the swaps that bet, at the moment when they accuse; 0 if they don't. */
function provedLoss(rows: readonly Kept[]): number {
  const betsOf = new Map<number, number>()
  const shorts: number[] = []
  const parts = BETS.map(() => STAKE)
  let lastAt = 0
  for (const { row, short, client, builtAt } of rows) {
    const bets = betsOf.get(client) ?? 0
    if (builtAt < lastAt || bets === MAX_BETS_OF_CLIENT) continue
    betsOf.set(client, bets + 1)
    lastAt = row.at
    shorts.push(short)
    let sum = 0
    for (const [i, bet] of BETS.entries()) {
      parts[i] = Math.floor((parts[i]! * (short > 0 ? 4 + bet : 4 - bet)) / 4)
      sum += parts[i]
    }
    if (sum >= PROVED) return Math.min(medianOf(shorts)!, MAX_LOSS_BPS)
  }
  return 0
}

/** The lower of two. */
const medianOf = (values: readonly number[]): number | null =>
  values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? null
