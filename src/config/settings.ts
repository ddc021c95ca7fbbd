/**
 * The settings, one row a variable: each row parses and defaults its variable, meanings.json says what it is
 * for, and its format is the type of the value. `Config`, the help and docs/configuration.md follow from this
 * table.
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
import { CODES } from '../runtime/errors.ts'
import { LEVELS } from '../runtime/levels.ts'
import { EXTRA_METHOD_NAMES, RPC_COMPATS } from '../runtime/resources/solrpc.ts'
import { DEFAULT_CONCURRENCY } from '../upstream/admission/concurrency.ts'
import { MAX_BEHIND_MS } from '../upstream/nodes/solana/freshness.ts'
import { MAX_COMPUTE_UNIT_PRICE, MAX_RETRIES } from './defaults.ts'
import * as format from './formats.ts'
import meanings from './meanings.json' with { type: 'json' }
import {
  KEYED_PROVIDERS,
  type KeyedProvider,
  PROVIDER_NAMES,
  PROVIDERS,
  type ProviderName,
} from './providers.ts'
import type { Format, Setting, SettingGroup } from './setting.ts'

const HEADER: Format<string> = {
  accepts: 'a header name',
  parse: (text) => (/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(text) ? text.toLowerCase() : undefined),
}
const ERROR_CODE: Format<string> = {
  accepts: 'an error code',
  parse: (text) => (Object.hasOwn(CODES, text) ? text : undefined),
}
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** A row, whose text is in meanings.json. */
const setting = <T>(variable: keyof typeof meanings, format: Format<T>, fallback?: string): Setting<T> => ({
  variable,
  fallback,
  meaning: meanings[variable],
  format,
})

/** The same for a value that no error repeats. */
const secret = <T>(...row: Parameters<typeof setting<T>>): Setting<T> => ({
  ...setting(...row),
  isSecret: true,
})

const providerUrl = (name: ProviderName): Setting<string | null> => ({
  variable: `${name.toUpperCase()}_URL`,
  fallback: PROVIDERS[name].url,
  meaning: `base URL of ${PROVIDERS[name].name} (${PROVIDERS[name].purpose}); off disables the provider`,
  format: format.orOff(null, format.BASE_URL),
  isSecret: true,
})

const providerKey = (name: KeyedProvider): Setting<string | null> => ({
  variable: `${name.toUpperCase()}_API_KEY`,
  meaning: `API key for ${PROVIDERS[name].name}, sent to it only`,
  format: format.optional(format.KEY),
  isSecret: true,
})

const chainRpcUrls = (key: string): Setting<readonly string[] | null> => ({
  variable: `RPC_URLS_${key.toUpperCase()}`,
  meaning: `RPC URLs of ${key}, in order of preference (default: the public ones in GET /api/chains)`,
  format: format.URLS,
  isSecret: true,
})

const routerUrl = (key: string): Setting<format.RouterServer | null> => ({
  variable: `ROUTER_URL_${key.toUpperCase()}`,
  meaning: `router server of your own on ${key}, and the contracts that it may call beside the known routers (default: none)`,
  format: format.optional(format.ROUTER),
  isSecret: true,
})

/** A group of settings, one for each name. */
function each<Name extends string, T>(names: readonly Name[], settingOf: (name: Name) => Setting<T>) {
  return Object.fromEntries(names.map((name) => [name, settingOf(name)])) as Record<Name, Setting<T>>
}

const EVM_KEYS = EVM_CHAINS.map(({ key }) => key)

const RPC_URLS: Readonly<Record<string, Setting<readonly string[] | null>>> = {
  ...each(EVM_KEYS, chainRpcUrls),
  sui: secret('RPC_URLS_SUI', format.URLS),
  ton: secret('RPC_URLS_TON', format.URLS),
}

const CHAIN_KEYS = CHAINS.map(({ key }) => key)

export const SETTINGS = {
  host: setting('HOST', format.HOST, '127.0.0.1'),
  port: setting('PORT', format.integerFormat(0, 65_535), '8080'),
  workers: setting('WORKERS', format.WORKERS, '1'),
  mode: setting('MODE', format.oneOf(['sandbox', 'live']), 'sandbox'),
  sandboxProviders: setting('SANDBOX_PROVIDERS', format.oneOf(['lifelike', 'ideal']), 'lifelike'),
  /** Keys, in the order of the chain table; all if unset. */
  chains: setting('CHAINS', {
    ...format.namesOf(CHAIN_KEYS),
    parse: (text) => (text === '' ? CHAIN_KEYS : format.namesOf(CHAIN_KEYS).parse(text)),
  } as Format<readonly string[]>),
  /** Null if unset: all. */
  programs: setting(
    'PROGRAMS',
    format.addresses('program ids', (text) => (isBase58Of(text, 32) ? text : null)),
  ),
  /** Null if unset: all. */
  contracts: setting('CONTRACTS', format.addresses('contract addresses', parseAnyAddress)),
  sanctionsFiles: setting('SANCTIONS_FILE', format.PATHS),
  sanctionsMayShrink: setting('SANCTIONS_MAY_SHRINK', format.SWITCH, 'off'),
  /** Null if unset: the public endpoint in live mode, the sandbox's own node in sandbox mode. */
  solanaRpcUrls: secret('SOLANA_RPC_URLS', format.URLS),
  /** Null if unset: the same as for reads. */
  solanaSendUrls: secret('SOLANA_SEND_URLS', format.URLS),
  /** Null if unset: none. */
  solanaLandingUrls: secret('SOLANA_LANDING_URLS', format.URLS),
  maxRetries: setting('SOLANA_MAX_RETRIES', format.integerFormat(0, 100), String(MAX_RETRIES)),
  maxV1TransactionBytes: setting(
    'MAX_V1_TRANSACTION_BYTES',
    format.integerFormat(MAX_TRANSACTION_BYTES, MAX_V1_TRANSACTION_BYTES),
    String(MAX_TRANSACTION_BYTES),
  ),
  extraRpcMethods: {
    ...setting('EXTRA_RPC_METHODS', format.namesOf(EXTRA_METHOD_NAMES)),
    meaning: `${meanings.EXTRA_RPC_METHODS}: ${EXTRA_METHOD_NAMES.join(', ')}`,
  },
  rpcCompat: setting('RPC_COMPAT', format.oneOf(RPC_COMPATS), 'strict'),
  readCache: setting('SOLANA_READ_CACHE', format.SWITCH, 'on'),
  readCacheMs: setting('SOLANA_READ_CACHE_MS', format.integerFormat(0, 10_000), '200'),
  maxBehindMs: setting('SOLANA_MAX_BEHIND_MS', format.integerFormat(100, 600_000), String(MAX_BEHIND_MS)),
  ws: setting('WS', format.SWITCH, 'on'),
  /** Null if unset: PORT + 1 in sandbox mode, off in live mode. */
  wsPort: setting('WS_PORT', format.optional(format.orOff('off', format.integerFormat(0, 65_535)))),
  /** Null if the provider is switched off. In sandbox mode the sandbox's own URLs replace the public ones. */
  providerUrls: each(PROVIDER_NAMES, providerUrl),
  /** Null if there is none. */
  providerKeys: each(KEYED_PROVIDERS, providerKey),
  /** Read from the variables that most programs share, in lower case as well. */
  proxies: {
    https: { ...secret('HTTPS_PROXY', format.optional(format.PROXY)), isShared: true },
    http: { ...secret('HTTP_PROXY', format.optional(format.PROXY)), isShared: true },
    except: { ...setting('NO_PROXY', format.EXCEPTIONS), isShared: true },
  },
  /** Null if there is none; one does not work without the other. */
  goplusApp: {
    key: secret('GOPLUS_APP_KEY', format.optional(format.KEY)),
    secret: secret('GOPLUS_APP_SECRET', format.optional(format.KEY)),
  },
  tokensFiles: setting('TOKENS_FILE', format.PATHS),
  /** Null if the operator publishes nothing. */
  contentDir: setting('CONTENT_DIR', format.optional(format.PATH)),
  /** Null if off; `proxy` is null if the hosts themselves are asked. */
  logos: setting(
    'LOGOS',
    format.orOff(null, {
      accepts: 'on, or an http or https URL without a query',
      parse(text) {
        const proxy = text === 'on' ? null : format.PUBLIC_URL.parse(text)
        return proxy === undefined ? undefined : { proxy }
      },
    } as Format<{ readonly proxy: string | null }>),
    'on',
  ),
  /** Null if the operator brings none. */
  descriptorsDir: setting('DESCRIPTORS_DIR', format.optional(format.PATH)),
  minLiquidityUsd: setting('MIN_LIQUIDITY_USD', format.integerFormat(0, 9_999_999), '10000'),
  /** Null if unset: the free plan's with a key, and less without. */
  jupiterQuota: setting('JUPITER_QUOTA', format.optional(format.integerFormat(1, 1_000_000))),
  maxComputeUnitPrice: setting(
    'MAX_COMPUTE_UNIT_PRICE',
    {
      accepts: 'an integer from 0 to 18446744073709551615',
      parse: (text) => (/^\d{1,20}$/.test(text) && BigInt(text) >> 64n === 0n ? BigInt(text) : undefined),
    },
    String(MAX_COMPUTE_UNIT_PRICE),
  ),
  minVerification: setting('MIN_VERIFICATION', format.oneOf(LEVELS), 'simulated'),
  priceFloorBps: setting('PRICE_FLOOR_BPS', format.integerFormat(1, 10_000), '1000'),
  uniswapV2: setting('UNISWAP_V2', format.SWITCH, 'on'),
  uniswapV3: setting('UNISWAP_V3', format.SWITCH, 'on'),
  solanaPools: setting('SOLANA_POOLS', format.SWITCH, 'on'),
  /** Null if unset: random, for the life of the process. */
  quoteSecret: secret('QUOTE_SECRET', format.optional(format.SECRET)),
  /** By chain key, for every chain but Solana; null if the variable is not set. */
  rpcUrls: RPC_URLS,
  /** By the key of an EVM chain; null if there is none. */
  routers: each(EVM_KEYS, routerUrl) as Readonly<Record<string, Setting<format.RouterServer | null>>>,
  verifier: setting('VERIFIER', format.oneOf(['noble', 'native']), 'noble'),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    {
      accepts: 'a comma list of loopback, private, addresses and CIDRs, or none',
      parse: (text) => parseTrustedProxies(text === 'none' ? '' : text),
    },
    'loopback',
  ),
  clientAddressHeader: setting('CLIENT_ADDRESS_HEADER', HEADER, 'x-forwarded-for'),
  limits: setting(
    'LIMITS',
    { accepts: 'a comma list of name=client/global or name=off', parse: parseLimits },
    limitsText(DEFAULT_BUDGETS),
  ),
  /** One server, or nodes of a cluster. Null if there is none. */
  redisUrls: secret('REDIS_URL', format.optional(format.REDIS_URLS)),
  redisPrefix: setting(
    'REDIS_PREFIX',
    {
      accepts: 'letters, digits, dots, dashes and underscores, at most 64',
      parse: (text) => (/^[\w.-]{1,64}$/.test(text) ? text : undefined),
    },
    'swapgate',
  ),
  inFlight: setting(
    'IN_FLIGHT',
    {
      accepts: 'two counts such as 8/256 (off lifts one), or off',
      parse: (text) => parseLimit(text, 'It'),
    },
    limitText(DEFAULT_CONCURRENCY),
  ),
  corsOrigins: setting('CORS_ORIGINS', format.ORIGINS, '*'),
  publicUrl: setting('PUBLIC_URL', format.optional(format.PUBLIC_URL)),
  /** Null if unset: what `ulimit -n` leaves. */
  maxConnections: setting('MAX_CONNECTIONS', format.optional(format.integerFormat(1, 1_000_000))),
  /** Null if unset: a share of all connections. Infinity if off. */
  maxConnectionsPerClient: setting(
    'MAX_CONNECTIONS_PER_CLIENT',
    format.optional(format.orOff(Infinity, format.integerFormat(1, 1_000_000))),
  ),
  maxStreams: setting('MAX_STREAMS', format.integerFormat(0, 1_000_000), String(MAX_STREAMS)),
  console: setting('CONSOLE', format.SWITCH, 'on'),
  adminHost: setting('ADMIN_HOST', format.HOST, '127.0.0.1'),
  /** Null if off: no admin listener. */
  adminPort: setting('ADMIN_PORT', format.orOff(null, format.integerFormat(0, 65_535)), 'off'),
  operations: setting('OPERATIONS', format.oneOf(['public', 'admin']), 'public'),
  logLevel: setting('LOG_LEVEL', format.oneOf(LOG_LEVELS), 'info'),
  logFormat: setting('LOG_FORMAT', format.oneOf(['json', 'names']), 'json'),
  /** Infinity if off. */
  logLines: setting('LOG_LINES', format.orOff(Infinity, format.integerFormat(1, 1_000_000)), '100'),
  logClients: setting('LOG_CLIENTS', format.oneOf(CLIENT_NAMES), 'hashed'),
  passTraceparent: setting('PASS_TRACEPARENT', format.SWITCH, 'on'),
  /** Which requests are recorded with what decided their replies: those for which all of these hold. */
  record: {
    /** Null if none is. */
    dir: setting('RECORD_DIR', format.optional(format.PATH)),
    /** It is the operator's own. */
    header: secret('RECORD_HEADER', format.optional(HEADER)),
    path: setting('RECORD_PATH', format.optional(format.PATH)),
    error: setting('RECORD_ERROR', format.optional(ERROR_CODE)),
    oneIn: setting('RECORD_ONE_IN', format.integerFormat(1, 1_000_000_000), '1'),
    /** Of all files. */
    maxMib: setting('RECORD_MIB', format.integerFormat(1, 1_000_000), '256'),
  },
  drainDelayMs: setting('DRAIN_DELAY_MS', format.integerFormat(0, 600_000), '0'),
  shutdownGraceMs: setting('SHUTDOWN_GRACE_MS', format.integerFormat(0, 600_000), '10000'),
} satisfies SettingGroup
