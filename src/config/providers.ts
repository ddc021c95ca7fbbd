/**
 * The providers that are asked for routes, prices and reports: a row each,
 * with what is known of it before anybody asks. The variables of the
 * configuration, the help, the README's table and each provider's connection
 * are made from these rows; how a provider is asked stands in its adapter.
 *
 * A row is keyed by the provider's label, which stands in quotes, errors, logs
 * and metrics, and names its variables: XPROV_URL, XPROV_API_KEY.
 *
 * This file imports nothing but types, so that whatever reads the rows does
 * not load the adapters.
 */
import type { Quota } from '../upstream/governor.ts'

/** What we call ourselves where a provider asks who is calling. */
export const INTEGRATOR = 'swapgate'

/** What the public host grants. */
interface ProviderQuota {
  /** Null where nothing is published. */
  readonly keyless: Quota | null
  /** The quota with a key, where one is published; without one a key changes nothing here. */
  readonly keyed?: Quota
}

export interface ProviderRow {
  /** As people know it. */
  readonly name: string
  /** What it is asked for, in one line. */
  readonly purpose: string
  /** Where its documents and terms are. */
  readonly documents: string
  /** The public base URL. */
  readonly url: string
  /** Null where no quota is published: only its own refusals slow calls down. */
  readonly quota: ProviderQuota
  /** Where quotes are counted apart from the other calls. */
  readonly quoteQuota?: ProviderQuota
  /** The header that carries a key, and what stands before the key in it; absent where it takes none. */
  readonly key?: { readonly header: string; readonly prefix?: string }
  /** Sent with every request beside the key. */
  readonly headers?: Readonly<Record<string, string>>
  /** Bound of an answer's body. */
  readonly maxBytes: number
  /** The longest pause that its refusals may ask for. */
  readonly maxCooldownMs: number
}

const MINUTE_MS = 60_000
const TWO_HOURS_MS = 7_200_000
const perMinute = (calls: number): Quota => ({ calls, windowMs: MINUTE_MS })
const perTenSeconds = (calls: number): Quota => ({ calls, windowMs: 10_000 })
const perTwoHours = (calls: number): Quota => ({ calls, windowMs: TWO_HOURS_MS })

/**
 * A route with every pool of a large swap is some hundred KiB, and a market's answer is smaller. Reading
 * an answer holds the event loop, so the bound is close.
 */
const ANSWER_BYTES = 1024 * 1024
/** Reports of much traded tokens have 1.2 to 3.7 MB, of which little is parsed: see rugcheck.ts. */
const REPORT_BYTES = 4 * 1024 * 1024
/** LI.FI locks out for as long; nobody is known to lock out for longer. */
const LONGEST_COOLDOWN_MS = TWO_HOURS_MS

export const PROVIDERS = {
  jupiter: {
    name: 'Jupiter',
    purpose: 'Solana: swaps, rows, discovery, prices, security',
    documents: 'https://dev.jup.ag',
    url: 'https://api.jup.ag',
    quota: { keyless: perMinute(30), keyed: perMinute(60) },
    key: { header: 'x-api-key' },
    maxBytes: ANSWER_BYTES,
    maxCooldownMs: LONGEST_COOLDOWN_MS,
  },
  kyberswap: {
    name: 'KyberSwap',
    purpose: 'EVM swaps',
    documents: 'https://docs.kyberswap.com',
    url: 'https://aggregator-api.kyberswap.com',
    quota: { keyless: perTenSeconds(30) },
    // KyberSwap grants less without this header, or where the two calls of a swap differ in it.
    headers: { 'x-client-id': INTEGRATOR },
    maxBytes: ANSWER_BYTES,
    maxCooldownMs: LONGEST_COOLDOWN_MS,
  },
  velora: {
    name: 'Velora',
    purpose: 'EVM swaps',
    documents: 'https://developers.velora.xyz',
    url: 'https://api.paraswap.io',
    quota: { keyless: null },
    maxBytes: ANSWER_BYTES,
    maxCooldownMs: LONGEST_COOLDOWN_MS,
  },
  xprov: {
    name: 'LI.FI',
    purpose: 'cross-chain routes, Sui swaps',
    documents: 'https://docs.li.fi',
    url: 'https://li.quest',
    quota: { keyless: perMinute(100), keyed: perMinute(100) },
    quoteQuota: { keyless: perTwoHours(75), keyed: perTwoHours(12_000) },
    key: { header: 'x-lifi-api-key' },
    maxBytes: ANSWER_BYTES,
    maxCooldownMs: LONGEST_COOLDOWN_MS,
  },
  swapcoffee: {
    name: 'swap.coffee',
    purpose: 'TON swaps',
    documents: 'https://docs.swap.coffee',
    url: 'https://backend.swap.coffee',
    quota: { keyless: perTenSeconds(10) },
    key: { header: 'x-api-key' },
    maxBytes: ANSWER_BYTES,
    maxCooldownMs: LONGEST_COOLDOWN_MS,
  },
  stonfi: {
    name: 'STON.fi',
    purpose: 'TON: a second opinion on quotes',
    documents: 'https://docs.ston.fi',
    url: 'https://api.ston.fi',
    quota: { keyless: null },
    maxBytes: ANSWER_BYTES,
    maxCooldownMs: LONGEST_COOLDOWN_MS,
  },
  aftermath: {
    name: 'Aftermath',
    purpose: 'Sui: a second opinion on quotes',
    documents: 'https://docs.aftermath.finance',
    url: 'https://aftermath.finance',
    quota: { keyless: perTenSeconds(1_000) },
    maxBytes: ANSWER_BYTES,
    maxCooldownMs: LONGEST_COOLDOWN_MS,
  },
  dexscreener: {
    name: 'DexScreener',
    purpose: 'rows, boosts, links',
    documents: 'https://docs.dexscreener.com',
    url: 'https://api.dexscreener.com',
    quota: { keyless: perMinute(300) },
    maxBytes: ANSWER_BYTES,
    maxCooldownMs: LONGEST_COOLDOWN_MS,
  },
  geckoterminal: {
    name: 'GeckoTerminal',
    purpose: 'discovery, candles, trades, links',
    documents: 'https://apiguide.geckoterminal.com',
    url: 'https://api.geckoterminal.com/api/v2',
    quota: { keyless: perMinute(30) },
    // The header of CoinGecko's demo plan, which is served at another host.
    key: { header: 'x-cg-demo-api-key' },
    maxBytes: ANSWER_BYTES,
    maxCooldownMs: LONGEST_COOLDOWN_MS,
  },
  goplus: {
    name: 'GoPlus',
    purpose: 'security, holders',
    documents: 'https://docs.gopluslabs.io',
    url: 'https://api.gopluslabs.io',
    quota: { keyless: perMinute(30) },
    key: { header: 'authorization', prefix: 'Bearer ' },
    maxBytes: ANSWER_BYTES,
    maxCooldownMs: LONGEST_COOLDOWN_MS,
  },
  rugcheck: {
    name: 'RugCheck',
    purpose: 'Solana: security, holders, locked liquidity',
    documents: 'https://api.rugcheck.xyz/swagger/index.html',
    url: 'https://api.rugcheck.xyz/v1',
    // A guess: no quota is published, and bursts are answered with 429.
    quota: { keyless: perMinute(60) },
    key: { header: 'x-api-key' },
    maxBytes: REPORT_BYTES,
    maxCooldownMs: LONGEST_COOLDOWN_MS,
  },
  defillama: {
    name: 'DefiLlama',
    purpose: 'prices in portfolios',
    documents: 'https://api-docs.defillama.com',
    url: 'https://coins.llama.fi',
    quota: { keyless: null },
    maxBytes: ANSWER_BYTES,
    maxCooldownMs: LONGEST_COOLDOWN_MS,
  },
} as const satisfies Readonly<Record<string, ProviderRow>>

export type ProviderName = keyof typeof PROVIDERS
export type KeyedProvider = {
  [Name in ProviderName]: (typeof PROVIDERS)[Name] extends { readonly key: object } ? Name : never
}[ProviderName]

export const PROVIDER_NAMES = Object.keys(PROVIDERS) as readonly ProviderName[]
export const KEYED_PROVIDERS = PROVIDER_NAMES.filter(
  (name) => 'key' in PROVIDERS[name],
) as readonly KeyedProvider[]

/**
 * What is sent to the provider with every request.
 * @param key  null or empty sends none: an empty one would be refused as a bad one
 */
export function headersFor(name: ProviderName, key: string | null): Readonly<Record<string, string>> {
  const row: ProviderRow = PROVIDERS[name]
  const carried = key && row.key ? { [row.key.header]: `${row.key.prefix ?? ''}${key}` } : {}
  return { ...row.headers, ...carried }
}

/** @param counted  `quote` for an upstream that is only asked for quotes */
export function quotaFor(name: ProviderName, key: string | null, counted: 'call' | 'quote'): Quota | null {
  const row: ProviderRow = PROVIDERS[name]
  const { keyless, keyed } = (counted === 'quote' && row.quoteQuota) || row.quota
  return (key === null ? undefined : keyed) ?? keyless
}
