/**
 * Cleans market providers' data for display. Much of it comes from the tokens'
 * authors: names that reverse the text around them, numbers that are not numbers,
 * links to anywhere. A value that cannot be cleaned becomes null; a list item that
 * cannot be cleaned is left out.
 *
 * Source: Unicode Technical Standard #39, section 4 · UAX #9 (bidirectional
 * controls) · RFC 8259 section 6 (numbers) · WHATWG URL
 */
import type { Static, TSchema } from 'typebox'
import { parseAddress, parseToken } from '../../chains/address.ts'
import { findChain } from '../../chains/find.ts'
import { checkOf } from '../../runtime/validate.ts'

const WHITESPACE = /[\p{Z}\t\n\v\f\r\u0085]+/gu
/**
 * Control characters, bidirectional controls and other characters without a
 * glyph, including lone surrogates. Joiners and presentation selectors stay,
 * because emoji and several scripts need them.
 */
const HIDDEN =
  /(?!\p{Join_Control}|\ufe0e|\ufe0f|[\t\n\v\f\r\u0085])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu
const LEADING = /^(?: |\p{Join_Control}|\ufe0e|\ufe0f)+/u
const TRAILING = /(?: |\p{Join_Control})+$/u

const DECIMAL = /^\d{1,100}(\.\d{1,100})?([eE][+-]?\d{1,3})?$/
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/
/**
 * Public stores where authors of Solana tokens host images. They are not run by the authors, so viewing an
 * image does not reveal the viewer to the token's author.
 */
export const TOKEN_IMAGE_HOSTS: ReadonlySet<string> = new Set([
  'arweave.net',
  'ipfs.io',
  'raw.githubusercontent.com',
])
/** The first block of Bitcoin and the end of the century: no valid time lies outside of these. */
const FIRST_TIME = 1_230_940_800_000
const LAST_TIME = 4_102_444_800_000

/** Characters of a text that are read; the rest is ignored. */
const MAX_TEXT_LENGTH = 16_384
const MAX_LINK_LENGTH = 2_048
const ID = /^[A-Za-z0-9+/=:_-]{1,100}$/
/** A host name in ASCII, as in URLs. Its last label distinguishes it from an IP address. */
const HOST_NAME = /^(?=.{1,253}$)([a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+(?!\d+$)[a-z0-9-]{2,63}$/
/**
 * Names that resolve differently in each network: RFC 6761, RFC 6762, RFC 7686, RFC 8375, ICANN's `internal`.
 */
const PRIVATE_NAME =
  /(^|\.)(localhost|local|internal|intranet|private|corp|home|lan|home\.arpa|onion|invalid|test)$/

/**
 * @param maxLength  in code points; a longer text is cut
 * @returns visible text on one line; null if nothing is left, or if the value is not a text
 */
export function text(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string') return null
  const whole = value.slice(0, MAX_TEXT_LENGTH)
  const visible = whole.replace(HIDDEN, '').replace(WHITESPACE, ' ').replace(LEADING, '')
  const clean = firstCodePoints(visible, maxLength).replace(TRAILING, '')
  if (clean === '') return null
  return clean === value ? clean : ownCopy(clean)
}

/** A substring keeps the whole text in memory: a name of ten characters could hold a megabyte. */
function ownCopy(text: string): string {
  return Buffer.from(text).toString()
}

/** @returns a finite, non-negative number, also from a decimal string; otherwise null */
export function number(value: unknown): number | null {
  const read = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value
  if (typeof read !== 'number' || !Number.isFinite(read) || read < 0) return null
  // Turns minus zero into zero.
  return read + 0
}

/** @returns percent, 0 to 100; otherwise null */
export function percent(value: unknown): number | null {
  const read = number(value)
  return read === null || read > 100 ? null : read
}

/** @returns a change in percent, -100 or more; otherwise null */
export function change(value: unknown): number | null {
  const isNegative =
    typeof value === 'number' ? value < 0 : typeof value === 'string' && value.startsWith('-')
  if (!isNegative) return number(value)
  const loss = percent(typeof value === 'string' ? value.slice(1) : -(value as number))
  return loss === null ? null : 0 - loss
}

/** @returns a decimal string without an exponent, unchanged to keep every digit; otherwise null */
export function decimal(value: unknown): string | null {
  return typeof value === 'string' && /^\d{1,100}(\.\d{1,100})?$/.test(value) ? value : null
}

/**
 * @param hosts  the only hosts allowed: an image from any other host would reveal its viewers to a third party
 * @returns a percent-encoded https link without credentials to a named public host; otherwise null
 */
export function link(value: unknown, hosts?: ReadonlySet<string>): string | null {
  if (typeof value !== 'string' || value.length > MAX_LINK_LENGTH || !URL.canParse(value)) return null
  const { protocol, username, password, hostname, href } = new URL(value)
  if (protocol !== 'https:' || username !== '' || password !== '') return null
  // A trailing dot does not change the name.
  const name = hostname.replace(/\.$/, '')
  if (!HOST_NAME.test(name) || PRIVATE_NAME.test(name)) return null
  return (hosts === undefined || hosts.has(hostname)) && href.length <= MAX_LINK_LENGTH ? href : null
}

/**
 * @param unit  the unit of a number; a text is a date and time with a zone (RFC 3339)
 * @returns whole ms epoch; null for a time before Bitcoin or after this century, or for text that is not a
 * time
 */
export function time(value: unknown, unit: 'ms' | 's' = 'ms'): number | null {
  const isText = typeof value === 'string' && ISO_TIME.test(value)
  const read = isText ? Date.parse(value) : number(value)
  if (read === null) return null
  const ms = Math.floor(unit === 's' && !isText ? read * 1_000 : read)
  return ms >= FIRST_TIME && ms < LAST_TIME ? ms : null
}

/** @returns the token's canonical address on this chain; otherwise null */
export function token(chainKey: string, value: unknown): string | null {
  const chain = findChain(chainKey)
  return chain === null || typeof value !== 'string' ? null : (parseToken(chain, value)?.address ?? null)
}

/** @returns the wallet's or contract's canonical address on this chain; otherwise null */
export function address(chainKey: string, value: unknown): string | null {
  const chain = findChain(chainKey)
  return chain === null || typeof value !== 'string' ? null : parseAddress(chain, value)
}

/** @returns the id of a transaction or a pool, in the notation of its chain; otherwise null */
export function id(value: unknown): string | null {
  return typeof value === 'string' && ID.test(value) ? value : null
}

/**
 * @param schema  the schema of an item, compiled on first use rather than at startup
 * @returns a list reader that reads the first `maxItems` items and drops those that do not match
 */
export function itemsReader<const Schema extends TSchema>(
  schema: Schema,
  maxItems: number,
): (items: unknown) => readonly Static<Schema>[] {
  const fits = checkOf(schema)
  return (items: unknown) => (Array.isArray(items) ? items.slice(0, maxItems).filter(fits) : [])
}

function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text
  let end = 0
  for (let i = 0; i < count && end < text.length; i++) end += text.codePointAt(end)! > 0xffff ? 2 : 1
  return text.slice(0, end)
}
