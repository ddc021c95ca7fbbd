/**
 * The providers of routes, prices and reports, one row each in provider-rows.json: where the provider is, what it grants and
 * what it costs to read. Configuration variables, help, docs/providers.md and each provider's connection are
 * derived from these rows; the provider's wire format is in its adapter.
 *
 * The key of a row is the provider's label. It appears in quotes, errors, logs and metrics, and names the
 * variables: XPROV_URL, XPROV_API_KEY.
 *
 * This file imports only types and the rows, so that reading them does not load the adapters.
 */
import type { Quota } from '../upstream/admission/governor.ts'
import rows from './provider-rows.json' with { type: 'json' }

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
  /**
   * A cheap question, for `--check`: of a hundredth of a coin in dollars, on Base and Solana, or of dollars on TON. Absent if
   * there is none.
   */
  readonly probe?: { readonly path: string; readonly body?: string }
  /** Sent with every request, in addition to the key. */
  readonly headers?: Readonly<Record<string, string>>
  /** The largest body of an answer: ANSWER_BYTES if absent. */
  readonly maxBytes?: number
  /** Why the row has what it has. */
  readonly note?: string
}

/**
 * A large swap's route with all its pools takes a few hundred KiB; market data takes less. Parsing an answer
 * blocks the event loop, so the bound is tight.
 */
export const ANSWER_BYTES = 1024 * 1024
/**
 * The longest cooldown that a refusal may ask for: LI.FI locks clients out for this long. No provider is known to do so
 * for longer.
 */
export const LONGEST_COOLDOWN_MS = 7_200_000

export const PROVIDERS = rows satisfies Readonly<Record<string, ProviderRow>>

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
