/**
 * The providers of routes, prices and reports, one row each: where the provider is, what it grants and what
 * it costs to read. Configuration variables, help, docs/providers.md and each provider's connection are
 * derived from these rows; the provider's wire format is in its adapter.
 *
 * The key of a row is the provider's label. It appears in quotes, errors, logs and metrics, and names the
 * variables: XPROV_URL, XPROV_API_KEY.
 *
 * This file imports only types, so that reading the rows does not load the adapters.
 */
import type { Quota } from '../upstream/admission/governor.ts'

/** The gateway's name for providers that ask who is calling. */
export const INTEGRATOR = 'swapgate'

/** The quota that the public host grants. */
interface ProviderQuota {
  /** Null if none is published: then only the provider's own refusals slow calls down. */
  readonly keyless: Quota | null
  /** The quota with a key. Absent if none is published: a key changes nothing then. */
  readonly keyed?: Quota
}

export interface ProviderRow {
  /** The name that people know. */
  readonly name: string
  /** What it provides, in one line. */
  readonly purpose: string
  /** URL of its documentation and terms. */
  readonly documents: string
  /** The public base URL. */
  readonly url: string
  readonly quota: ProviderQuota
  /** For a provider that counts quotes apart from other calls. */
  readonly quoteQuota?: ProviderQuota
  /**
   * The header that carries a key, and the text before the key in it. Absent if the provider takes no key.
   */
  readonly key?: {
    readonly header: string
    readonly prefix?: string
    /** Whether it answers without a key what it refuses with an invalid one. */
    readonly isOptional?: boolean
  }
  /** A cheap question, for `--check`. Absent if there is none. */
  readonly probe?: { readonly path: string; readonly body?: string }
  /** Sent with every request, in addition to the key. */
  readonly headers?: Readonly<Record<string, string>>
  /** The largest body of an answer: ANSWER_BYTES if absent. */
  readonly maxBytes?: number
}

const MINUTE_MS = 60_000
const TWO_HOURS_MS = 7_200_000
const perMinute = (calls: number): Quota => ({ calls, windowMs: MINUTE_MS })
const perTenSeconds = (calls: number): Quota => ({ calls, windowMs: 10_000 })
const perTwoHours = (calls: number): Quota => ({ calls, windowMs: TWO_HOURS_MS })

/**
 * A large swap's route with all its pools takes a few hundred KiB; market data takes less. Parsing an answer
 * blocks the event loop, so the bound is tight.
 */
export const ANSWER_BYTES = 1024 * 1024
/** Reports on heavily traded tokens take 1.2 to 3.7 MB, little of which is parsed: see rugcheck.ts. */
const REPORT_BYTES = 4 * 1024 * 1024
/**
 * The longest cooldown that a refusal may ask for: LI.FI locks clients out for this long. No provider is known to do so
 * for longer.
 */
export const LONGEST_COOLDOWN_MS = TWO_HOURS_MS

/** What the probes ask for: a hundredth of a coin in dollars, on Base and Solana; and dollars on TON. */
const ETH = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const WEI = '10000000000000000'
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112'
const USDC_SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const USDT_TON = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'

export const PROVIDERS = {
  jupiter: {
    name: 'Jupiter',
    purpose: 'Solana: swaps, rows, discovery, prices, security',
    documents: 'https://dev.jup.ag',
    url: 'https://api.jup.ag',
    quota: { keyless: perMinute(30), keyed: perMinute(60) },
    probe: { path: `/tokens/v2/search?query=${WRAPPED_SOL}` },
    key: { header: 'x-api-key' },
  },
  dflow: {
    name: 'DFlow',
    purpose: 'Solana swaps',
    documents: 'https://pond.dflow.net',
    // For development, without a key. Keys are for quote-api.dflow.net.
    url: 'https://dev-quote-api.dflow.net',
    // A guess: its answers say `x-ratelimit-limit: 60`, and not for how long.
    quota: { keyless: perMinute(60) },
    probe: { path: `/order?inputMint=${WRAPPED_SOL}&outputMint=${USDC_SOLANA}&amount=10000000` },
    key: { header: 'x-api-key' },
  },
  kyberswap: {
    name: 'KyberSwap',
    purpose: 'EVM swaps',
    documents: 'https://docs.kyberswap.com',
    url: 'https://aggregator-api.kyberswap.com',
    quota: { keyless: perTenSeconds(30) },
    // KyberSwap grants less without this header, or if a swap's two calls send different values.
    headers: { 'x-client-id': INTEGRATOR },
    probe: { path: `/base/api/v1/routes?tokenIn=${ETH}&tokenOut=${USDC}&amountIn=${WEI}` },
  },
  velora: {
    name: 'Velora',
    purpose: 'EVM swaps',
    documents: 'https://developers.velora.xyz',
    url: 'https://api.paraswap.io',
    // For callers without an agreement: one call a second, and 3,000 a day. A build of an old quote makes
    // three calls in a row.
    quota: { keyless: { calls: 1, windowMs: 1_000, burst: 3, daily: 3_000 } },
    probe: {
      path: `/prices?srcToken=${ETH}&srcDecimals=18&destToken=${USDC}&destDecimals=6&amount=${WEI}&side=SELL&network=8453&version=6.2`,
    },
  },
  xprov: {
    name: 'LI.FI',
    purpose: 'cross-chain routes, Sui swaps',
    documents: 'https://docs.li.fi',
    url: 'https://li.quest',
    quota: { keyless: perMinute(100), keyed: perMinute(100) },
    quoteQuota: { keyless: perTwoHours(75), keyed: perTwoHours(12_000) },
    key: { header: 'x-lifi-api-key' },
    probe: { path: '/v1/tools' },
  },
  swapcoffee: {
    name: 'swap.coffee',
    purpose: 'TON swaps',
    documents: 'https://docs.swap.coffee',
    url: 'https://backend.swap.coffee',
    quota: { keyless: perTenSeconds(10) },
    probe: {
      path: '/v1/route',
      body: JSON.stringify({
        input_token: { blockchain: 'ton', address: 'native' },
        output_token: { blockchain: 'ton', address: USDT_TON },
        input_amount: 1,
        max_splits: 1,
        max_length: 2,
      }),
    },
    key: { header: 'x-api-key' },
  },
  stonfi: {
    name: 'STON.fi',
    purpose: 'TON: decimals of jettons',
    documents: 'https://docs.ston.fi',
    url: 'https://api.ston.fi',
    quota: { keyless: null },
    probe: { path: `/v1/assets/${USDT_TON}` },
  },
  dexscreener: {
    name: 'DexScreener',
    purpose: 'rows, boosts, links',
    documents: 'https://docs.dexscreener.com',
    url: 'https://api.dexscreener.com',
    quota: { keyless: perMinute(300) },
    probe: { path: `/tokens/v1/base/${USDC}` },
  },
  geckoterminal: {
    name: 'GeckoTerminal',
    purpose: 'discovery, candles, trades, links',
    documents: 'https://apiguide.geckoterminal.com',
    url: 'https://api.geckoterminal.com/api/v2',
    quota: { keyless: perMinute(30) },
    probe: { path: `/networks/base/tokens/${USDC}/info` },
    // The header of CoinGecko's demo plan, which another host serves.
    key: { header: 'x-cg-demo-api-key' },
    // Without a version, a new one of the API would take effect unasked.
    headers: { accept: 'application/json;version=20230203' },
  },
  goplus: {
    name: 'GoPlus',
    purpose: 'security, holders',
    documents: 'https://docs.gopluslabs.io',
    url: 'https://api.gopluslabs.io',
    quota: { keyless: perMinute(30) },
    probe: { path: `/api/v1/token_security/8453?contract_addresses=${USDC}` },
  },
  rugcheck: {
    name: 'RugCheck',
    purpose: 'Solana: security, holders, locked liquidity',
    documents: 'https://api.rugcheck.xyz/swagger/index.html',
    url: 'https://api.rugcheck.xyz/v1',
    // A guess: no quota is published, and bursts get 429.
    quota: { keyless: perMinute(60) },
    // By its OpenAPI document.
    key: { header: 'authorization', isOptional: true },
    maxBytes: REPORT_BYTES,
    probe: { path: '/tokens/EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v/report/summary' },
  },
  defillama: {
    name: 'DefiLlama',
    purpose: 'prices in portfolios',
    documents: 'https://api-docs.defillama.com',
    url: 'https://coins.llama.fi',
    quota: { keyless: null },
    probe: { path: `/prices/current/base:${USDC}` },
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
 * The headers of every request to the provider.
 * @param key  null or empty sends no key: the provider would refuse an empty one as invalid
 */
export function headersFor(name: ProviderName, key: string | null): Readonly<Record<string, string>> {
  const row: ProviderRow = PROVIDERS[name]
  const carried = key && row.key ? { [row.key.header]: `${row.key.prefix ?? ''}${key}` } : {}
  return { ...row.headers, ...carried }
}

/** @param counted  `quote` for an upstream that serves only quotes */
export function quotaFor(name: ProviderName, key: string | null, counted: 'call' | 'quote'): Quota | null {
  const row: ProviderRow = PROVIDERS[name]
  const { keyless, keyed } = (counted === 'quote' && row.quoteQuota) || row.quota
  return (key === null ? undefined : keyed) ?? keyless
}
