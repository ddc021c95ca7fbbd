/** What environment variables accept, for all settings whose format takes more than a line or is shared. */

import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { parseAnyAddress } from '../chains/address.ts'
import { nearest } from '../runtime/nearest.ts'
import { shown } from '../runtime/shown.ts'
import type { Exception } from '../upstream/tunnel.ts'
import type { Format } from './setting.ts'

/** Null for an empty text. */
export function optional<T>({ accepts, parse }: Format<T>): Format<T | null> {
  return { accepts, parse: (text) => (text === '' ? null : parse(text)) }
}

/** @param off  the value of the text `off`, which is accepted as well */
export function orOff<T, const Off>(off: Off, { accepts, parse }: Format<T>): Format<T | Off> {
  return { accepts: `off, or ${accepts}`, parse: (text) => (text === 'off' ? off : parse(text)) }
}

/** An integer of at most seven digits. */
export function integerFormat(minimum: number, maximum: number): Format<number> {
  return {
    accepts: `an integer from ${minimum} to ${maximum}`,
    parse(text) {
      const value = /^\d{1,7}$/.test(text) ? Number(text) : -1
      return value >= minimum && value <= maximum ? value : undefined
    },
  }
}

const WORKER_COUNT = integerFormat(1, 64)

export const WORKERS: Format<number> = {
  accepts: `auto, or ${WORKER_COUNT.accepts}`,
  parse: (text) => (text === 'auto' ? Math.min(64, availableParallelism()) : WORKER_COUNT.parse(text)),
}

export function oneOf<const T extends string>(names: readonly T[]): Format<T> {
  return {
    accepts: `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`,
    parse: (text) => names.find((name) => name === text),
  }
}

/** A comma list of known names; the value has them in the order of `names`. */
export function namesOf<const T extends string>(names: readonly T[]): Format<readonly T[]> {
  return {
    accepts: 'a comma list of these names',
    parse(text) {
      if (text === '') return []
      const given = text.split(',').map((name) => name.trim())
      const unknown = given.find((name) => !names.some((known) => known === name))
      if (unknown === undefined) return names.filter((name) => given.includes(name))
      const meant = nearest(unknown, names)
      throw new TypeError(
        `${shown(unknown)} is ${meant === null ? `none of ${names.join(', ')}` : `not known; ${meant} is`}`,
      )
    },
  }
}

export const SWITCH: Format<boolean> = {
  accepts: 'on or off',
  parse: (text) => (text === 'on' ? true : text === 'off' ? false : undefined),
}

export const HOST: Format<string> = {
  accepts: 'an IP address or a host name',
  parse(text) {
    if (isIP(text) !== 0) return text
    const labels = text.replace(/\.$/, '').split('.')
    const isName =
      text.length <= 253 && labels.every((label) => /^[0-9A-Za-z][0-9A-Za-z-]{0,62}$/.test(label))
    return isName ? text : undefined
  },
}

/** The entries of a comma list. @throws TypeError  that counts to the first wrong one, and says what is wrong */
function entriesOf(text: string, isRight: (entry: string) => boolean, wrong: (entry: string) => string) {
  const entries = text.split(',').map((entry) => entry.trim())
  const at = entries.findIndex((entry) => !isRight(entry))
  if (at !== -1) throw new TypeError(`entry ${at + 1} is ${wrong(entries[at]!)}`)
  return entries
}

/** Null for an empty list. */
export const URLS: Format<readonly string[] | null> = optional({
  accepts: 'a comma list of http or https URLs',
  parse(text) {
    const urls = entriesOf(text, isHttpUrl, () => 'not an http or https URL without a fragment')
    if (new Set(urls).size !== urls.length) throw new TypeError('a URL is listed twice')
    return urls
  },
})

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hash } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && hash === ''
}

/** Without trailing slashes. A regular expression would retry each run of slashes. */
function withoutSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}

/** A base URL, without a slash at its end. */
export const BASE_URL: Format<string> = {
  accepts: 'an http or https URL',
  parse: (text) => (isHttpUrl(text) ? withoutSlashes(text) : undefined),
}

/** A server, and the contracts that its answers may call. */
export interface RouterServer {
  readonly url: string
  readonly contracts: readonly string[]
}

export const ROUTER: Format<RouterServer> = {
  accepts: 'an http or https URL, and after it, in a comma list, addresses of contracts',
  parse(text) {
    const [first = '', ...rest] = text.split(',').map((entry) => entry.trim())
    const url = BASE_URL.parse(first)
    const contracts = rest.flatMap((text) => (text.length === 42 ? (parseAnyAddress(text) ?? []) : []))
    return url === undefined || contracts.length < rest.length ? undefined : { url, contracts }
  },
}

/** The service's own URL, without a slash at its end. */
export const PUBLIC_URL: Format<string> = {
  accepts: 'an http or https URL without a query, such as https://swap.example',
  parse(text) {
    if (!isHttpUrl(text)) return undefined
    const { href, search, username, password } = new URL(text)
    return search === '' && username === '' && password === '' ? withoutSlashes(href) : undefined
  },
}

/** Null for `off`. */
export const ORIGINS: Format<readonly string[] | '*' | null> = {
  accepts: 'a comma list of origins such as https://app.example or https://*.app.example, * or off',
  parse(text) {
    if (text === '*' || text === 'off') return text === '*' ? '*' : null
    return entriesOf(text, isOrigin, (one) => `no origin as browsers write it, such as ${originLike(one)}`)
  },
}

/** Schemes that are never a page's origin. */
const NO_PAGES = /^(?:wss?|ftp|file|data|blob|about|javascript):/
/** Origins of extensions and apps, such as chrome-extension://<id> and capacitor://localhost. */
const APP_ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[\w.-]+(?::\d{1,5})?$/
const WEB = /^https?:/i

/**
 * Whether a page may have it as its origin: one that differs by a slash or a capital letter would never
 * match.
 */
function isOrigin(text: string): boolean {
  if (!WEB.test(text)) return APP_ORIGIN.test(text) && !NO_PAGES.test(text)
  // The star stands for labels: any will do.
  const one = text.replace('://*.', '://a.')
  return !one.includes('*') && URL.canParse(one) && new URL(one).origin === one
}

/** The origin that was probably meant. */
function originLike(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : 'null'
  return isOrigin(origin) ? shown(origin) : 'https://app.example or https://*.app.example'
}

const SOME_REDIS_URLS = 'redis://host:6379, rediss://user:password@host or unix:///run/redis/redis.sock'

export const REDIS_URLS: Format<readonly string[]> = {
  accepts:
    'a redis or rediss URL, a Unix socket such as unix:///run/redis/redis.sock, or a comma list of cluster nodes',
  parse(text) {
    const urls = entriesOf(text, isRedisUrl, () => `not a URL such as ${SOME_REDIS_URLS}`)
    if (urls.length > 1 && urls.some((url) => new URL(url).protocol === 'unix:')) {
      throw new TypeError('several URLs are the nodes of a cluster, which are not on a Unix socket')
    }
    if (urls.length > 1 && urls.some((url) => new URL(url).pathname.length > 1)) {
      throw new TypeError('several URLs are the nodes of a cluster, and a cluster has no numbered databases')
    }
    return urls
  },
}

/** The path of a Redis URL: empty, or the number of a database. */
const DATABASE = /^(?:\/\d{0,4})?$/

function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, hostname, pathname, search, hash } = new URL(text)
  if (!isDecodable(username) || !isDecodable(password) || search !== '' || hash !== '') return false
  // A URL with a user and a password has a host: unix://user:password@localhost/run/redis/redis.sock
  if (protocol === 'unix:') {
    return (hostname === '' || hostname === 'localhost') && pathname.length > 1 && isDecodable(pathname)
  }
  return (protocol === 'redis:' || protocol === 'rediss:') && hostname !== '' && DATABASE.test(pathname)
}

/** Whether each % in it begins an escape: in a password it must be %25. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** A comma list of addresses, each canonical; null for an empty list. */
export const addresses = (accepts: string, parse: (text: string) => string | null) =>
  optional({
    accepts: `a comma list of ${accepts}`,
    parse(text) {
      const isOne = (entry: string) => parse(entry) !== null
      return entriesOf(text, isOne, () => `none of ${accepts}`).map((entry) => parse(entry)!)
    },
  })

/** An API key, as a header can carry it. */
export const KEY: Format<string> = {
  accepts: 'at most 512 visible ASCII characters',
  parse: (text) => (/^[\x21-\x7e]{1,512}$/.test(text) ? text : undefined),
}

/** At least 32 characters: a shorter one that a person made up could be guessed. */
export const SECRET: Format<string> = {
  accepts: 'a secret of 32 to 512 visible ASCII characters, such as `openssl rand -base64 32` prints',
  parse: (text) => (/^[\x21-\x7e]{32,512}$/.test(text) ? text : undefined),
}

export const PATH: Format<string> = { accepts: 'a path', parse: (text) => text }

export const PATHS: Format<readonly string[]> = {
  accepts: 'a path, or a comma list of paths',
  parse(text) {
    if (text === '') return []
    const paths = text.split(',').map((path) => path.trim())
    return paths.includes('') ? undefined : paths
  },
}

/** A proxy's URL; programs that share the variable take it without a scheme. */
export const PROXY: Format<URL> = {
  accepts: 'an http or https URL without a path, with credentials if the proxy wants some',
  parse(text) {
    const whole = /^[a-z][\w+.-]*:\/\//i.test(text) ? text : `http://${text}`
    if (!URL.canParse(whole)) return undefined
    const url = new URL(whole)
    const isProxy = /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === ''
    return isProxy ? url : undefined
  },
}

export const EXCEPTIONS: Format<readonly Exception[]> = {
  accepts: 'a list of hosts, separated by commas or spaces',
  parse: (text) =>
    text
      .split(/[\s,]+/)
      .filter((entry) => entry !== '')
      .map((entry) => {
        const [, host = entry, port = null] = /^(.+):(\d{1,5})$/.exec(entry) ?? []
        return {
          host: host.replace(/^\*?\.(?=.)/, '').toLowerCase(),
          port: port === null ? null : Number(port),
        }
      }),
}
