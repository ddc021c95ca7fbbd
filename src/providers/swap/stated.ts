/**
 * A provider's unchecked words and figures, for an answer's member `stated`: bounded, and in one spelling. A
 * value of another form is null, or left out of its list. Nothing that is checked uses these values.
 */

const MAX_ITEMS = 100
/** Seconds: no cross-chain swap takes a year. */
const MAX_SECONDS = 31_536_000

/**
 * Names of exchanges, bridges and fees, such as `Meteora DLMM`; and ids, such as `cc51...0ff2:0`. An address
 * never matches.
 */
const WORD = /^(?!0[xX][0-9A-Fa-f]{40})[A-Za-z0-9][A-Za-z0-9 ._:+/()&#-]{0,127}$/
const INTEGER = /^\d{1,78}$/
const DECIMAL = /^(\d{1,30})(\.\d{1,30})?$/

/** @returns printable ASCII on one line, without quotes and brackets; null for another text */
export function statedWord(value: unknown): string | null {
  return typeof value === 'string' && WORD.test(value) ? value.trimEnd() : null
}

/** @returns the words of a list, each once */
export function statedWords(values: readonly unknown[]): readonly string[] {
  const words = values.slice(0, MAX_ITEMS).map(statedWord)
  return [...new Set(words.filter((word) => word !== null))]
}

/** @returns decimal, without leading zeros */
export function statedInteger(value: unknown): string | null {
  return typeof value === 'string' && INTEGER.test(value) ? BigInt(value).toString() : null
}

/** @returns decimal text, without leading zeros; every digit after the point stays */
export function statedDecimal(value: unknown): string | null {
  const [, whole, fraction = ''] = (typeof value === 'string' && DECIMAL.exec(value)) || []
  return whole === undefined ? null : `${BigInt(whole)}${fraction}`
}

/**
 * @param units  decimal text. @param bytes  of calldata, approximately. @returns an offer's member `gas`; no
 * member if the units are malformed
 */
export function statedGas(units: string, bytes: number): { readonly gas?: { units: number; bytes: number } } {
  return /^[1-9]\d{0,9}$/.test(units) ? { gas: { units: Number(units), bytes } } : {}
}

/** @returns seconds, not negative */
export function statedSeconds(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= MAX_SECONDS ? value + 0 : null
}

/** @returns the items of a list of objects, at most MAX_ITEMS */
export function statedItems(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  const items: readonly unknown[] = Array.isArray(value) ? value.slice(0, MAX_ITEMS) : []
  return items.filter((item) => typeof item === 'object' && item !== null) as never
}

/**
 * A swap's loss against the market, from the dollar values that a provider gives for both sides. For display only.
 * @param inUsd, outUsd  decimal text; zero or empty if the provider knows no price
 * @returns percent, positive is a loss; null when unknown
 */
export function priceImpactPct(inUsd: string, outUsd: string): number | null {
  const paid = Number(inUsd)
  const got = Number(outUsd)
  if (!(paid > 0 && got > 0) || paid === Infinity || got === Infinity) return null
  return Math.round(((paid - got) / paid) * 1_000_000) / 10_000
}
