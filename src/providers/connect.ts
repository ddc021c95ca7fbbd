/**
 * A provider's name to its upstream: base URL, key and quota as the
 * configuration and the provider's own terms have them.
 */
import { type Config, type KeyedProvider, PROVIDER_URLS, type ProviderName } from '../config/config.ts'
import type { Quota } from '../upstream/governor.ts'
import { Upstream } from '../upstream/upstream.ts'

/** A route with every pool of a large swap is some hundred KiB. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** Parsing 4 MiB of nothing but brackets takes most of a second, and here nobody has to wait for as much. */
const MAX_MARKET_BYTES = 1024 * 1024
const MARKETS: ReadonlySet<ProviderName> = new Set([
  'dexscreener',
  'geckoterminal',
  'goplus',
  'rugcheck',
  'defillama',
])
/** LI.FI locks out for two hours. */
const MAX_PAUSE_MS = 7_200_000

/** What the public hosts grant without a key; null where it is not published. */
const QUOTAS: Readonly<Record<Exclude<ProviderName, 'xprov'>, Quota | null>> = {
  jupiter: { calls: 30, windowMs: 60_000 },
  kyberswap: { calls: 30, windowMs: 10_000 },
  velora: null,
  swapcoffee: { calls: 10, windowMs: 10_000 },
  stonfi: null,
  aftermath: { calls: 1_000, windowMs: 10_000 },
  dexscreener: { calls: 300, windowMs: 60_000 },
  geckoterminal: { calls: 30, windowMs: 60_000 },
  goplus: { calls: 30, windowMs: 60_000 },
  // Not published; it answers 429 to bursts.
  rugcheck: { calls: 60, windowMs: 60_000 },
  defillama: null,
}

/** What a key raises it to, where that is published. */
const KEYED_QUOTAS: Readonly<Partial<Record<ProviderName, Quota>>> = {
  jupiter: { calls: 60, windowMs: 60_000 },
}

type HeadersOf = (key: string | null) => Readonly<Record<string, string>>

const noHeaders: HeadersOf = () => ({})

export interface ConnectionOptions {
  readonly config: Config
  /** Base URLs in the place of the public ones; a URL that the operator chose stands. */
  readonly sandboxUrls: Readonly<Record<string, string>> | null
  /** A monotonic clock, ms. */
  readonly now: () => number
}

export class Connections {
  readonly #config: Config
  readonly #sandboxUrls: Readonly<Record<string, string>> | null
  readonly #now: () => number
  readonly #upstreams: Upstream[] = []
  readonly #byName = new Map<ProviderName, Upstream>()

  constructor({ config, sandboxUrls, now }: ConnectionOptions) {
    this.#config = config
    this.#sandboxUrls = sandboxUrls
    this.#now = now
  }

  /** All that were opened. */
  get upstreams(): readonly Upstream[] {
    return this.#upstreams
  }

  keyOf(name: ProviderName): string | null {
    return this.#config.providerKeys[name as KeyedProvider] ?? null
  }

  /**
   * The provider's one upstream, whoever asks: they share its quota.
   * @param headersOf  what is sent to it, by its key
   * @returns null where the provider is switched off
   */
  open(name: Exclude<ProviderName, 'xprov'>, headersOf: HeadersOf = noHeaders): Upstream | null {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const key = this.keyOf(name)
    const quota = (key === null ? undefined : KEYED_QUOTAS[name]) ?? QUOTAS[name]
    const upstream = this.openWith(name, quota, headersOf(key))
    if (upstream !== null) this.#byName.set(name, upstream)
    return upstream
  }

  /**
   * @param quota  applies to the public host alone: another host has other limits
   * @returns null where the provider is switched off
   */
  openWith(
    name: ProviderName,
    quota: Quota | null,
    headers: Readonly<Record<string, string>>,
  ): Upstream | null {
    const chosen = this.#config.providerUrls[name]
    if (chosen === null) return null
    const url = chosen === PROVIDER_URLS[name] ? (this.#sandboxUrls?.[name] ?? chosen) : chosen
    const upstream = new Upstream({
      label: name,
      url,
      headers,
      publicHosts: [new URL(PROVIDER_URLS[name]).host],
      maxBytes: MARKETS.has(name) ? MAX_MARKET_BYTES : MAX_ANSWER_BYTES,
      scope: 'provider',
      quota: url === PROVIDER_URLS[name] ? quota : null,
      maxPauseMs: MAX_PAUSE_MS,
      now: this.#now,
    })
    this.#upstreams.push(upstream)
    return upstream
  }
}
