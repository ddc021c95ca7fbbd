/**
 * One environment variable: how it is read, documented and defaulted. The
 * parsers answer undefined for text that they do not accept.
 */
import { isIP } from 'node:net'
import { nearest } from '../runtime/nearest.ts'

export interface Setting<T> {
  readonly variable: string
  /** Shown in the help, and parsed where the variable is not set. */
  readonly fallback: string
  readonly meaning: string
  /** What is accepted, for the error message. */
  readonly accepts: string
  /** Whether the text may hold a key: then it is never repeated. */
  readonly isSecret?: boolean
  /** @throws TypeError with a sentence that says more than `accepts` */
  parse(text: string): T | undefined
}

/** Settings for a type's fields; a field that is an object of settings is a group of its own. */
export type SettingTree<T> = { readonly [Key in keyof T]: Setting<T[Key]> | SettingTree<T[Key]> }

export function isSetting(value: object): value is Setting<unknown> {
  return 'variable' in value
}

export function parseInteger(text: string, minimum: number, maximum: number): number | undefined {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : -1
  return value >= minimum && value <= maximum ? value : undefined
}

export function oneOf<T extends string>(text: string, members: readonly T[]): T | undefined {
  return members.find((member) => member === text)
}

/** A comma list of known names, in the order of `names`. @throws TypeError  saying which was probably meant */
export function namesOf<T extends string>(text: string, names: readonly T[]): readonly T[] {
  if (text === '') return []
  const given = text.split(',').map((name) => name.trim())
  for (const name of given) {
    if (oneOf(name, names) !== undefined) continue
    const meant = nearest(name, names)
    throw new TypeError(
      `${name} is ${meant === null ? `none of ${names.join(', ')}` : `not known; ${meant} is`}`,
    )
  }
  return names.filter((name) => given.includes(name))
}

export function parseSwitch(text: string): boolean | undefined {
  return text === 'on' ? true : text === 'off' ? false : undefined
}

export function parseHost(text: string): string | undefined {
  const isName = text.length <= 253 && /^[0-9A-Za-z]([0-9A-Za-z-]{0,62}\.?)*$/.test(text)
  return isIP(text) !== 0 || isName ? text : undefined
}

export function parseUrls(text: string): readonly string[] | null | undefined {
  if (text === '') return null
  const urls = text.split(',').map((url) => url.trim())
  const bad = urls.findIndex((url) => !isHttpUrl(url))
  if (bad !== -1) throw new TypeError(`entry ${bad + 1} is not an http or https URL without a fragment`)
  if (new Set(urls).size !== urls.length) throw new TypeError('a URL stands twice')
  return urls
}

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hash } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && hash === ''
}

/** The paths that a Redis URL may have: the number of a database. */
const DATABASE = /^(?:\/\d{0,4})?$/

export function parseRedisUrls(text: string): readonly string[] | null | undefined {
  if (text === '') return null
  const urls = text.split(',').map((url) => url.trim())
  const bad = urls.findIndex((url) => !isRedisUrl(url))
  if (bad !== -1) {
    throw new TypeError(
      `entry ${bad + 1} is not a URL such as redis://host:6379 or rediss://user:password@host`,
    )
  }
  if (urls.length > 1 && urls.some((url) => new URL(url).pathname.length > 1)) {
    throw new TypeError('several URLs are nodes of a cluster, which has no numbered databases')
  }
  return urls
}

function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname, search, hash } = new URL(text)
  const isRedis = (protocol === 'redis:' || protocol === 'rediss:') && hostname !== ''
  return isRedis && DATABASE.test(pathname) && search === '' && hash === ''
}

/** A service's own URL, without a slash at its end; null for none. */
export function parsePublicUrl(text: string): string | null | undefined {
  if (text === '') return null
  if (!isHttpUrl(text)) return undefined
  const { href, search, username, password } = new URL(text)
  return search === '' && username === '' && password === '' ? href.replace(/\/+$/, '') : undefined
}

export function parseOrigins(text: string): readonly string[] | '*' | null | undefined {
  if (text === '*' || text === 'off') return text === '*' ? '*' : null
  const origins = text.split(',').map((origin) => origin.trim())
  const bad = origins.findIndex((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin)
  if (bad !== -1) throw new TypeError(`entry ${bad + 1} is not an origin such as https://app.example`)
  return origins
}

/** @returns null where a provider is switched off; undefined for text that is no URL */
export function parseProviderUrl(text: string): string | null | undefined {
  if (text === 'off') return null
  return isHttpUrl(text) ? text.replace(/\/+$/, '') : undefined
}

/** @returns null where there is none; undefined for what a header cannot carry */
export function parseKey(text: string): string | null | undefined {
  if (text === '') return null
  return /^[\x21-\x7e]{1,512}$/.test(text) ? text : undefined
}

/** Under 32 characters a secret that people made up may be guessed, and whoever has it can seal quotes. */
const MIN_SECRET = 32

/** @returns null where there is none; undefined for text that could be guessed or mangled */
export function parseSecret(text: string): string | null | undefined {
  const secret = parseKey(text)
  return typeof secret === 'string' && secret.length < MIN_SECRET ? undefined : secret
}

/** @returns undefined where a path of the list is empty */
export function parsePaths(text: string): readonly string[] | undefined {
  if (text === '') return []
  const paths = text.split(',').map((path) => path.trim())
  return paths.includes('') ? undefined : paths
}
