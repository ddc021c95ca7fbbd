/**
 * The token list's state as instances share it: what sources said about each
 * token, and when they were asked. The operator's tokens, the risk filter and the
 * rows are not part of it; each instance derives them. The reader continues
 * where the writer stopped and asks no source a second time.
 */
import { type Static, Type } from 'typebox'
import { type MarketRow, type RiskFlags, UNKNOWN_FLAGS } from '../../providers/market/market.ts'
import type { Clock } from '../../runtime/clock.ts'
import { nullable } from '../../runtime/resources/shared.ts'
import { compile } from '../../runtime/validate.ts'
import type { Codec } from '../../upstream/answers/shared-answers.ts'
import type { SecuritySummary } from './risk.ts'

/** A token and what sources said about it. `askedAt` and `checkedAt` are monotonic, ms. */
export interface EntryState {
  readonly chain: string
  readonly address: string
  readonly row: MarketRow | null
  readonly security: readonly (readonly [source: string, summary: SecuritySummary])[]
  readonly quotedBy: string | null
  readonly priceBy: string | null
  readonly askedAt: number
  readonly checkedAt: readonly (readonly [source: string, at: number])[]
}

/** The discovered books. Times are monotonic, ms, except `updatedAt`, which is ms epoch. */
export interface BooksState {
  readonly finds: Readonly<Record<string, readonly (readonly [chain: string, address: string, at: number])[]>>
  readonly updatedAt: Readonly<Record<string, number | null>>
  /** When each discovery is asked next. */
  readonly dueAt: readonly (readonly [discovery: string, at: number])[]
}

export interface ListSnapshot {
  /** When all of it was gathered: ms epoch, and monotonic, ms. */
  readonly updatedAt: number
  readonly endedAt: number
  readonly entries: readonly EntryState[]
  readonly books: BooksState
  /** When rate-limited row sources were last asked. */
  readonly rowsAskedAt: readonly (readonly [source: string, at: number])[]
  readonly pricesAskedAt: number
}

const Figure = nullable(Type.Number())
/** Time since it was asked, ms; null if it never was. */
const AskedAge = nullable(Type.Number())
const Ages = Type.Array(Type.Tuple([Type.String(), AskedAge]))
const EncodedRow = Type.Object({
  chain: Type.String(),
  address: Type.String(),
  symbol: nullable(Type.String()),
  name: nullable(Type.String()),
  price: Figure,
  priceTs: Type.Number(),
  mcap: Figure,
  liq: Figure,
  vol24: Figure,
  liqOf: Type.Optional(Type.Enum(['pool'])),
  holders: Figure,
  fdv: Type.Optional(Figure),
  image: Type.Optional(Type.String({ pattern: '^https://' })),
  firstPoolAt: Type.Optional(Type.Number()),
  launchpad: Type.Optional(Type.String()),
  changes: Type.Optional(
    Type.Record(Type.String(), Type.Object({ pricePct: Figure, buys: Figure, sells: Figure })),
  ),
  creatorPct: Type.Optional(Type.Number()),
  topTenPct: Type.Optional(Type.Number()),
})
const EncodedSecurity = Type.Object({
  at: Type.Number(),
  flags: Type.Record(Type.String(), Type.Union([Type.Boolean(), Type.Number(), Type.Null()])),
  verified: Type.Optional(Type.Boolean()),
})
const EncodedEntry = Type.Object({
  chain: Type.String(),
  address: Type.String(),
  row: nullable(EncodedRow),
  security: Type.Array(Type.Tuple([Type.String(), EncodedSecurity])),
  quotedBy: nullable(Type.String()),
  priceBy: nullable(Type.String()),
  asked: AskedAge,
  checked: Ages,
})
const EncodedSnapshot = Type.Object({
  ended: Type.Number(),
  updatedAt: Type.Number(),
  entries: Type.Array(EncodedEntry),
  finds: Type.Record(Type.String(), Type.Array(Type.Tuple([Type.String(), Type.String(), Type.Number()]))),
  booksUpdatedAt: Type.Record(Type.String(), nullable(Type.Number())),
  due: Ages,
  rowsAsked: Ages,
  pricesAsked: AskedAge,
})
type EncodedEntry = Static<typeof EncodedEntry>

export function listSnapshotCodec(clock: Clock): Codec<ListSnapshot> {
  const validator = compile(EncodedSnapshot)
  return {
    write({ endedAt, updatedAt, entries, books, rowsAskedAt, pricesAskedAt }) {
      const now = clock.now()
      const age = (at: number): number | null => (Number.isFinite(at) ? now - at : null)
      const ages = (times: readonly (readonly [string, number])[]) =>
        times.map(([name, at]) => [name, age(at)])
      return JSON.stringify({
        ended: age(endedAt),
        updatedAt,
        entries: entries.map(({ askedAt, checkedAt, ...entry }) => ({
          ...entry,
          asked: age(askedAt),
          checked: ages(checkedAt),
        })),
        finds: Object.fromEntries(
          Object.entries(books.finds).map(([book, finds]) => [
            book,
            finds.map(([chain, address, at]) => [chain, address, now - at]),
          ]),
        ),
        booksUpdatedAt: books.updatedAt,
        due: ages(books.dueAt),
        rowsAsked: ages(rowsAskedAt),
        pricesAsked: age(pricesAskedAt),
      })
    },
    read(text, { ageMs, skewMs }) {
      const value: unknown = JSON.parse(text)
      if (!validator.Check(value)) return null
      const writtenAt = clock.now() - ageMs
      const time = (age: number | null): number => (age === null ? Number.NEGATIVE_INFINITY : writtenAt - age)
      const times = (ages: readonly (readonly [string, number | null])[]) =>
        ages.map(([name, age]) => [name, time(age)] as const)
      const date = (at: number | null): number | null => at && at + skewMs
      return {
        endedAt: time(value.ended),
        updatedAt: value.updatedAt + skewMs,
        entries: value.entries.map((entry) => ({
          ...toState(entry, skewMs),
          askedAt: time(entry.asked),
          checkedAt: times(entry.checked),
        })),
        books: {
          finds: Object.fromEntries(
            Object.entries(value.finds).map(([book, finds]) => [
              book,
              finds.map(([chain, address, age]) => [chain, address, time(age)] as const),
            ]),
          ),
          updatedAt: Object.fromEntries(
            Object.entries(value.booksUpdatedAt).map(([book, at]) => [book, date(at)]),
          ),
          dueAt: times(value.due),
        },
        rowsAskedAt: times(value.rowsAsked),
        pricesAskedAt: time(value.pricesAsked),
      }
    },
  }
}

function toState({ chain, address, row, security, quotedBy, priceBy }: EncodedEntry, skewMs: number) {
  return {
    chain,
    address,
    quotedBy,
    priceBy,
    row: row && ({ ...row, priceTs: row.priceTs + skewMs } as MarketRow),
    security: security.map(([source, { at, flags, ...rest }]): EntryState['security'][number] => [
      source,
      { ...rest, at: at + skewMs, flags: { ...UNKNOWN_FLAGS, ...(flags as Partial<RiskFlags>) } },
    ]),
  }
}
