/**
 * Environment to one frozen Config: the service's only reader of environment variables.
 * Each row below parses, documents and defaults one variable; `--help` prints
 * the same rows.
 *
 * Source: design.md "Configuration"
 */
import { isIP } from 'node:net'
import { parseTrustedProxies, type TrustedProxies } from './http/trusted-proxies.ts'
import { type Limits, parseLimits } from './limit/budgets.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export interface Config {
  readonly host: string
  readonly port: number
  readonly mode: 'sandbox' | 'live'
  /** Null where the variable is not set: the public endpoint in live mode, the sandbox's own node in sandbox mode. */
  readonly solanaRpcUrls: readonly string[] | null
  /** Null where the variable is not set: the same as for reads. */
  readonly solanaSendUrls: readonly string[] | null
  readonly maxRetries: number
  readonly verifier: 'noble' | 'native'
  readonly trustedProxies: TrustedProxies
  readonly clientAddressHeader: string
  readonly limits: Limits
  readonly corsOrigins: readonly string[] | '*' | null
  readonly adminHost: string
  /** Null: no admin listener. */
  readonly adminPort: number | null
  readonly logLevel: (typeof LOG_LEVELS)[number]
  readonly shutdownGraceMs: number
}

interface Setting<T> {
  readonly variable: string
  /** Shown in the help; parsed where the variable is not set, unless `parse` says otherwise. */
  readonly fallback: string
  readonly meaning: string
  /** What is accepted, for the error message. */
  readonly accepts: string
  /** @throws TypeError with a sentence that says more than `accepts` */
  parse(text: string): T | undefined
}

type Settings = { readonly [Key in keyof Config]: Setting<Config[Key]> }

const SETTINGS: Settings = {
  host: {
    variable: 'HOST',
    fallback: '127.0.0.1',
    meaning: 'listen address',
    accepts: 'an IP address or a host name',
    parse: parseHost,
  },
  port: {
    variable: 'PORT',
    fallback: '8080',
    meaning: 'listen port; 0 picks a free one and logs it',
    accepts: 'an integer from 0 to 65535',
    parse: (text) => parseInteger(text, 0, 65_535),
  },
  mode: {
    variable: 'MODE',
    fallback: 'sandbox',
    meaning: 'sandbox: a simulated outside world on loopback; live: the real providers',
    accepts: 'sandbox or live',
    parse: (text) => oneOf(text, ['sandbox', 'live'] as const),
  },
  solanaRpcUrls: {
    variable: 'SOLANA_RPC_URLS',
    fallback: '',
    meaning:
      'Solana RPC URLs in order of preference: reads fail over along it (default: live, the public mainnet endpoint; sandbox, its own node)',
    accepts: 'a comma list of http or https URLs',
    parse: parseUrls,
  },
  solanaSendUrls: {
    variable: 'SOLANA_SEND_URLS',
    fallback: '',
    meaning:
      'signed transactions go to all of these at once, the first acceptance answers (default: SOLANA_RPC_URLS)',
    accepts: 'a comma list of http or https URLs',
    parse: parseUrls,
  },
  maxRetries: {
    variable: 'SOLANA_MAX_RETRIES',
    fallback: '5',
    meaning: "bound of a submission's maxRetries: more is lowered to it, none is set to it",
    accepts: 'an integer from 0 to 100',
    parse: (text) => parseInteger(text, 0, 100),
  },
  verifier: {
    variable: 'VERIFIER',
    fallback: 'noble',
    meaning: 'signature engine: noble (JavaScript) or native (OpenSSL); the same verdicts',
    accepts: 'noble or native',
    parse: (text) => oneOf(text, ['noble', 'native'] as const),
  },
  trustedProxies: {
    variable: 'TRUSTED_PROXIES',
    fallback: 'loopback',
    meaning:
      'who may supply a forwarded client address: comma list of loopback, private, addresses and CIDRs, or none',
    accepts: 'a comma list of loopback, private, addresses and CIDRs, or none',
    parse: (text) => parseTrustedProxies(text === 'none' ? '' : text),
  },
  clientAddressHeader: {
    variable: 'CLIENT_ADDRESS_HEADER',
    fallback: 'x-forwarded-for',
    meaning: 'the header that they supply it in',
    accepts: 'a header name',
    parse: (text) => (/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(text) ? text.toLowerCase() : undefined),
  },
  limits: {
    variable: 'LIMITS',
    fallback: 'swap=60/1200,portfolio=12/300,rpcRead=60/1200,rpcSend=6/120,rpcBatch=2/20',
    meaning: 'overrides of the budgets per client/global and 60 s; name=off lifts one',
    accepts: 'a comma list of name=client/global or name=off',
    parse: parseLimits,
  },
  corsOrigins: {
    variable: 'CORS_ORIGINS',
    fallback: '*',
    meaning: 'origins whose pages may read replies: comma list, *, or off',
    accepts: 'a comma list of origins such as https://app.example, * or off',
    parse: parseOrigins,
  },
  adminHost: {
    variable: 'ADMIN_HOST',
    fallback: '127.0.0.1',
    meaning: 'listen address of the admin listener',
    accepts: 'an IP address or a host name',
    parse: parseHost,
  },
  adminPort: {
    variable: 'ADMIN_PORT',
    fallback: 'off',
    meaning: 'a second listener with GET /metrics (Prometheus); 0 picks a free port and logs it',
    accepts: 'off, or an integer from 0 to 65535',
    parse: (text) => (text === 'off' ? null : parseInteger(text, 0, 65_535)),
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    fallback: 'info',
    meaning: 'JSON lines on stdout, from this level up',
    accepts: LOG_LEVELS.join(', '),
    parse: (text) => oneOf(text, LOG_LEVELS),
  },
  shutdownGraceMs: {
    variable: 'SHUTDOWN_GRACE_MS',
    fallback: '10000',
    meaning: 'how long requests in flight get after SIGTERM or SIGINT',
    accepts: 'an integer from 0 to 600000',
    parse: (text) => parseInteger(text, 0, 600_000),
  },
}

/** A start-up failure that names every bad value at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * The configuration that these variables give. An empty variable counts as
 * not set, as container tools cannot unset one.
 *
 * @throws ConfigError  listing each variable that is wrong, its value and what is accepted
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const config: Record<string, unknown> = {}
  for (const [key, setting] of Object.entries(SETTINGS)) {
    const given = environment[setting.variable]?.trim()
    const text = given === undefined || given === '' ? setting.fallback : given
    try {
      const value: unknown = setting.parse(text)
      if (value === undefined) throw new TypeError(`expected ${setting.accepts}`)
      config[key] = value
    } catch (error) {
      problems.push(`${setting.variable}=${shown(setting.variable, text)}: ${(error as Error).message}`)
    }
  }
  if (problems.length > 0) throw new ConfigError(`bad configuration:\n  ${problems.join('\n  ')}`)
  return Object.freeze(config) as unknown as Config
}

/** The table that `--help` prints. */
export function helpText(): string {
  const rows = Object.values(SETTINGS)
  const width = Math.max(...rows.map((row) => row.variable.length))
  const lines = rows.flatMap(({ variable, fallback, meaning, accepts }) => [
    `  ${variable.padEnd(width)}  ${meaning}`,
    `  ${''.padEnd(width)}  accepts ${accepts}${fallback === '' ? '' : `; default ${fallback}`}`,
  ])
  return ['swapgate: configuration by environment variables', '', ...lines, ''].join('\n')
}

/** A URL may hold a key, and this text goes to a log. */
function shown(variable: string, text: string): string {
  return variable.endsWith('_URLS') ? '(not shown)' : JSON.stringify(text)
}

function parseInteger(text: string, minimum: number, maximum: number): number | undefined {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : -1
  return value >= minimum && value <= maximum ? value : undefined
}

function oneOf<T extends string>(text: string, members: readonly T[]): T | undefined {
  return members.find((member) => member === text)
}

function parseHost(text: string): string | undefined {
  const isName = text.length <= 253 && /^[0-9A-Za-z]([0-9A-Za-z-]{0,62}\.?)*$/.test(text)
  return isIP(text) !== 0 || isName ? text : undefined
}

function parseUrls(text: string): readonly string[] | null | undefined {
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

function parseOrigins(text: string): readonly string[] | '*' | null | undefined {
  if (text === '*' || text === 'off') return text === '*' ? '*' : null
  const origins = text.split(',').map((origin) => origin.trim())
  const bad = origins.findIndex((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin)
  if (bad !== -1) throw new TypeError(`entry ${bad + 1} is not an origin such as https://app.example`)
  return origins
}
