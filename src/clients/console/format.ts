/** Formats numbers and times: short, and no more precise than the data. */

const LOCALE = 'en-US'

const compact = new Intl.NumberFormat(LOCALE, {
  notation: 'compact',
  minimumSignificantDigits: 3,
  maximumSignificantDigits: 3,
})
const grouped = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 })
const cents = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const small = new Intl.NumberFormat(LOCALE, { minimumSignificantDigits: 4, maximumSignificantDigits: 4 })
const two = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 2 })
const six = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 6 })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const minute = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

/** A unit price in dollars: two decimals from a dollar up, four significant digits below: `$0.0₅9840`. */
export function price(dollars: number): string {
  if (dollars === 0) return '$0'
  return `$${Math.abs(dollars) >= 1 ? cents.format(dollars) : zerosCounted(small.format(dollars))}`
}

/** Four or more zeros after the point as their count: `0.00000984` becomes `0.0₅984`. */
export function zerosCounted(text: string): string {
  return text.replace(/^(-?0\.)(0{4,})(?=[1-9])/, (_, point: string, { length }: string) => {
    const digits = [...String(length)].map((digit) => String.fromCodePoint(0x2080 + Number(digit)))
    return `${point}0${digits.join('')}`
  })
}

/** A sum in dollars: to the cent below 10,000, three digits from there. */
export function dollars(sum: number): string {
  if (sum === 0) return '$0'
  return Math.abs(sum) < 10_000 ? `$${cents.format(sum)}` : `$${compact.format(sum)}`
}

/** An estimate in dollars: two decimals from a dollar up, two digits below, and no less than a cent. */
export function estimate(sum: number): string {
  if (sum > 0 && sum < 0.01) return '<$0.01'
  return Math.abs(sum) >= 1 ? price(sum) : `$${zerosCounted(two.format(sum))}`
}

/** An amount of a token: six significant digits. */
export function amount(value: number): string {
  return Math.abs(value) >= 10_000 ? grouped.format(value) : zerosCounted(six.format(value))
}

/** Base units as an exact decimal number. */
export function decimal(base: string, decimals: number): string {
  const digits = base.padStart(decimals + 1, '0')
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  const whole = digits.slice(0, digits.length - decimals)
  return decimals === 0 || fraction === '' ? whole : `${whole}.${fraction}`
}

const DIGITS = 6

/** An exact decimal number cut, never rounded up, to six significant digits, or to all before the point. */
export function sixDigits(exact: string): string {
  const [whole = '0', fraction = ''] = exact.split('.')
  const isBelowOne = whole === '0'
  const zeros = isBelowOne ? /^0*/.exec(fraction)![0].length : 0
  const kept = zeros + Math.max(0, DIGITS - (isBelowOne ? 0 : whole.length))
  const text = fraction.slice(0, kept).replace(/0+$/, '')
  return text === '' ? whole : `${whole}.${text}`
}

/** The same to read: `6,480.31`. */
export const short = (exact: string): string =>
  zerosCounted(sixDigits(exact).replace(/\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/g, ','))

export function count(value: number): string {
  return Math.abs(value) < 10_000 ? grouped.format(value) : compact.format(value)
}

/** `1 token`, `2 tokens`. */
export const counted = (n: number, noun: string): string => `${count(n)} ${noun}${n === 1 ? '' : 's'}`

/** A movement, with an arrow for its direction: `▼ 1.30%`. @param value  in percent */
export function change(value: number): string {
  const text = `${cents.format(Math.abs(value))}%`
  return text === '0.00%' ? text : `${value > 0 ? '▲' : '▼'} ${text}`
}

/** The class of a movement. */
export const trendOf = (value: number | null | undefined): string => (!value ? '' : value > 0 ? 'up' : 'down')

/** A share. @param value  in percent */
export function percent(value: number): string {
  return `${grouped.format(value)}%`
}

export function ms(value: number): string {
  if (value >= 1_000) return `${(value / 1_000).toFixed(value >= 10_000 ? 0 : 1)} s`
  return `${value >= 10 ? Math.round(value) : value.toFixed(value >= 1 ? 1 : 2)} ms`
}

/** `12:03:41`; of another day its date, without seconds. @param at  ms of the wall clock */
export function time(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString()
  return isToday ? clock.format(at) : `${day.format(at)}, ${minute.format(at)}`
}

/** `12:03`. @param at  ms of the wall clock */
export function moment(at: number): string {
  return minute.format(at)
}

/** A duration in one unit: "8 s", "12 min", "3 h", "5 days". */
export function age(sinceMs: number): string {
  const seconds = Math.max(0, Math.round(sinceMs / 1_000))
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}

/** An upstream's failure: "upstream_failed 503, 8 s ago". */
export function failure(of: { code: string; status: number | null; agoMs: number }): string {
  return `${of.code}${of.status === null ? '' : ` ${of.status}`}, ${age(of.agoMs)} ago`
}

/** The first six and the last four characters, which people compare. */
export function shortAddress(address: string): string {
  return address.length <= 14 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`
}

/** A message of the API without the marks around its names. */
export const plain = (message: string): string => message.replaceAll('`', '')

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The texts that are there, in one. */
export const joined = (by: string, ...parts: readonly (string | false)[]): string =>
  parts.filter((part) => part !== false && part !== '').join(by)
