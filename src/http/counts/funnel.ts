/**
 * How far swaps get, by UTC day: quotes answered, builds handed out, transactions that a node took,
 * transactions seen in a block. It only counts: the steps of one swap are not linked, and no client is
 * identified.
 *
 * It is in memory, and lost at a restart; `since` says when counting began.
 */
import { type Static, Type } from 'typebox'
import type { Family } from '../../chains/definition.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { integer } from '../../runtime/resources/shared.ts'

const STEPS = ['quote', 'build', 'submit', 'confirmed'] as const
type FunnelStep = (typeof STEPS)[number]

const FAMILIES = ['evm', 'solana', 'sui', 'ton'] as const satisfies readonly Family[]
const CELLS = STEPS.length * FAMILIES.length

/** Today, and the days before it. */
export const KEPT_DAYS = 90
const DAY_MS = 86_400_000

const Count = Type.Integer({ minimum: 0 })
/** Null for a family whose transactions are signed, and usually sent, elsewhere. */
const Seen = (description: string) => Type.Union([Count, Type.Null()], { description })

const Steps = {
  quote: { ...Count, description: 'answers of GET /api/quote and /api/v2quote' },
  build: { ...Count, description: 'builds that were handed out' },
}
const Totals = Type.Object({
  ...Steps,
  submit: { ...Count, description: 'transactions that a node took from the relay, each once' },
  confirmed: { ...Count, description: 'of those, the ones that were seen in a block without an error' },
})
const OfFamily = Type.Object({
  ...Steps,
  submit: Seen('null if transactions do not go through this gateway, so that nobody counts them'),
  confirmed: Seen('the same'),
})
const Families = Type.Object(Object.fromEntries(FAMILIES.map((family) => [family, OfFamily])))
const Day = Type.String({ format: 'date', description: 'UTC' })
const Since = Type.String({
  format: 'date-time',
  description: 'when counting began: what was before is not known',
})

export const FunnelDays = Type.Object({
  since: Since,
  asOf: integer('Unix ms'),
  today: Type.Object({ day: Day, totals: Totals, families: Families }),
  days: Type.Array(Type.Object({ day: Day, totals: Totals }), {
    description: `the days before today since counting began, the newest first, at most ${KEPT_DAYS - 1}`,
  }),
})
export type FunnelDays = Static<typeof FunnelDays>

const Bps = (description: string) => Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description })

export const FunnelSummary = Type.Object({
  since: Since,
  asOf: integer('Unix ms'),
  from: { ...Day, description: 'the first of the days that are counted, UTC; not before counting began' },
  to: { ...Day, description: 'today, UTC' },
  totals: Totals,
  families: Families,
  conversion: Type.Object(
    {
      quoteToBuildBps: Bps('of all families'),
      buildToSubmitBps: Bps('of Solana: other transactions are sent elsewhere'),
      submitToConfirmedBps: Bps('of Solana'),
    },
    {
      description:
        'in hundredths of a percent, rounded; null if there is nothing to divide by. Above 10000 where more came than went out, as the relay takes transactions that were built elsewhere',
    },
  ),
})
export type FunnelSummary = Static<typeof FunnelSummary>

type Totals = Static<typeof Totals>

/** The counts of one day, by family and step. */
interface DayCounts {
  /** Days since 1970. */
  day: number
  readonly counts: Float64Array
}

export class Funnel {
  readonly #clock: Clock
  readonly #since: number
  /** A day's counts are at its number modulo the length. */
  readonly #rows: readonly DayCounts[]

  constructor(clock: Clock = CLOCK) {
    this.#clock = clock
    this.#since = clock.date()
    const cells = new Float64Array(KEPT_DAYS * CELLS)
    const countsOf = (i: number) => cells.subarray(i * CELLS, (i + 1) * CELLS)
    this.#rows = Array.from({ length: KEPT_DAYS }, (_, i) => ({ day: -1, counts: countsOf(i) }))
  }

  count(step: FunnelStep, family: Family): void {
    const day = this.#today()
    const row = this.#rows[day % KEPT_DAYS]!
    if (row.day !== day) {
      row.day = day
      row.counts.fill(0)
    }
    row.counts[cellOf(step, family)]!++
  }

  days(): FunnelDays {
    const today = this.#today()
    const first = Math.max(dayOf(this.#since), today - KEPT_DAYS + 1)
    const earlier: FunnelDays['days'] = []
    for (let day = today - 1; day >= first; day--) {
      earlier.push({ day: nameOf(day), totals: totalsOf(this.#countsOf(day)) })
    }
    const counts = this.#countsOf(today)
    return {
      ...this.#times(),
      today: { day: nameOf(today), totals: totalsOf(counts), families: familiesOf(counts) },
      days: earlier,
    }
  }

  /** @param days  how many days, including today */
  summary(days: number): FunnelSummary {
    const today = this.#today()
    const first = Math.min(today, Math.max(dayOf(this.#since), today - days + 1))
    const counts = new Float64Array(CELLS)
    for (let day = first; day <= today; day++) {
      const more = this.#countsOf(day)
      for (let cell = 0; cell < CELLS; cell++) counts[cell]! += more[cell]!
    }
    const [totals, families] = [totalsOf(counts), familiesOf(counts)]
    const { build, submit, confirmed } = families.solana!
    return {
      ...this.#times(),
      from: nameOf(first),
      to: nameOf(today),
      totals,
      families,
      conversion: {
        quoteToBuildBps: bpsOf(totals.build, totals.quote),
        buildToSubmitBps: bpsOf(submit!, build),
        submitToConfirmedBps: bpsOf(confirmed!, submit!),
      },
    }
  }

  #times(): Pick<FunnelDays, 'since' | 'asOf'> {
    return { since: new Date(this.#since).toISOString(), asOf: this.#clock.date() }
  }

  #today(): number {
    return dayOf(this.#clock.date())
  }

  #countsOf(day: number): Float64Array {
    const row = this.#rows[day % KEPT_DAYS]!
    return row.day === day ? row.counts : NOTHING
  }
}

const NOTHING = new Float64Array(CELLS)

const dayOf = (date: number): number => Math.floor(date / DAY_MS)
const nameOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

const cellOf = (step: FunnelStep, family: Family): number =>
  FAMILIES.indexOf(family) * STEPS.length + STEPS.indexOf(step)

function totalsOf(counts: Float64Array): Totals {
  const totals = STEPS.map((step) => [
    step,
    FAMILIES.reduce((sum, family) => sum + counts[cellOf(step, family)]!, 0),
  ])
  return Object.fromEntries(totals) as Totals
}

function familiesOf(counts: Float64Array): Static<typeof Families> {
  const rows = FAMILIES.map((family) => {
    const countOf = (step: FunnelStep): number => counts[cellOf(step, family)]!
    const isRelayed = family === 'solana'
    return [
      family,
      {
        quote: countOf('quote'),
        build: countOf('build'),
        submit: isRelayed ? countOf('submit') : null,
        confirmed: isRelayed ? countOf('confirmed') : null,
      },
    ]
  })
  return Object.fromEntries(rows) as Static<typeof Families>
}

function bpsOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part * 10_000) / whole)
}
