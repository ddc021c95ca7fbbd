/** Which requests RECORD_DIR records: the format of RECORD_FILTER. */
import type { Format } from './setting.ts'

/** Each that is not null must hold. */
export interface RecordFilter {
  readonly header: { readonly name: string; readonly value: string } | null
  /** A path. */
  readonly route: string | null
  /** The code of the error that is answered. */
  readonly error: string | null
  /** One in so many of those that the others let through. */
  readonly oneIn: number
}

export const RECORD_FILTER: Format<RecordFilter> = {
  accepts:
    'a comma list of header=NAME:VALUE, route=PATH, error=CODE and one-in=COUNT, each at most once, such as header=x-record:yes,route=/api/quote',
  parse(text) {
    const found = new Map(
      (text === '' ? [] : text.split(',')).map((term) => {
        const at = term.indexOf('=')
        return [term.slice(0, at).trim(), term.slice(at + 1).trim()]
      }),
    )
    const { header, route = null, error = null, 'one-in': oneIn = '1', ...others } = Object.fromEntries(found)
    const isBad = Object.keys(others).length > 0 || !/^[1-9]\d{0,8}$/.test(oneIn)
    const named = header === undefined ? null : /^([\w-]+):(.+)$/.exec(header)
    if (isBad || (header !== undefined && named === null) || route?.startsWith('/') === false)
      return undefined
    return {
      header: named && { name: named[1]!.toLowerCase(), value: named[2]!.trim() },
      route,
      error,
      oneIn: Number(oneIn),
    }
  },
}
