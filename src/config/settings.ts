/**
 * The settings, one row a variable: each row documents, defaults and parses its variable, and its format is the type
 * of the value. `Config`, the help and docs/configuration.md follow from this table.
 */
import { EVM_CHAINS } from '../chains/find.ts'
import { CLIENT_NAMES } from '../http/client/names.ts'
import { parseTrustedProxies } from '../http/client/trusted-proxies.ts'
import { DEFAULT_LIMITS, limitsText, limitText, parseLimit, parseLimits } from '../http/limit/budgets.ts'
import { MAX_STREAMS } from '../http/streams.ts'
import { EXTRA_METHOD_NAMES, LEVELS } from '../runtime/resources.ts'
import { DEFAULT_CONCURRENCY } from '../upstream/concurrency.ts'
import { MAX_SLOTS_BEHIND } from '../upstream/nodes/freshness.ts'
import { MAX_COMPUTE_UNIT_PRICE, MAX_RETRIES } from './defaults.ts'
import {
  BASE_URL,
  HOST,
  integer,
  KEY,
  namesOf,
  ORIGINS,
  oneOf,
  optional,
  orOff,
  PATHS,
  PUBLIC_URL,
  REDIS_URLS,
  SECRET,
  SWITCH,
  URLS,
} from './formats.ts'
import {
  KEYED_PROVIDERS,
  type KeyedProvider,
  PROVIDER_NAMES,
  PROVIDERS,
  type ProviderName,
} from './providers.ts'
import type { Setting, SettingGroup } from './setting.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const providerUrl = (name: ProviderName): Setting<string | null> => ({
  variable: `${name.toUpperCase()}_URL`,
  fallback: PROVIDERS[name].url,
  meaning: `base URL of ${PROVIDERS[name].name} (${PROVIDERS[name].purpose}); off switches it off`,
  format: BASE_URL,
  isSecret: true,
})

const providerKey = (name: KeyedProvider): Setting<string | null> => ({
  variable: `${name.toUpperCase()}_API_KEY`,
  fallback: '',
  meaning: `key of ${PROVIDERS[name].name}, sent there only`,
  format: optional(KEY),
  isSecret: true,
})

const chainRpcUrls = (key: string): Setting<readonly string[] | null> => ({
  variable: `RPC_URLS_${key.toUpperCase()}`,
  fallback: '',
  meaning: `RPC URLs of ${key}, in order of preference (default: the public ones of GET /api/chains)`,
  format: URLS,
  isSecret: true,
})

/** A group of settings, one for each name. */
function each<Name extends string, T>(
  names: readonly Name[],
  settingOf: (name: Name) => Setting<T>,
): Readonly<Record<Name, Setting<T>>> {
  return Object.fromEntries(names.map((name) => [name, settingOf(name)])) as Record<Name, Setting<T>>
}

const RPC_URLS: Readonly<Record<string, Setting<readonly string[] | null>>> = {
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
}

export const SETTINGS = {
  host: {
    variable: 'HOST',
    fallback: '127.0.0.1',
    meaning: 'listen address',
    format: HOST,
  },
  port: {
    variable: 'PORT',
    fallback: '8080',
    meaning: 'listen port; 0 picks a free one and logs it',
    format: integer(0, 65_535),
  },
  mode: {
    variable: 'MODE',
    fallback: 'sandbox',
    meaning: 'sandbox: a simulated outside world on loopback; live: the real providers',
    format: oneOf(['sandbox', 'live']),
  },
  /** Null where the variable is not set: the public endpoint in live mode, the sandbox's own node in sandbox mode. */
  solanaRpcUrls: {
    variable: 'SOLANA_RPC_URLS',
    fallback: '',
    meaning:
      'Solana RPC URLs in order of preference: reads fail over along it (default: live, the public mainnet endpoint; sandbox, its own node)',
    format: URLS,
    isSecret: true,
  },
  /** Null where the variable is not set: the same as for reads. */
  solanaSendUrls: {
    variable: 'SOLANA_SEND_URLS',
    fallback: '',
    meaning:
      'signed transactions go to all of these at once, the first acceptance answers (default: SOLANA_RPC_URLS)',
    format: URLS,
    isSecret: true,
  },
  /** Null where the variable is not set: none. */
  solanaLandingUrls: {
    variable: 'SOLANA_LANDING_URLS',
    fallback: '',
    meaning:
      'services that take transactions only without preflight, for a tip: they get what a node has accepted (default: none)',
    format: URLS,
    isSecret: true,
  },
  maxRetries: {
    variable: 'SOLANA_MAX_RETRIES',
    fallback: String(MAX_RETRIES),
    meaning:
      "bound of a submission's maxRetries (more is lowered to it, none is set to it), and of how often the gateway sends an accepted transaction again",
    format: integer(0, 100),
  },
  /** Reads that the relay takes beside its own. */
  extraRpcMethods: {
    variable: 'EXTRA_RPC_METHODS',
    fallback: '',
    meaning: `reads that the relay takes beside its fourteen methods: ${EXTRA_METHOD_NAMES.join(', ')}`,
    format: namesOf(EXTRA_METHOD_NAMES),
  },
  /** Whether reads that ask the same share an answer. */
  readCache: {
    variable: 'SOLANA_READ_CACHE',
    fallback: 'on',
    meaning: 'whether identical reads share an answer; off makes each a call of its own',
    format: SWITCH,
  },
  /** How long answers about the whole cluster are kept. */
  readCacheMs: {
    variable: 'SOLANA_READ_CACHE_MS',
    fallback: '200',
    meaning:
      'how long the answers of getSlot, getBlockHeight, getLatestBlockhash and getRecentPrioritizationFees are kept; 0 for not at all',
    format: integer(0, 10_000),
  },
  /** A node that is further behind the best one is asked last. */
  maxSlotsBehind: {
    variable: 'SOLANA_MAX_SLOTS_BEHIND',
    fallback: String(MAX_SLOTS_BEHIND),
    meaning: 'slots by which a node may be behind the best one for 2 s, before it is asked last',
    format: integer(1, 1_000),
  },
  /** Whether there are WebSockets at the relay's path. */
  ws: {
    variable: 'WS',
    fallback: 'on',
    meaning: 'a WebSocket at /api/solrpc, over which clients wait for signatures',
    format: SWITCH,
  },
  /** A second port for them. Null where the variable is not set: PORT + 1 in sandbox mode, off in live mode. */
  wsPort: {
    variable: 'WS_PORT',
    fallback: '',
    meaning:
      'a second port, which @solana/web3.js opens that WebSocket on where the URL of its RPC names a port: one more than that; 0 picks a free one (default: sandbox, PORT + 1; live, off)',
    format: optional(orOff('off', integer(0, 65_535))),
  },
  /** Base URLs; null where a provider is switched off. In sandbox mode the public ones give way to the sandbox's. */
  providerUrls: each(PROVIDER_NAMES, providerUrl),
  /** Null where there is none. */
  providerKeys: each(KEYED_PROVIDERS, providerKey),
  /** With the operator's own tokens. */
  tokensFiles: {
    variable: 'TOKENS_FILE',
    fallback: '',
    meaning:
      "JSON files with tokens of the operator's own, for the token list and the portfolios: in the gateway's format, or Token Lists as tokenlists.org has them; SIGHUP reads them again",
    format: PATHS,
  },
  /** Null where the operator publishes nothing. */
  contentDir: {
    variable: 'CONTENT_DIR',
    fallback: '',
    meaning: "a folder with content of the operator's own, such as announcements; SIGHUP reads it again",
    format: {
      accepts: 'a path',
      parse: (text) => (text === '' ? null : text),
    },
  },
  /** Dollars that a pool must hold for its price to count in a portfolio. */
  minLiquidityUsd: {
    variable: 'MIN_LIQUIDITY_USD',
    fallback: '10000',
    meaning: 'dollars that a pool must hold for its price to count in a portfolio',
    format: integer(0, 9_999_999),
  },
  /** Null where the variable is not set: v2-build with a key of Jupiter's, v1 without. */
  jupiterApi: {
    variable: 'JUPITER_API',
    fallback: '',
    meaning:
      "which of Jupiter's APIs is asked: v1 (quote and swap), v2-build (instructions, no fee) or v2-order (order, RFQ routers excluded; where it charges a fee its builds are refused) (default: v2-build with JUPITER_API_KEY, v1 without)",
    format: optional(oneOf(['v1', 'v2-build', 'v2-order'])),
  },
  /** Micro-lamports per compute unit that built material may ask for. */
  maxComputeUnitPrice: {
    variable: 'MAX_COMPUTE_UNIT_PRICE',
    fallback: String(MAX_COMPUTE_UNIT_PRICE),
    meaning: 'micro-lamports per compute unit above which a built Solana transaction is refused',
    format: {
      accepts: 'an integer from 0 to 18446744073709551615',
      parse: (text) => (/^\d{1,20}$/.test(text) && BigInt(text) >> 64n === 0n ? BigInt(text) : undefined),
    },
  },
  /** What a build must reach. */
  minVerification: {
    variable: 'MIN_VERIFICATION',
    fallback: 'simulated',
    meaning:
      "what built material must reach: proved (from its bytes alone), simulated (executed at a node) or stated (the provider's word)",
    format: { ...oneOf(LEVELS), accepts: LEVELS.join(', ') },
  },
  uniswapV2: {
    variable: 'UNISWAP_V2',
    fallback: 'on',
    meaning: "whether the chain's Uniswap V2 router is asked too, over its RPC",
    format: SWITCH,
  },
  /** Null: random, for the life of the process. */
  quoteSecret: {
    variable: 'QUOTE_SECRET',
    fallback: '',
    meaning:
      "seals quotes, and with REDIS_URL what instances share, so that they accept each other's (default: random per process; REDIS_URL needs one)",
    format: optional(SECRET),
    isSecret: true,
  },
  /** By chain key, of the EVM chains and TON; null where the variable is not set. */
  rpcUrls: RPC_URLS,
  verifier: {
    variable: 'VERIFIER',
    fallback: 'noble',
    meaning: 'signature engine: noble (JavaScript) or native (OpenSSL); the same verdicts',
    format: oneOf(['noble', 'native']),
  },
  trustedProxies: {
    variable: 'TRUSTED_PROXIES',
    fallback: 'loopback',
    meaning:
      'who may supply a forwarded client address: comma list of loopback, private, addresses and CIDRs, or none',
    format: {
      accepts: 'a comma list of loopback, private, addresses and CIDRs, or none',
      parse: (text) => parseTrustedProxies(text === 'none' ? '' : text),
    },
  },
  clientAddressHeader: {
    variable: 'CLIENT_ADDRESS_HEADER',
    fallback: 'x-forwarded-for',
    meaning: 'the header that they supply it in',
    format: {
      accepts: 'a header name',
      parse: (text) => (/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(text) ? text.toLowerCase() : undefined),
    },
  },
  limits: {
    variable: 'LIMITS',
    fallback: limitsText(DEFAULT_LIMITS),
    meaning: 'overrides of the budgets per client/global and 60 s; name=off lifts one',
    format: {
      accepts: 'a comma list of name=client/global or name=off',
      parse: parseLimits,
    },
  },
  /** What instances share budgets through: one server, or nodes of a cluster. Null where there is none. */
  redisUrls: {
    variable: 'REDIS_URL',
    fallback: '',
    meaning:
      'Redis or Valkey, through which several instances share what they count (default: none, each for itself)',
    format: optional(REDIS_URLS),
    isSecret: true,
  },
  /** Before every key there. */
  redisPrefix: {
    variable: 'REDIS_PREFIX',
    fallback: 'swapgate',
    meaning: 'what every key there begins with: another one for each service that uses the same Redis',
    format: {
      accepts: 'letters, digits, dots, dashes and underscores, at most 64',
      parse: (text) => (/^[\w.-]{1,64}$/.test(text) ? text : undefined),
    },
  },
  /** Upstream calls at one time. */
  inFlight: {
    variable: 'IN_FLIGHT',
    fallback: limitText(DEFAULT_CONCURRENCY),
    meaning:
      'upstream calls at one time: those of one client, a slash, those of all; what is beyond waits up to 2 s; submissions have places of their own',
    format: {
      accepts: 'two counts such as 8/256 (off lifts one), or off',
      parse: (text) => parseLimit(text, 'It'),
    },
  },
  corsOrigins: {
    variable: 'CORS_ORIGINS',
    fallback: '*',
    meaning:
      'origins whose pages may read replies: comma list, *, or off; with a list, a POST of any other page is refused',
    format: ORIGINS,
  },
  publicUrl: {
    variable: 'PUBLIC_URL',
    fallback: '',
    meaning:
      "where clients find the service, for the addresses in GET /openapi.json and /llms.txt (default: each request's own host, by `X-Forwarded-Host` and `X-Forwarded-Proto` of trusted proxies where they are there)",
    format: optional(PUBLIC_URL),
  },
  /** Null where the variable is not set: what `ulimit -n` leaves. */
  maxConnections: {
    variable: 'MAX_CONNECTIONS',
    fallback: '',
    meaning:
      'client connections open at once; beyond it the longest idle one is closed (default: what `ulimit -n` leaves beside 256 files, at most 10000)',
    format: optional(integer(1, 1_000_000)),
  },
  /** Null where the variable is not set: a share of all; Infinity where it is off. */
  maxConnectionsPerClient: {
    variable: 'MAX_CONNECTIONS_PER_CLIENT',
    fallback: '',
    meaning:
      'those of one address (IPv6: one /64) that is no trusted proxy; off lifts it (default: an eighth of all, at most 256)',
    format: {
      ...optional(orOff(Infinity, integer(1, 1_000_000))),
      accepts: 'an integer from 1 to 1000000, or off',
    },
  },
  /** Event streams that may be open at once. */
  maxStreams: {
    variable: 'MAX_STREAMS',
    fallback: String(MAX_STREAMS),
    meaning: 'event streams open at once, at most half as many as client connections',
    format: integer(0, 1_000_000),
  },
  /** Whether there are pages for browsers. */
  console: {
    variable: 'CONSOLE',
    fallback: 'on',
    meaning: 'pages at / and /reference that show in a browser what the gateway knows and answers',
    format: SWITCH,
  },
  adminHost: {
    variable: 'ADMIN_HOST',
    fallback: '127.0.0.1',
    meaning: 'listen address of the admin listener',
    format: HOST,
  },
  /** Null: no admin listener. */
  adminPort: {
    variable: 'ADMIN_PORT',
    fallback: 'off',
    meaning:
      'a second listener with GET /metrics (Prometheus), /live, /ready and the page of the operator; 0 picks a free port and logs it',
    format: orOff(null, integer(0, 65_535)),
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    fallback: 'info',
    meaning: 'JSON lines on stdout, from this level up',
    format: { ...oneOf(LOG_LEVELS), accepts: LOG_LEVELS.join(', ') },
  },
  logClients: {
    variable: 'LOG_CLIENTS',
    fallback: 'hashed',
    meaning:
      'how request lines name the client: hashed (under a random key of the process), on (the address, of IPv6 the /64), off (not at all)',
    format: { ...oneOf(CLIENT_NAMES), accepts: CLIENT_NAMES.join(', ') },
  },
  /** Whether upstreams get a request's traceparent. */
  passTraceparent: {
    variable: 'PASS_TRACEPARENT',
    fallback: 'on',
    meaning:
      "whether providers and nodes get the trace id of a request's traceparent; the log has it either way",
    format: SWITCH,
  },
  drainDelayMs: {
    variable: 'DRAIN_DELAY_MS',
    fallback: '0',
    meaning:
      'how long new connections are still served after SIGTERM or SIGINT, with readiness at 503: what a load balancer needs to look elsewhere',
    format: integer(0, 600_000),
  },
  shutdownGraceMs: {
    variable: 'SHUTDOWN_GRACE_MS',
    fallback: '10000',
    meaning: 'how long requests in flight get then',
    format: integer(0, 600_000),
  },
} satisfies SettingGroup
