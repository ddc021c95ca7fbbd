/**
 * What market providers say of tokens is written by whoever made the token, or
 * is repeated from them: names that turn the text around them, numbers that
 * are none, links to anywhere. This is where it becomes fit to be shown. What
 * cannot be is null, and an item of a list that cannot be is left out.
 *
 * Source: Unicode Technical Standard #39, section 4 · UAX #9 (bidirectional
 * controls) · RFC 8259 section 6 (numbers) · WHATWG URL
 */
import type { Static, TSchema } from 'typebox'
import { parseAddress, parseToken } from '../../chains/address.ts'
import { findChain } from '../../chains/find.ts'
import { compile, type Validator } from '../../runtime/validate.ts'

const WHITESPACE = /[\p{Z}\t\n\v\f\r\u0085]+/gu
/**
 * Control characters, bidirectional controls and whatever else has no glyph of
 * its own, lone surrogates included. The joiners and the presentation selectors
 * stay, because emoji and several scripts are written with them.
 */
const HIDDEN =
  /(?!\p{Join_Control}|\ufe0e|\ufe0f|[\t\n\v\f\r\u0085])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu
const LEADING = /^(?: |\p{Join_Control}|\ufe0e|\ufe0f)+/u
const TRAILING = /(?: |\p{Join_Control})+$/u

const DECIMAL = /^\d{1,100}(\.\d{1,100})?([eE][+-]?\d{1,3})?$/
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/
/**
 * Where Solana's tokens have their images, as their makers put them there: public stores that are nobody's, so that
 * whoever looks at an image tells no maker of it.
 */
export const TOKEN_IMAGE_HOSTS: ReadonlySet<string> = new Set([
  'arweave.net',
  'ipfs.io',
  'raw.githubusercontent.com',
])
/** The first block of Bitcoin, and the end of the century: nothing of ours was before, or is after. */
const FIRST_TIME = 1_230_940_800_000
const LAST_TIME = 4_102_444_800_000

/** What is behind so much of a text is not looked at. */
const MAX_TEXT_LENGTH = 16_384
const MAX_LINK_LENGTH = 2_048
const ID = /^[A-Za-z0-9+/=:_-]{1,100}$/
/** A host by name, in ASCII as URLs have it; its last label tells that it is no address. */
const HOST_NAME = /^(?=.{1,253}$)([a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+(?!\d+$)[a-z0-9-]{2,63}$/
/** Last labels of names that mean something else in every network: RFC 6761, RFC 6762, RFC 7686, RFC 8375, ICANN's `internal`. */
const PRIVATE_NAME =
  /(^|\.)(localhost|local|internal|intranet|private|corp|home|lan|home\.arpa|onion|invalid|test)$/

/**
 * @param maxLength  in code points; a longer text is cut
 * @returns visible text on one line; null when nothing is left of it, or it is none
 */
export function cleanText(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string') return null
  const whole = value.slice(0, MAX_TEXT_LENGTH)
  const visible = whole.replace(HIDDEN, '').replace(WHITESPACE, ' ').replace(LEADING, '')
  const text = firstCodePoints(visible, maxLength).replace(TRAILING, '')
  if (text === '') return null
  return text === value ? text : ownCopy(text)
}

/** A part of a text keeps all of it in memory for as long as the part is kept: a name of ten characters, a megabyte. */
function ownCopy(text: string): string {
  return Buffer.from(text).toString()
}

/** @returns a finite number that is not negative, which may come as a decimal string; else null */
export function cleanNumber(value: unknown): number | null {
  const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0) return null
  // Minus zero is zero.
  return number + 0
}

/** @returns percent, 0 to 100; null for what is no share */
export function cleanPercent(value: unknown): number | null {
  const percent = cleanNumber(value)
  return percent === null || percent > 100 ? null : percent
}

/** @returns a change in percent, which may be negative, though not below a loss of all; else null */
export function cleanChange(value: unknown): number | null {
  const isNegative =
    typeof value === 'number' ? value < 0 : typeof value === 'string' && value.startsWith('-')
  if (!isNegative) return cleanNumber(value)
  const loss = cleanPercent(typeof value === 'string' ? value.slice(1) : -(value as number))
  return loss === null ? null : 0 - loss
}

/** @returns the decimal string itself, without an exponent, where every digit counts; else null */
export function cleanDecimal(value: unknown): string | null {
  return typeof value === 'string' && /^\d{1,100}(\.\d{1,100})?$/.test(value) ? value : null
}

/**
 * @param hosts  the only ones it may lead to: an image from elsewhere would tell a stranger who looks at it
 * @returns an https link without credentials to a public host by its name, percent-encoded; else null
 */
export function cleanLink(value: unknown, hosts?: ReadonlySet<string>): string | null {
  if (typeof value !== 'string' || value.length > MAX_LINK_LENGTH || !URL.canParse(value)) return null
  const { protocol, username, password, hostname, href } = new URL(value)
  if (protocol !== 'https:' || username !== '' || password !== '') return null
  // With a dot at its end it is the same name.
  const name = hostname.replace(/\.$/, '')
  if (!HOST_NAME.test(name) || PRIVATE_NAME.test(name)) return null
  return (hosts === undefined || hosts.has(hostname)) && href.length <= MAX_LINK_LENGTH ? href : null
}

/**
 * @param unit  what a number counts; a text is a date and time with its zone (RFC 3339)
 * @returns ms epoch, whole; null for what is no time of this century's chains
 */
export function cleanTime(value: unknown, unit: 'ms' | 's' = 'ms'): number | null {
  const isText = typeof value === 'string' && ISO_TIME.test(value)
  const number = isText ? Date.parse(value) : cleanNumber(value)
  if (number === null) return null
  const ms = Math.floor(unit === 's' && !isText ? number * 1_000 : number)
  return ms >= FIRST_TIME && ms < LAST_TIME ? ms : null
}

/** @returns the token's canonical address on this chain; else null */
export function cleanToken(chainKey: string, value: unknown): string | null {
  const chain = findChain(chainKey)
  return chain === null || typeof value !== 'string' ? null : (parseToken(chain, value)?.address ?? null)
}

/** @returns the wallet's or contract's canonical address on this chain; else null */
export function cleanAddress(chainKey: string, value: unknown): string | null {
  const chain = findChain(chainKey)
  return chain === null || typeof value !== 'string' ? null : parseAddress(chain, value)
}

/** @returns the id of a transaction or a pool, in whatever its chain writes it; else null */
export function cleanId(value: unknown): string | null {
  return typeof value === 'string' && ID.test(value) ? value : null
}

/**
 * @param schema  of an item, compiled when it is first needed, not at the start
 * @returns a reader of lists that leaves out what does not fit, and all after `maxItems`
 */
export function itemsReader<const Schema extends TSchema>(
  schema: Schema,
  maxItems: number,
): (items: unknown) => readonly Static<Schema>[] {
  let validator: Validator<Schema> | null = null
  return (items) => {
    if (!Array.isArray(items)) return []
    const check = (validator ??= compile(schema))
    return items.slice(0, maxItems).filter((item): item is Static<Schema> => check.Check(item))
  }
}

function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text
  let end = 0
  for (let i = 0; i < count && end < text.length; i++) end += text.codePointAt(end)! > 0xffff ? 2 : 1
  return text.slice(0, end)
}
