/**
 * Environment to one frozen Config: the service's only reader of environment variables.
 * Each row below parses, documents and defaults one variable; `--help` prints
 * the same rows.
 */
import { EVM_CHAINS } from '../chains/find.ts'
import { CLIENT_NAMES, type ClientNames } from '../http/client/names.ts'
import { parseTrustedProxies, type TrustedProxies } from '../http/client/trusted-proxies.ts'
import {
  DEFAULT_LIMITS,
  type Limits,
  limitsText,
  limitText,
  parseLimit,
  parseLimits,
} from '../http/limit/budgets.ts'
import { MAX_STREAMS } from '../http/streams.ts'
import { EXTRA_METHOD_NAMES, type ExtraMethodName, LEVELS, type Level } from '../runtime/resources.ts'
import { type ConcurrencyLimits, DEFAULT_CONCURRENCY } from '../upstream/concurrency.ts'
import { MAX_SLOTS_BEHIND } from '../upstream/nodes/freshness.ts'
import { MAX_COMPUTE_UNIT_PRICE, MAX_RETRIES } from './defaults.ts'
import { misspelled } from './misspelled.ts'
import {
  isSetting,
  namesOf,
  oneOf,
  parseHost,
  parseInteger,
  parseKey,
  parseOrigins,
  parsePaths,
  parseProviderUrl,
  parsePublicUrl,
  parseRedisUrls,
  parseSecret,
  parseSwitch,
  parseUrls,
  type Setting,
  type SettingTree,
} from './parse.ts'
import {
  KEYED_PROVIDERS,
  type KeyedProvider,
  PROVIDER_NAMES,
  PROVIDERS,
  type ProviderName,
} from './providers.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export interface Config {
  readonly host: string
  readonly port: number
  readonly mode: 'sandbox' | 'live'
  /** Null where the variable is not set: the public endpoint in live mode, the sandbox's own node in sandbox mode. */
  readonly solanaRpcUrls: readonly string[] | null
  /** Null where the variable is not set: the same as for reads. */
  readonly solanaSendUrls: readonly string[] | null
  /** Null where the variable is not set: none. */
  readonly solanaLandingUrls: readonly string[] | null
  readonly maxRetries: number
  /** Whether there are WebSockets at the relay's path. */
  readonly ws: boolean
  /** A second port for them. Null where the variable is not set: PORT + 1 in sandbox mode, off in live mode. */
  readonly wsPort: number | 'off' | null
  /** Reads that the relay takes beside its own. */
  readonly extraRpcMethods: readonly ExtraMethodName[]
  /** Whether reads that ask the same share an answer. */
  readonly readCache: boolean
  /** How long answers about the whole cluster are kept. */
  readonly readCacheMs: number
  /** A node that is further behind the best one is asked last. */
  readonly maxSlotsBehind: number
  /** Base URLs; null where a provider is switched off. In sandbox mode the public ones give way to the sandbox's. */
  readonly providerUrls: Readonly<Record<ProviderName, string | null>>
  /** Null where there is none. */
  readonly providerKeys: Readonly<Record<KeyedProvider, string | null>>
  /** With the operator's own tokens. */
  readonly tokensFiles: readonly string[]
  /** Null where the operator publishes nothing. */
  readonly contentDir: string | null
  /** Dollars that a pool must hold for its price to count in a portfolio. */
  readonly minLiquidityUsd: number
  /** Null where the variable is not set: v2-build with a key of Jupiter's, v1 without. */
  readonly jupiterApi: 'v1' | 'v2-build' | 'v2-order' | null
  /** Micro-lamports per compute unit that built material may ask for. */
  readonly maxComputeUnitPrice: bigint
  readonly uniswapV2: boolean
  /** What a build must reach. */
  readonly minVerification: Level
  /** Null: random, for the life of the process. */
  readonly quoteSecret: string | null
  /** By chain key, of the EVM chains and TON; null where the variable is not set. */
  readonly rpcUrls: Readonly<Record<string, readonly string[] | null>>
  readonly verifier: 'noble' | 'native'
  readonly trustedProxies: TrustedProxies
  readonly clientAddressHeader: string
  readonly limits: Limits
  /** What instances share budgets through: one server, or nodes of a cluster. Null where there is none. */
  readonly redisUrls: readonly string[] | null
  /** Before every key there. */
  readonly redisPrefix: string
  /** Upstream calls at one time. */
  readonly inFlight: ConcurrencyLimits
  readonly corsOrigins: readonly string[] | '*' | null
  readonly publicUrl: string | null
  /** Null where the variable is not set: what `ulimit -n` leaves. */
  readonly maxConnections: number | null
  /** Null where the variable is not set: a share of all; Infinity where it is off. */
  readonly maxConnectionsPerClient: number | null
  /** Event streams that may be open at once. */
  readonly maxStreams: number
  /** Whether there are pages for browsers. */
  readonly console: boolean
  readonly adminHost: string
  /** Null: no admin listener. */
  readonly adminPort: number | null
  readonly logLevel: (typeof LOG_LEVELS)[number]
  readonly logClients: ClientNames
  /** Whether upstreams get a request's traceparent. */
  readonly passTraceparent: boolean
  readonly drainDelayMs: number
  readonly shutdownGraceMs: number
}

const providerUrl = (name: ProviderName): Setting<string | null> => ({
  variable: `${name.toUpperCase()}_URL`,
  fallback: PROVIDERS[name].url,
  meaning: `base URL of ${PROVIDERS[name].name} (${PROVIDERS[name].purpose}); off switches it off`,
  accepts: 'an http or https URL, or off',
  isSecret: true,
  parse: parseProviderUrl,
})

const providerKey = (name: KeyedProvider): Setting<string | null> => ({
  variable: `${name.toUpperCase()}_API_KEY`,
  fallback: '',
  meaning: `key of ${PROVIDERS[name].name}, sent there only`,
  accepts: 'visible ASCII characters, at most 512',
  isSecret: true,
  parse: parseKey,
})

const chainRpcUrls = (key: string): Setting<readonly string[] | null> => ({
  variable: `RPC_URLS_${key.toUpperCase()}`,
  fallback: '',
  meaning: `RPC URLs of ${key}, in order of preference (default: the public ones of GET /api/chains)`,
  accepts: 'a comma list of http or https URLs',
  isSecret: true,
  parse: parseUrls,
})

/** A group of settings, one for each name. */
function each<Name extends string, T>(
  names: readonly Name[],
  settingOf: (name: Name) => Setting<T>,
): Readonly<Record<Name, Setting<T>>> {
  return Object.fromEntries(names.map((name) => [name, settingOf(name)])) as Record<Name, Setting<T>>
}

const SETTINGS: SettingTree<Config> = {
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
    isSecret: true,
    parse: parseUrls,
  },
  solanaSendUrls: {
    variable: 'SOLANA_SEND_URLS',
    fallback: '',
    meaning:
      'signed transactions go to all of these at once, the first acceptance answers (default: SOLANA_RPC_URLS)',
    accepts: 'a comma list of http or https URLs',
    isSecret: true,
    parse: parseUrls,
  },
  solanaLandingUrls: {
    variable: 'SOLANA_LANDING_URLS',
    fallback: '',
    meaning:
      'services that take transactions only without preflight, for a tip: they get what a node has accepted (default: none)',
    accepts: 'a comma list of http or https URLs',
    isSecret: true,
    parse: parseUrls,
  },
  maxRetries: {
    variable: 'SOLANA_MAX_RETRIES',
    fallback: String(MAX_RETRIES),
    meaning:
      "bound of a submission's maxRetries (more is lowered to it, none is set to it), and of how often the gateway sends an accepted transaction again",
    accepts: 'an integer from 0 to 100',
    parse: (text) => parseInteger(text, 0, 100),
  },
  extraRpcMethods: {
    variable: 'EXTRA_RPC_METHODS',
    fallback: '',
    meaning: `reads that the relay takes beside its fourteen methods: ${EXTRA_METHOD_NAMES.join(', ')}`,
    accepts: 'a comma list of these names',
    parse: (text) => namesOf(text, EXTRA_METHOD_NAMES),
  },
  readCache: {
    variable: 'SOLANA_READ_CACHE',
    fallback: 'on',
    meaning: 'whether identical reads share an answer; off makes each a call of its own',
    accepts: 'on or off',
    parse: parseSwitch,
  },
  readCacheMs: {
    variable: 'SOLANA_READ_CACHE_MS',
    fallback: '200',
    meaning:
      'how long the answers of getSlot, getBlockHeight, getLatestBlockhash and getRecentPrioritizationFees are kept; 0 for not at all',
    accepts: 'an integer from 0 to 10000',
    parse: (text) => parseInteger(text, 0, 10_000),
  },
  maxSlotsBehind: {
    variable: 'SOLANA_MAX_SLOTS_BEHIND',
    fallback: String(MAX_SLOTS_BEHIND),
    meaning: 'slots by which a node may be behind the best one for 2 s, before it is asked last',
    accepts: 'an integer from 1 to 1000',
    parse: (text) => parseInteger(text, 1, 1_000),
  },
  ws: {
    variable: 'WS',
    fallback: 'on',
    meaning: 'a WebSocket at /api/solrpc, over which clients wait for signatures',
    accepts: 'on or off',
    parse: parseSwitch,
  },
  wsPort: {
    variable: 'WS_PORT',
    fallback: '',
    meaning:
      'a second port, which @solana/web3.js opens that WebSocket on where the URL of its RPC names a port: one more than that; 0 picks a free one (default: sandbox, PORT + 1; live, off)',
    accepts: 'off, or an integer from 0 to 65535',
    parse: (text) => (text === '' ? null : text === 'off' ? text : parseInteger(text, 0, 65_535)),
  },
  providerUrls: each(PROVIDER_NAMES, providerUrl),
  providerKeys: each(KEYED_PROVIDERS, providerKey),
  tokensFiles: {
    variable: 'TOKENS_FILE',
    fallback: '',
    meaning:
      "JSON files with tokens of the operator's own, for the token list and the portfolios: in the gateway's format, or Token Lists as tokenlists.org has them; SIGHUP reads them again",
    accepts: 'a path, or a comma list of paths',
    parse: parsePaths,
  },
  contentDir: {
    variable: 'CONTENT_DIR',
    fallback: '',
    meaning: "a folder with content of the operator's own, such as announcements; SIGHUP reads it again",
    accepts: 'a path',
    parse: (text) => (text === '' ? null : text),
  },
  minLiquidityUsd: {
    variable: 'MIN_LIQUIDITY_USD',
    fallback: '10000',
    meaning: 'dollars that a pool must hold for its price to count in a portfolio',
    accepts: 'an integer from 0 to 9999999',
    parse: (text) => parseInteger(text, 0, 9_999_999),
  },
  jupiterApi: {
    variable: 'JUPITER_API',
    fallback: '',
    meaning:
      "which of Jupiter's APIs is asked: v1 (quote and swap), v2-build (instructions, no fee) or v2-order (order, RFQ routers excluded; where it charges a fee its builds are refused) (default: v2-build with JUPITER_API_KEY, v1 without)",
    accepts: 'v1, v2-build or v2-order',
    parse: (text) => (text === '' ? null : oneOf(text, ['v1', 'v2-build', 'v2-order'] as const)),
  },
  maxComputeUnitPrice: {
    variable: 'MAX_COMPUTE_UNIT_PRICE',
    fallback: String(MAX_COMPUTE_UNIT_PRICE),
    meaning: 'micro-lamports per compute unit above which a built Solana transaction is refused',
    accepts: 'an integer from 0 to 18446744073709551615',
    parse: (text) => (/^\d{1,20}$/.test(text) && BigInt(text) >> 64n === 0n ? BigInt(text) : undefined),
  },
  minVerification: {
    variable: 'MIN_VERIFICATION',
    fallback: 'simulated',
    meaning:
      "what built material must reach: proved (from its bytes alone), simulated (executed at a node) or stated (the provider's word)",
    accepts: LEVELS.join(', '),
    parse: (text) => oneOf(text, LEVELS),
  },
  uniswapV2: {
    variable: 'UNISWAP_V2',
    fallback: 'on',
    meaning: "whether the chain's Uniswap V2 router is asked too, over its RPC",
    accepts: 'on or off',
    parse: parseSwitch,
  },
  quoteSecret: {
    variable: 'QUOTE_SECRET',
    fallback: '',
    meaning:
      "seals quotes, and with REDIS_URL what instances share, so that they accept each other's (default: random per process; REDIS_URL needs one)",
    accepts: 'visible ASCII characters, 32 to 512 of them: openssl rand -base64 32 makes one',
    isSecret: true,
    parse: parseSecret,
  },
  rpcUrls: {
    ...each(
      EVM_CHAINS.map(({ key }) => key),
      chainRpcUrls,
    ),
    sui: {
      ...chainRpcUrls('sui'),
      meaning:
        "URLs of Sui's GraphQL nodes, in order of preference (default: the public ones of GET /api/chains)",
    },
    ton: {
      ...chainRpcUrls('ton'),
      meaning:
        "URLs of ton's nodes, of which two must agree: toncenter's, ending in /jsonRPC, or TonAPI's (default: the public ones of GET /api/chains)",
    },
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
    fallback: limitsText(DEFAULT_LIMITS),
    meaning: 'overrides of the budgets per client/global and 60 s; name=off lifts one',
    accepts: 'a comma list of name=client/global or name=off',
    parse: parseLimits,
  },
  redisUrls: {
    variable: 'REDIS_URL',
    fallback: '',
    meaning:
      'Redis or Valkey, through which several instances share what they count (default: none, each for itself)',
    accepts: 'a redis or rediss URL, or a comma list of some nodes of a cluster',
    isSecret: true,
    parse: parseRedisUrls,
  },
  redisPrefix: {
    variable: 'REDIS_PREFIX',
    fallback: 'swapgate',
    meaning: 'what every key there begins with: another one for each service that uses the same Redis',
    accepts: 'letters, digits, dots, dashes and underscores, at most 64',
    parse: (text) => (/^[\w.-]{1,64}$/.test(text) ? text : undefined),
  },
  inFlight: {
    variable: 'IN_FLIGHT',
    fallback: limitText(DEFAULT_CONCURRENCY),
    meaning:
      'upstream calls at one time: those of one client, a slash, those of all; what is beyond waits up to 2 s; submissions have places of their own',
    accepts: 'two counts such as 8/256 (off lifts one), or off',
    parse: (text) => parseLimit(text, 'It'),
  },
  corsOrigins: {
    variable: 'CORS_ORIGINS',
    fallback: '*',
    meaning:
      'origins whose pages may read replies: comma list, *, or off; with a list, a POST of any other page is refused',
    accepts: 'a comma list of origins such as https://app.example, * or off',
    parse: parseOrigins,
  },
  publicUrl: {
    variable: 'PUBLIC_URL',
    fallback: '',
    meaning:
      "where clients find the service, for the addresses in GET /openapi.json and /llms.txt (default: each request's own host, by `X-Forwarded-Host` and `X-Forwarded-Proto` of trusted proxies where they are there)",
    accepts: 'an http or https URL without a query, such as https://swap.example',
    parse: parsePublicUrl,
  },
  maxConnections: {
    variable: 'MAX_CONNECTIONS',
    fallback: '',
    meaning:
      'client connections open at once; beyond it the longest idle one is closed (default: what `ulimit -n` leaves beside 256 files, at most 10000)',
    accepts: 'an integer from 1 to 1000000',
    parse: (text) => (text === '' ? null : parseInteger(text, 1, 1_000_000)),
  },
  maxConnectionsPerClient: {
    variable: 'MAX_CONNECTIONS_PER_CLIENT',
    fallback: '',
    meaning:
      'those of one address (IPv6: one /64) that is no trusted proxy; off lifts it (default: an eighth of all, at most 256)',
    accepts: 'an integer from 1 to 1000000, or off',
    parse: (text) => (text === '' ? null : text === 'off' ? Infinity : parseInteger(text, 1, 1_000_000)),
  },
  maxStreams: {
    variable: 'MAX_STREAMS',
    fallback: String(MAX_STREAMS),
    meaning: 'event streams open at once, at most half as many as client connections',
    accepts: 'an integer from 0 to 1000000',
    parse: (text) => parseInteger(text, 0, 1_000_000),
  },
  console: {
    variable: 'CONSOLE',
    fallback: 'on',
    meaning: 'pages at / and /reference that show in a browser what the gateway knows and answers',
    accepts: 'on or off',
    parse: parseSwitch,
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
    meaning:
      'a second listener with GET /metrics (Prometheus), /live, /ready and the page of the operator; 0 picks a free port and logs it',
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
  logClients: {
    variable: 'LOG_CLIENTS',
    fallback: 'hashed',
    meaning:
      'how request lines name the client: hashed (under a random key of the process), on (the address, of IPv6 the /64), off (not at all)',
    accepts: CLIENT_NAMES.join(', '),
    parse: (text) => oneOf(text, CLIENT_NAMES),
  },
  passTraceparent: {
    variable: 'PASS_TRACEPARENT',
    fallback: 'on',
    meaning:
      "whether providers and nodes get the trace id of a request's traceparent; the log has it either way",
    accepts: 'on or off',
    parse: parseSwitch,
  },
  drainDelayMs: {
    variable: 'DRAIN_DELAY_MS',
    fallback: '0',
    meaning:
      'how long new connections are still served after SIGTERM or SIGINT, with readiness at 503: what a load balancer needs to look elsewhere',
    accepts: 'an integer from 0 to 600000',
    parse: (text) => parseInteger(text, 0, 600_000),
  },
  shutdownGraceMs: {
    variable: 'SHUTDOWN_GRACE_MS',
    fallback: '10000',
    meaning: 'how long requests in flight get then',
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
 * @throws ConfigError  listing each variable that is wrong or misspelled, its value and what is accepted
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const config = readGroup(SETTINGS, environment, problems)
  problems.push(...misspelled(environment, variableNames()))
  const isSharedUnsealed = environment.REDIS_URL?.trim() && !environment.QUOTE_SECRET?.trim()
  if (isSharedUnsealed) problems.push(SECRET_NEEDED)
  if (problems.length > 0) throw new ConfigError(`bad configuration:\n  ${problems.join('\n  ')}`)
  return config as unknown as Config
}

/** What instances take from each other is sealed with it: one that was made up by each would be of use to none. */
const SECRET_NEEDED =
  'REDIS_URL needs QUOTE_SECRET, the same for all instances: openssl rand -base64 32 makes one'

function readGroup(
  group: object,
  environment: Readonly<Record<string, string | undefined>>,
  problems: string[],
): object {
  const values = Object.entries(group).map(([key, member]: [string, object]) => [
    key,
    isSetting(member) ? readSetting(member, environment, problems) : readGroup(member, environment, problems),
  ])
  return Object.freeze(Object.fromEntries(values))
}

function readSetting(
  { variable, fallback, accepts, isSecret, parse }: Setting<unknown>,
  environment: Readonly<Record<string, string | undefined>>,
  problems: string[],
): unknown {
  const given = environment[variable]?.trim()
  const text = given === undefined || given === '' ? fallback : given
  try {
    const value = parse(text)
    if (value !== undefined) return value
    throw new TypeError(`expected ${accepts}`)
  } catch (error) {
    problems.push(
      `${variable}=${isSecret ? '(not shown)' : JSON.stringify(text)}: ${(error as Error).message}`,
    )
    return undefined
  }
}

function rowsOf(group: object): readonly Setting<unknown>[] {
  return Object.values(group).flatMap((member: object) => (isSetting(member) ? member : rowsOf(member)))
}

/** Every variable that is read. */
export function variableNames(): readonly string[] {
  return rowsOf(SETTINGS).map(({ variable }) => variable)
}

/** Those whose text may hold a key, or names a host of the operator's. */
export function secretVariables(): readonly string[] {
  return rowsOf(SETTINGS)
    .filter(({ isSecret }) => isSecret)
    .map(({ variable }) => variable)
}

/** The table that `--help` prints. */
export function helpText(): string {
  const rows = rowsOf(SETTINGS)
  const width = Math.max(...rows.map((row) => row.variable.length))
  const lines = rows.flatMap(({ variable, fallback, meaning, accepts }) => [
    `  ${variable.padEnd(width)}  ${meaning}`,
    `  ${''.padEnd(width)}  accepts ${accepts}${fallback === '' ? '' : `; default ${fallback}`}`,
  ])
  return ['swapgate: configuration by environment variables', '', ...lines, ''].join('\n')
}
