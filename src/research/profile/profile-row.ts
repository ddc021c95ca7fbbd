/**
 * A profile's row, assembled from its sources' market data. The price, its time
 * and as much else as possible come from one source; the others fill the gaps.
 *
 * Source: §2 TokenRow
 */
import { findMajor } from '../../chains/majors.ts'
import { listedAs } from '../../providers/market/listed-as.ts'
import type { MarketRow, RowExtras, Security, TokenId } from '../../providers/market/market.ts'
import type { TokenRow } from '../../runtime/resources/tokens.ts'
import { isPriceStale } from '../list/price-age.ts'
import { summarizeRisk } from '../list/risk.ts'
import { lasting, toExtras } from '../list/row-extras.ts'
import type { PartValue, ProfileAnswers } from './profile-answers.ts'

/** @param at  when it is shown, ms epoch */
export function toRow(token: TokenId, answers: ProfileAnswers, at: number): TokenRow {
  const rows = answers.of('row')
  const main = mainRow(rows)
  const values = (main === null ? rows : [main, ...rows.filter((row) => row !== main)]).map(
    ({ value }) => value,
  )
  const major = findMajor(token.chain, token.address)
  const security = answers.of('security')
  const locks = answers.of('lp')
  const price = main?.value.price ?? null
  const names = {
    symbol: major?.symbol ?? firstOf(values, 'symbol'),
    name: major?.name ?? firstOf(values, 'name'),
  }
  return {
    ...token,
    ...names,
    ...(major === null ? {} : { decimals: major.decimals }),
    price,
    priceTs: price === null ? null : main!.value.priceTs,
    priceStale: price !== null && (main!.isStale || isPriceStale(main!.value.priceTs, at)),
    mcap: firstOf(values, 'mcap'),
    fdv: firstOf(values, 'fdv'),
    liq: firstOf(values, 'liq'),
    vol24: firstOf(values, 'vol24'),
    holders: firstOf(values, 'holders'),
    ...toExtras(
      { ...token, ...names },
      extrasOf(values, answers),
      securityOf(security),
      isQuotedAsWrapper(token),
    ),
    // Markets list a native coin's wrapper, whose supply and holders are only part of the coin's.
    ...(isQuotedAsWrapper(token) ? { mcap: null, fdv: null, holders: null } : {}),
    security: security.length === 0 ? null : bySource(security, summarizeRisk),
    lp: locks.length === 0 ? null : bySource(locks, (lock, at) => ({ at, ...lock })),
    metaTs: newest(security.map(({ value }) => value.at)),
    profileTs: newest(answers.of('about').map(({ at }) => at)),
  }
}

/** The first row with a price, else the first row; null if there is none. */
export function mainRow(rows: readonly PartValue<'row'>[]): PartValue<'row'> | null {
  return rows.find(({ value }) => value.price !== null) ?? rows[0] ?? null
}

/** Each source's findings, side by side: one source's findings do not clear another's. */
export function bySource<P extends 'security' | 'lp', T>(
  given: readonly PartValue<P>[],
  show: (value: PartValue<P>['value'], at: number) => T,
): Record<string, T> {
  return Object.fromEntries(given.map(({ provider, value, at }) => [provider, show(value, at)]))
}

/** Each extra from the first source that has it; `firstPoolAt` is the oldest of all sources. */
function extrasOf(rows: readonly MarketRow[], answers: ProfileAnswers): RowExtras {
  const extras = Object.assign(
    {},
    ...rows.toReversed().map((row) => ({ ...lasting(row), ...changesOf(row) })),
  )
  const image = extras.image ?? answers.of('about').find(({ value }) => value.image !== null)?.value.image
  const pools = answers.of('early').flatMap(({ value }) => value)
  const times = pools.flatMap((entry) => (entry.kind === 'pool' ? (entry.at ?? []) : []))
  const first = Math.min(...rows.flatMap(({ firstPoolAt }) => firstPoolAt ?? []), ...times)
  return {
    ...extras,
    ...(image != null && { image }),
    ...(Number.isFinite(first) && { firstPoolAt: first }),
  }
}

const changesOf = ({ changes }: RowExtras): RowExtras => (changes === undefined ? {} : { changes })

export function securityOf(given: readonly PartValue<'security'>[]): [string, Security][] {
  return given.map(({ provider, value }) => [provider, value])
}

/** The first row's value that is known. */
export function firstOf<Row, Name extends keyof Row>(
  rows: readonly Row[],
  name: Name,
): NonNullable<Row[Name]> | null {
  return rows.find((row) => row[name] != null)?.[name] ?? null
}

/** Whether markets list only its wrapper, as for the native coins of EVM chains. */
export function isQuotedAsWrapper({ chain, address }: TokenId): boolean {
  return listedAs(chain, address) !== address
}

function newest(times: readonly number[]): number | null {
  return times.length === 0 ? null : Math.max(...times)
}
