/**
 * The settings, one row a variable: each row documents, defaults and parses its variable, and its format is
 * the type of the value. `Config`, the help and docs/configuration.md follow from this table.
 */
import { parseAnyAddress } from '../chains/address.ts'
import { CHAINS } from '../chains/chains.ts'
import { EVM_CHAINS } from '../chains/find.ts'
import { isBase58Of } from '../chains/solana/base58.ts'
import { MAX_TRANSACTION_BYTES, MAX_V1_TRANSACTION_BYTES } from '../chains/solana/sizes.ts'
import { CLIENT_NAMES } from '../http/client/names.ts'
import { parseTrustedProxies } from '../http/client/trusted-proxies.ts'
import { DEFAULT_BUDGETS, limitsText, limitText, parseLimit, parseLimits } from '../http/limit/budgets.ts'
import { MAX_STREAMS } from '../http/reply/streams.ts'
import { LEVELS } from '../runtime/levels.ts'
import { EXTRA_METHOD_NAMES, RPC_COMPATS } from '../runtime/resources/solrpc.ts'
import { DEFAULT_CONCURRENCY } from '../upstream/admission/concurrency.ts'
import { MAX_BEHIND_MS } from '../upstream/nodes/solana/freshness.ts'
import { MAX_COMPUTE_UNIT_PRICE, MAX_RETRIES } from './defaults.ts'
import {
  addresses,
  BASE_URL,
  EXCEPTIONS,
  HOST,
  integerFormat,
  KEY,
  namesOf,
  ORIGINS,
  oneOf,
  optional,
  orOff,
  PATH,
  PATHS,
  PROXY,
  PUBLIC_URL,
  REDIS_URLS,
  ROUTER,
  type RouterServer,
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
import type { Format, Setting, SettingGroup } from './setting.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const providerUrl = (name: ProviderName): Setting<string | null> => ({
  variable: `${name.toUpperCase()}_URL`,
  fallback: PROVIDERS[name].url,
  meaning: `base URL of ${PROVIDERS[name].name} (${PROVIDERS[name].purpose}); off disables the provider`,
  format: orOff(null, BASE_URL),
  isSecret: true,
})

const providerKey = (name: KeyedProvider): Setting<string | null> => ({
  variable: `${name.toUpperCase()}_API_KEY`,
  meaning: `API key for ${PROVIDERS[name].name}, sent to it only`,
  format: optional(KEY),
  isSecret: true,
})

const chainRpcUrls = (key: string): Setting<readonly string[] | null> => ({
  variable: `RPC_URLS_${key.toUpperCase()}`,
  meaning: `RPC URLs of ${key}, in order of preference (default: the public ones in GET /api/chains)`,
  format: URLS,
  isSecret: true,
})

const routerUrl = (key: string): Setting<RouterServer | null> => ({
  variable: `ROUTER_URL_${key.toUpperCase()}`,
  meaning: `router server of your own on ${key}, and the contracts that it may call beside the known routers (default: none)`,
  format: optional(ROUTER),
  isSecret: true,
})

/** A group of settings, one for each name. */
function each<Name extends string, T>(
  names: readonly Name[],
  settingOf: (name: Name) => Setting<T>,
): Readonly<Record<Name, Setting<T>>> {
  return Object.fromEntries(names.map((name) => [name, settingOf(name)])) as Record<Name, Setting<T>>
}

const EVM_KEYS = EVM_CHAINS.map(({ key }) => key)

const RPC_URLS: Readonly<Record<string, Setting<readonly string[] | null>>> = {
  ...each(EVM_KEYS, chainRpcUrls),
  sui: {
    ...chainRpcUrls('sui'),
    meaning:
      'URLs of Sui GraphQL nodes, in order of preference (default: the public ones in GET /api/chains)',
  },
  ton: {
    ...chainRpcUrls('ton'),
    meaning:
      "URLs of TON nodes, two of which must agree, at two hosts: toncenter's, ending in /jsonRPC, or TonAPI's (default: the public ones in GET /api/chains)",
  },
}

const CHAIN_KEYS = CHAINS.map(({ key }) => key)

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
    meaning: 'listen port; 0 picks a free port and logs it',
    format: integerFormat(0, 65_535),
  },
  mode: {
    variable: 'MODE',
    fallback: 'sandbox',
    meaning: 'sandbox: simulated providers and nodes on loopback; live: the real ones',
    format: oneOf(['sandbox', 'live']),
  },
  sandboxProviders: {
    variable: 'SANDBOX_PROVIDERS',
    fallback: 'lifelike',
    meaning:
      'how the sandbox behaves. lifelike: providers differ in price and speed, and sometimes fail; ideal, for tests: all are equal and answer at once, and every wallet has plenty',
    format: oneOf(['lifelike', 'ideal']),
  },
  /** Keys, in the order of the chain table; all if unset. */
  chains: {
    variable: 'CHAINS',
    meaning: 'chains to serve, by their keys in GET /api/chains; others are refused (default: all)',
    format: {
      ...namesOf(CHAIN_KEYS),
      parse: (text) => (text === '' ? CHAIN_KEYS : namesOf(CHAIN_KEYS).parse(text)),
    } as Format<readonly string[]>,
  },
  /** Null if unset: all. */
  programs: {
    variable: 'PROGRAMS',
    meaning:
      'Solana programs that transactions may call, whether sent through the relay or built here; others are refused (default: all)',
    format: addresses('program ids', (text) => (isBase58Of(text, 32) ? text : null)),
  },
  /** Null if unset: all. */
  contracts: {
    variable: 'CONTRACTS',
    meaning:
      'contracts that built material may call on other chains: routers and spenders on EVM chains, packages on Sui, contracts on TON (default: all that can be proved)',
    format: addresses('contract addresses', parseAnyAddress),
  },
  sanctionsFiles: {
    variable: 'SANCTIONS_FILE',
    meaning:
      'files of addresses to refuse in any place, one per line or as a JSON array; SIGHUP reloads them (default: none)',
    format: PATHS,
  },
  sanctionsMayShrink: {
    variable: 'SANCTIONS_MAY_SHRINK',
    fallback: 'off',
    meaning:
      'whether a file of SANCTIONS_FILE may be without an address, or reloaded with less than half of those before; off takes that for a mistake, and keeps the addresses or refuses to start',
    format: SWITCH,
  },
  /** Null if unset: the public endpoint in live mode, the sandbox's own node in sandbox mode. */
  solanaRpcUrls: {
    variable: 'SOLANA_RPC_URLS',
    meaning:
      'Solana RPC URLs, in order of preference; reads fail over from one to the next (default: two public mainnet endpoints in live mode, the sandbox node in sandbox mode)',
    format: URLS,
    isSecret: true,
  },
  /** Null if unset: the same as for reads. */
  solanaSendUrls: {
    variable: 'SOLANA_SEND_URLS',
    meaning:
      'RPC URLs for signed transactions; each transaction goes to all of them at once, and the first acceptance is the answer (default: SOLANA_RPC_URLS)',
    format: URLS,
    isSecret: true,
  },
  /** Null if unset: none. */
  solanaLandingUrls: {
    variable: 'SOLANA_LANDING_URLS',
    meaning:
      'submission services that take transactions without preflight, for a tip; they get what a node has accepted (default: none)',
    format: URLS,
    isSecret: true,
  },
  maxRetries: {
    variable: 'SOLANA_MAX_RETRIES',
    fallback: String(MAX_RETRIES),
    meaning:
      'largest maxRetries of a submission, and its value if the submission has none; also how often, at most, the gateway resends an accepted transaction',
    format: integerFormat(0, 100),
  },
  maxV1TransactionBytes: {
    variable: 'MAX_V1_TRANSACTION_BYTES',
    fallback: String(MAX_TRANSACTION_BYTES),
    meaning:
      'largest size of a version 1 transaction, in bytes; others have at most 1232. Beyond 1232 it must be sent in base64',
    format: integerFormat(MAX_TRANSACTION_BYTES, MAX_V1_TRANSACTION_BYTES),
  },
  extraRpcMethods: {
    variable: 'EXTRA_RPC_METHODS',
    meaning: `read methods that the relay accepts in addition to its fourteen: ${EXTRA_METHOD_NAMES.join(', ')}`,
    format: namesOf(EXTRA_METHOD_NAMES),
  },
  rpcCompat: {
    variable: 'RPC_COMPAT',
    fallback: 'strict',
    meaning:
      'what POST /api/solrpc takes. strict: what the specification says; node: also what stock clients send to a node, which is all of EXTRA_RPC_METHODS, calls without params, and arrays of up to ten reads',
    format: oneOf(RPC_COMPATS),
  },
  readCache: {
    variable: 'SOLANA_READ_CACHE',
    fallback: 'on',
    meaning: 'whether identical reads share one answer; off sends each of them upstream',
    format: SWITCH,
  },
  readCacheMs: {
    variable: 'SOLANA_READ_CACHE_MS',
    fallback: '200',
    meaning:
      'how long to cache answers about the whole cluster, such as getSlot and getLatestBlockhash, in ms; never longer than half a slot; 0 disables the cache',
    format: integerFormat(0, 10_000),
  },
  maxBehindMs: {
    variable: 'SOLANA_MAX_BEHIND_MS',
    fallback: String(MAX_BEHIND_MS),
    meaning: 'a node that lags behind the others by more than this for 2 s is asked last, in ms',
    format: integerFormat(100, 600_000),
  },
  ws: {
    variable: 'WS',
    fallback: 'on',
    meaning: 'a WebSocket at /api/solrpc for subscriptions to signatures, accounts and slots',
    format: SWITCH,
  },
  /** Null if unset: PORT + 1 in sandbox mode, off in live mode. */
  wsPort: {
    variable: 'WS_PORT',
    meaning:
      'second port for that WebSocket: if the RPC URL names a port, @solana/web3.js connects to that port plus one; 0 picks a free port (default: PORT + 1 in sandbox mode, off in live mode)',
    format: optional(orOff('off', integerFormat(0, 65_535))),
  },
  /** Null if the provider is switched off. In sandbox mode the sandbox's own URLs replace the public ones. */
  providerUrls: each(PROVIDER_NAMES, providerUrl),
  /** Null if there is none. */
  providerKeys: each(KEYED_PROVIDERS, providerKey),
  /** Read from the variables that most programs share, in lower case as well. */
  proxies: {
    https: {
      variable: 'HTTPS_PROXY',
      meaning:
        'HTTP proxy for the https URLs of providers and nodes, and for logos, which is asked to CONNECT; https_proxy is read too. Not used in sandbox mode',
      format: optional(PROXY),
      isSecret: true,
      isShared: true,
    },
    http: {
      variable: 'HTTP_PROXY',
      meaning:
        'the same for http URLs, and for https URLs where HTTPS_PROXY is not set; http_proxy is read too',
      format: optional(PROXY),
      isSecret: true,
      isShared: true,
    },
    except: {
      variable: 'NO_PROXY',
      meaning:
        'hosts, with their subdomains, that are asked without a proxy, as host or host:port; * is all; no_proxy is read too',
      format: EXCEPTIONS,
      isShared: true,
    },
  },
  /** Null if there is none; one does not work without the other. */
  goplusApp: {
    key: {
      variable: 'GOPLUS_APP_KEY',
      meaning: 'app key of your GoPlus account, which signs for its access tokens with GOPLUS_APP_SECRET',
      format: optional(KEY),
      isSecret: true,
    },
    secret: {
      variable: 'GOPLUS_APP_SECRET',
      meaning: 'secret of that app; it is never sent',
      format: optional(KEY),
      isSecret: true,
    },
  },
  tokensFiles: {
    variable: 'TOKENS_FILE',
    meaning:
      "JSON files of your own tokens, for the token list and portfolios, in the gateway's format or as Token Lists (tokenlists.org); SIGHUP reloads them",
    format: PATHS,
  },
  /** Null if the operator publishes nothing. */
  contentDir: {
    variable: 'CONTENT_DIR',
    meaning: 'folder with content of your own, such as announcements; SIGHUP reloads it',
    format: optional(PATH),
  },
  /** Null if off; `proxy` is null if the hosts themselves are asked. */
  logos: {
    variable: 'LOGOS',
    fallback: 'on',
    meaning:
      'GET /api/logo, which fetches the pictures that token lists name from their hosts; a URL names a proxy that is asked for /host/path instead (sandbox: its own)',
    format: orOff(null, {
      accepts: 'on, or an http or https URL without a query',
      parse(text) {
        const proxy = text === 'on' ? null : PUBLIC_URL.parse(text)
        return proxy === undefined ? undefined : { proxy }
      },
    } as Format<{ readonly proxy: string | null }>),
  },
  /** Null if the operator brings none. */
  descriptorsDir: {
    variable: 'DESCRIPTORS_DIR',
    meaning:
      'folder with ERC-7730 descriptors, with which /api/explain describes contracts that it does not know; read at first use, and again on SIGHUP',
    format: optional(PATH),
  },
  minLiquidityUsd: {
    variable: 'MIN_LIQUIDITY_USD',
    fallback: '10000',
    meaning: 'least liquidity that a pool needs to set a price in a portfolio, in dollars',
    format: integerFormat(0, 9_999_999),
  },
  /** Null if unset: the free plan's with a key, and less without. */
  jupiterQuota: {
    variable: 'JUPITER_QUOTA',
    meaning:
      "calls a minute that your plan of Jupiter's grants, all of its APIs together (default: 60 with JUPITER_API_KEY, 30 without)",
    format: optional(integerFormat(1, 1_000_000)),
  },
  maxComputeUnitPrice: {
    variable: 'MAX_COMPUTE_UNIT_PRICE',
    fallback: String(MAX_COMPUTE_UNIT_PRICE),
    meaning: 'highest compute unit price that a built Solana transaction may set, in micro-lamports',
    format: {
      accepts: 'an integer from 0 to 18446744073709551615',
      parse: (text) => (/^\d{1,20}$/.test(text) && BigInt(text) >> 64n === 0n ? BigInt(text) : undefined),
    },
  },
  minVerification: {
    variable: 'MIN_VERIFICATION',
    fallback: 'simulated',
    meaning:
      "least verification of built material: proved (from its bytes alone), simulated (executed at a node) or stated (the provider's claim)",
    format: oneOf(LEVELS),
  },
  priceFloorBps: {
    variable: 'PRICE_FLOOR_BPS',
    fallback: '1000',
    meaning:
      'how far an offer may be below the value that two independent price sources give, in hundredths of a percent; 10000 for no floor',
    format: integerFormat(1, 10_000),
  },
  uniswapV2: {
    variable: 'UNISWAP_V2',
    fallback: 'on',
    meaning: 'whether to ask the Uniswap V2 router of a chain for quotes too, over RPC',
    format: SWITCH,
  },
  uniswapV3: {
    variable: 'UNISWAP_V3',
    fallback: 'on',
    meaning: 'whether to ask the V3 contracts of Uniswap and PancakeSwap on a chain for quotes too, over RPC',
    format: SWITCH,
  },
  solanaPools: {
    variable: 'SOLANA_POOLS',
    fallback: 'on',
    meaning:
      "whether to compute quotes in Orca's Whirlpools and Raydium's CPMM pools too, from their state at the Solana nodes",
    format: SWITCH,
  },
  /** Null if unset: random, for the life of the process. */
  quoteSecret: {
    variable: 'QUOTE_SECRET',
    meaning:
      'secret that seals quotes, and with REDIS_URL submissions under way; give all instances the same (default: random per process; required with REDIS_URL)',
    format: optional(SECRET),
    isSecret: true,
  },
  /** By chain key, for every chain but Solana; null if the variable is not set. */
  rpcUrls: RPC_URLS,
  /** By the key of an EVM chain; null if there is none. */
  routers: each(EVM_KEYS, routerUrl) as Readonly<Record<string, Setting<RouterServer | null>>>,
  verifier: {
    variable: 'VERIFIER',
    fallback: 'noble',
    meaning:
      'engine that verifies signatures: noble (JavaScript) or native (OpenSSL); both give the same verdicts',
    format: oneOf(['noble', 'native']),
  },
  trustedProxies: {
    variable: 'TRUSTED_PROXIES',
    fallback: 'loopback',
    meaning: 'proxies whose forwarded client address is accepted',
    format: {
      accepts: 'a comma list of loopback, private, addresses and CIDRs, or none',
      parse: (text) => parseTrustedProxies(text === 'none' ? '' : text),
    },
  },
  clientAddressHeader: {
    variable: 'CLIENT_ADDRESS_HEADER',
    fallback: 'x-forwarded-for',
    meaning: 'header in which trusted proxies send the client address',
    format: {
      accepts: 'a header name',
      parse: (text) => (/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(text) ? text.toLowerCase() : undefined),
    },
  },
  limits: {
    variable: 'LIMITS',
    fallback: limitsText(DEFAULT_BUDGETS),
    meaning: 'changes to the budgets: requests per 60 s, for one client and for all; name=off lifts a budget',
    format: {
      accepts: 'a comma list of name=client/global or name=off',
      parse: parseLimits,
    },
  },
  /** One server, or nodes of a cluster. Null if there is none. */
  redisUrls: {
    variable: 'REDIS_URL',
    meaning:
      'Redis or Valkey, through which instances share budgets and quotas (default: none, each instance counts on its own)',
    format: optional(REDIS_URLS),
    isSecret: true,
  },
  redisPrefix: {
    variable: 'REDIS_PREFIX',
    fallback: 'swapgate',
    meaning: 'prefix of every key in Redis; use one for each service that shares the Redis',
    format: {
      accepts: 'letters, digits, dots, dashes and underscores, at most 64',
      parse: (text) => (/^[\w.-]{1,64}$/.test(text) ? text : undefined),
    },
  },
  inFlight: {
    variable: 'IN_FLIGHT',
    fallback: limitText(DEFAULT_CONCURRENCY),
    meaning:
      'concurrent upstream calls for one client and for all, as client/all; further calls wait up to 2 s; submissions have their own slots',
    format: {
      accepts: 'two counts such as 8/256 (off lifts one), or off',
      parse: (text) => parseLimit(text, 'It'),
    },
  },
  corsOrigins: {
    variable: 'CORS_ORIGINS',
    fallback: '*',
    meaning:
      "origins whose pages may read replies; with a list or off, a POST or WebSocket from any other page is refused, except the service's own pages",
    format: ORIGINS,
  },
  publicUrl: {
    variable: 'PUBLIC_URL',
    meaning:
      'public URL of the service, for GET /openapi.json and /llms.txt (default: the host of each request, or `X-Forwarded-Host` and `X-Forwarded-Proto` from a trusted proxy)',
    format: optional(PUBLIC_URL),
  },
  /** Null if unset: what `ulimit -n` leaves. */
  maxConnections: {
    variable: 'MAX_CONNECTIONS',
    meaning:
      'most open client connections; beyond this, the one that has been idle longest is closed (default: what `ulimit -n` leaves after 256 files, at most 10000)',
    format: optional(integerFormat(1, 1_000_000)),
  },
  /** Null if unset: a share of all connections. Infinity if off. */
  maxConnectionsPerClient: {
    variable: 'MAX_CONNECTIONS_PER_CLIENT',
    meaning:
      'most open connections from one client address (IPv6: one /64), trusted proxies excepted; off lifts the limit (default: an eighth of all connections, at most 256)',
    format: optional(orOff(Infinity, integerFormat(1, 1_000_000))),
  },
  maxStreams: {
    variable: 'MAX_STREAMS',
    fallback: String(MAX_STREAMS),
    meaning: 'most open event streams; never more than half of the client connections',
    format: integerFormat(0, 1_000_000),
  },
  console: {
    variable: 'CONSOLE',
    fallback: 'on',
    meaning: 'pages for browsers: the console at / and the API reference at /reference',
    format: SWITCH,
  },
  adminHost: {
    variable: 'ADMIN_HOST',
    fallback: '127.0.0.1',
    meaning: 'listen address of the admin listener',
    format: HOST,
  },
  /** Null if off: no admin listener. */
  adminPort: {
    variable: 'ADMIN_PORT',
    fallback: 'off',
    meaning:
      "port of the admin listener: GET /metrics (Prometheus), /live, /ready and the operator's page; 0 picks a free port and logs it",
    format: orOff(null, integerFormat(0, 65_535)),
  },
  operations: {
    variable: 'OPERATIONS',
    fallback: 'public',
    meaning:
      'who can read the statistics (`/api/diagnostics`, `/api/bake-off` and `/api/funnel`): public, or admin for the admin listener only',
    format: oneOf(['public', 'admin']),
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    fallback: 'info',
    meaning: 'lowest level of the JSON log lines on stdout',
    format: oneOf(LOG_LEVELS),
  },
  /** Infinity if off. */
  logLines: {
    variable: 'LOG_LINES',
    fallback: '100',
    meaning:
      'most lines about requests of one client in a second; a further line says how many were left out; off lifts the bound',
    format: orOff(Infinity, integerFormat(1, 1_000_000)),
  },
  logClients: {
    variable: 'LOG_CLIENTS',
    fallback: 'hashed',
    meaning:
      'how the log names clients: hashed (with a random key per process), on (the address; for IPv6 the /64) or off (not at all)',
    format: oneOf(CLIENT_NAMES),
  },
  passTraceparent: {
    variable: 'PASS_TRACEPARENT',
    fallback: 'on',
    meaning:
      "whether to send providers and nodes the trace id of a request's traceparent; the log has it either way",
    format: SWITCH,
  },
  drainDelayMs: {
    variable: 'DRAIN_DELAY_MS',
    fallback: '0',
    meaning:
      'how long to serve new connections after SIGTERM or SIGINT, with readiness at 503, in ms: the time that a load balancer needs to notice',
    format: integerFormat(0, 600_000),
  },
  shutdownGraceMs: {
    variable: 'SHUTDOWN_GRACE_MS',
    fallback: '10000',
    meaning: 'how long requests under way may take to finish at shutdown, in ms',
    format: integerFormat(0, 600_000),
  },
} satisfies SettingGroup
