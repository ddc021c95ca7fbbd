/** Filters the list's rows, and derives a price history from their figures. */
import type { TokenRow } from '../../../client/index.ts'

/** The chains of the rows, sorted by name. */
export function chainsOf(rows: readonly TokenRow[]): readonly string[] {
  return [...new Set(rows.map(({ chain }) => chain))].sort()
}

const EVM = /^0x[0-9a-fA-F]{40}$/
/** Longer than any name that is searched, and without blanks. */
const ADDRESS = /^[0-9A-Za-z_:-]{32,200}$/

/**
 * The chains that a pasted address may belong to; none if it isn't an address. @param chain  the chosen one
 */
export function chainsOfAddress(
  text: string,
  chain: string | null,
  rows: readonly Pick<TokenRow, 'chain' | 'address'>[],
): readonly string[] {
  const isEvm = EVM.test(text)
  if (!isEvm && !ADDRESS.test(text)) return []
  const isOf = (key: string): boolean =>
    rows.some((row) => row.chain === key && EVM.test(row.address)) === isEvm
  return chain ? [chain] : [...new Set(rows.map((row) => row.chain))].sort().filter(isOf)
}

/** A sandbox token for a case that goes wrong: its name ends in that. Elsewhere a name means nothing. */
const isTestCase = ({ name }: Pick<TokenRow, 'name'>, isSandbox: boolean): boolean =>
  isSandbox && name?.endsWith('(sandbox)') === true

/** The list of the sandbox's test cases, as `book` in the URL. */
export const TEST_CASES = 'cases'

export const asksForCases = (parameters: URLSearchParams, isSandbox: boolean): boolean =>
  isSandbox && parameters.get('book') === TEST_CASES

/** Test cases are in no other list than theirs. @param parameters  with `book` */
function inBook(row: TokenRow, parameters: URLSearchParams, isSandbox: boolean): boolean {
  if (asksForCases(parameters, isSandbox)) return isTestCase(row, isSandbox)
  const book = parameters.get('book')
  return !book || (row.book === book && !isTestCase(row, isSandbox))
}

/** The ranked tokens, with test cases last, so that they never top a ranking. */
export const casesLast = (rows: readonly TokenRow[], isSandbox: boolean): readonly TokenRow[] =>
  rows.toSorted((a, b) => Number(isTestCase(a, isSandbox)) - Number(isTestCase(b, isSandbox)))

/** The first row of each asset, then the others: a coin of many chains does not fill the first screen. */
export function assetsFirst(rows: readonly TokenRow[]): readonly TokenRow[] {
  const assetOf = ({ book, symbol, chain, address }: TokenRow): string =>
    book === 'majors' && symbol ? symbol.replace(/^W(?=[A-Z]+$)|0$/g, '') : `${chain} ${address}`
  const first = new Map(rows.toReversed().map((row) => [assetOf(row), row]))
  const isFirst = (row: TokenRow): boolean => first.get(assetOf(row)) === row
  return [...rows.filter(isFirst), ...rows.filter((row) => !isFirst(row))]
}

/** @param parameters  `q` matches a part of the symbol or name, or the beginning of the address */
export function matching(
  rows: readonly TokenRow[],
  parameters: URLSearchParams,
  isSandbox: boolean,
): readonly TokenRow[] {
  const text = (parameters.get('q') ?? '').trim().toLowerCase()
  const chain = parameters.get('chain')
  return rows.filter(
    (row) =>
      (!chain || row.chain === chain) &&
      inBook(row, parameters, isSandbox) &&
      (text === '' ||
        [row.symbol, row.name].some((name) => name?.toLowerCase().includes(text)) ||
        row.address.toLowerCase().startsWith(text)),
  )
}

const SPANS = { h24: 24, h6: 6, h1: 1, m5: 1 / 12 }

/**
 * The list's own hourly prices of the row, before these the prices that follow from its changes over 24, 6 and 1 hours
 * and 5 minutes, and its price now. Null if fewer than two earlier ones are known.
 */
export function historyOf({ price, changes, hourly = [] }: TokenRow) {
  if (price === null || price === undefined) return null
  const now = hourly.length - 1
  const own = hourly.flatMap((one, i) =>
    one === null || i === now ? [] : [{ hoursAgo: now - i, price: one }],
  )
  const derived = Object.entries(SPANS).flatMap(([span, hoursAgo]) => {
    const percent = changes?.[span as keyof typeof SPANS]?.pricePct ?? -100
    return percent <= -100 || hoursAgo <= (own[0]?.hoursAgo ?? 0)
      ? []
      : [{ hoursAgo, price: price / (1 + percent / 100) }]
  })
  const earlier = [...derived, ...own]
  return earlier.length < 2 ? null : [...earlier, { hoursAgo: 0, price }]
}
