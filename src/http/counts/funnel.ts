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
import { Count, integer, NullableCount } from '../../runtime/resources/shared.ts'
import { recorded } from '../../runtime/tape.ts'
import texts from './texts.json' with { type: 'json' }

const { funnel: text } = texts

const STEPS = ['quote', 'build', 'submit', 'confirmed'] as const
type FunnelStep = (typeof STEPS)[number]

const FAMILIES = ['evm', 'solana', 'sui', 'ton'] as const satisfies readonly Family[]

/** Today, and the days before it. */
export const KEPT_DAYS = 90
const DAY_MS = 86_400_000

const Totals = Type.Object({
  quote: { ...Count, description: 'answers of GET /api/quote and /api/v2quote' },
  build: { ...Count, description: 'builds that were handed out' },
  submit: { ...Count, description: 'transactions that a node took from the relay, each once' },
  confirmed: { ...Count, description: text.confirmed },
})
/** Of a family whose transactions are signed, and usually sent, elsewhere, these are null. */
const OfFamily = Type.Object({
  ...Totals.properties,
  submit: NullableCount(text.submit),
  confirmed: NullableCount('the same'),
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

export const FunnelSummary = Type.Object({
  since: Since,
  asOf: integer('Unix ms'),
  from: { ...Day, description: text.from },
  to: { ...Day, description: 'today, UTC' },
  totals: Totals,
  families: Families,
  conversion: Type.Object(
    {
      quoteToBuildBps: NullableCount('of all families'),
      buildToSubmitBps: NullableCount('of Solana: other transactions are sent elsewhere'),
      submitToConfirmedBps: NullableCount('of Solana'),
    },
    { description: text.conversion },
  ),
})
export type FunnelSummary = Static<typeof FunnelSummary>

type Totals = Static<typeof Totals>

type DayCounts = Record<Family, Record<FunnelStep, number>>

export class Funnel {
  readonly #clock: Clock
  readonly #since: number
  /** By days since 1970, those with a count. */
  readonly #days = new Map<number, DayCounts>()

  constructor(clock: Clock = CLOCK, since: number = clock.date()) {
    this.#clock = clock
    this.#since = since
  }

  /** @param at  ms epoch */
  count(step: FunnelStep, family: Family, at: number = this.#clock.date()): void {
    const today = dayOf(at)
    let counts = this.#days.get(today)
    if (counts === undefined) {
      this.#days.set(today, (counts = nothing()))
      for (const day of this.#days.keys()) if (day <= today - KEPT_DAYS) this.#days.delete(day)
    }
    counts[family][step]++
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
    return recorded(this.#clock, `funnel ${days}`, () => this.#summary(days))
  }

  #summary(days: number): FunnelSummary {
    const today = this.#today()
    const first = Math.min(today, Math.max(dayOf(this.#since), today - days + 1))
    const counts = nothing()
    for (let day = first; day <= today; day++) {
      const more = this.#countsOf(day)
      for (const family of FAMILIES) for (const step of STEPS) counts[family][step] += more[family][step]
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

  #countsOf(day: number): DayCounts {
    return this.#days.get(day) ?? nothing()
  }
}

function nothing(): DayCounts {
  const rows = FAMILIES.map((family) => [family, { quote: 0, build: 0, submit: 0, confirmed: 0 }])
  return Object.fromEntries(rows) as DayCounts
}

const dayOf = (date: number): number => Math.floor(date / DAY_MS)
const nameOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

function totalsOf(counts: DayCounts): Totals {
  const sumOf = (step: FunnelStep): number => FAMILIES.reduce((sum, family) => sum + counts[family][step], 0)
  return Object.fromEntries(STEPS.map((step) => [step, sumOf(step)])) as Totals
}

function familiesOf(counts: DayCounts): Static<typeof Families> {
  const elsewhere = { submit: null, confirmed: null }
  return Object.fromEntries(
    FAMILIES.map((family) => [family, { ...counts[family], ...(family !== 'solana' && elsewhere) }]),
  )
}

function bpsOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part * 10_000) / whole)
}
