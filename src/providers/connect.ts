/**
 * Connects to providers: an upstream for each provider's label, from its row in
 * config/providers.ts and from the configuration.
 */
import type { Config } from '../config/config.ts'
import {
  ANSWER_BYTES,
  headersFor,
  type KeyedProvider,
  LONGEST_COOLDOWN_MS,
  PROVIDERS,
  type ProviderName,
  type ProviderRow,
  quotaFor,
} from '../config/providers.ts'
import type { Call } from '../flow/call.ts'
import type { Quota } from '../upstream/admission/governor.ts'
import type { UpstreamContext } from '../upstream/context.ts'
import { Upstream } from '../upstream/upstream.ts'
import type { GoplusApp } from './market/goplus/token.ts'

/**
 * How often a rate-limited provider is probed: one that locks a client out for hours shouldn't be asked every
 * second.
 */
const PROBE_MS = 30_000

interface ConnectionOptions {
  readonly config: Pick<Config, 'providerUrls' | 'providerKeys' | 'jupiterQuota' | 'goplusApp'>
  /** Base URLs that replace the public ones, but not a URL that the operator chose; null in live mode. */
  readonly sandboxUrls: Readonly<Record<string, string>> | null
  readonly context: UpstreamContext
}

export class Connections {
  readonly #options: ConnectionOptions
  readonly #opened = new Map<string, Upstream>()

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /** Every upstream that was opened. */
  get upstreams(): readonly Upstream[] {
    return [...this.#opened.values()]
  }

  /** The app that signs for GoPlus's tokens; null if GoPlus is called without one. */
  get goplusApp(): GoplusApp | null {
    const { key, secret } = this.#options.config.goplusApp
    return key === null || secret === null ? null : { key, secret }
  }

  /** Sends each its probe; the result is in its state. */
  async greet(call: Call): Promise<void> {
    const calls = this.upstreams.flatMap((upstream) => {
      const { probe }: Partial<ProviderRow> = PROVIDERS[upstream.label as ProviderName] ?? {}
      if (probe === undefined) return []
      const { path, body = null } = probe
      const method = body === null ? 'GET' : 'POST'
      // A refusal of the question shows that the provider is there; a 404 may come from another service.
      const read = (status: number) => (status === 404 ? null : { status })
      return [upstream.ask({ method, path, body, resend: true, read }, call)]
    })
    await Promise.allSettled(calls)
  }

  /**
   * The provider's one upstream: everything that opens it shares its quota.
   * @param counted  `quote` for an upstream of quotes only, where the provider counts them separately
   * @returns null if the provider is switched off
   */
  open(name: ProviderName, counted: 'call' | 'quote' = 'call'): Upstream | null {
    const opened = this.#opened.get(`${name} ${counted}`)
    if (opened !== undefined) return opened
    const chosen = this.#options.config.providerUrls[name]
    if (chosen === null) return null
    const row: ProviderRow = PROVIDERS[name]
    const url = chosen === row.url ? (this.#options.sandboxUrls?.[name] ?? chosen) : chosen
    const key = this.#options.config.providerKeys[name as KeyedProvider] ?? null
    const upstream = new Upstream({
      label: name,
      url,
      headers: headersFor(name, key),
      ...(row.key?.isOptional && { optionalHeaders: [row.key.header] }),
      publicHosts: [new URL(row.url).host],
      maxBytes: row.maxBytes ?? ANSWER_BYTES,
      scope: 'provider',
      carries: `${counted}s`,
      // The quota is the public host's; another host has other limits.
      quota:
        url === row.url || this.#options.context.limitsAsPublic ? this.#quotaOf(name, key, counted) : null,
      maxCooldownMs: LONGEST_COOLDOWN_MS,
      probeMs: PROBE_MS,
      context: this.#options.context,
    })
    this.#opened.set(`${name} ${counted}`, upstream)
    return upstream
  }

  /** What the provider's upstream is adapted to; nothing if the provider is switched off. */
  at<T>(name: ProviderName, adapt: (upstream: Upstream) => T): readonly T[] {
    const upstream = this.open(name)
    return upstream === null ? [] : [adapt(upstream)]
  }

  /** A router server of the operator's, on one chain. */
  openRouter(chainKey: string, url: string): Upstream {
    const label = `router-${chainKey}`
    const { context } = this.#options
    const upstream = new Upstream({ label, url, maxBytes: ANSWER_BYTES, scope: 'provider', context })
    this.#opened.set(label, upstream)
    return upstream
  }

  /** What the operator's plan grants, else the row's quota. */
  #quotaOf(name: ProviderName, key: string | null, counted: 'call' | 'quote'): Quota | null {
    const calls = this.#options.config.jupiterQuota
    return name === 'jupiter' && calls !== null ? { calls, windowMs: 60_000 } : quotaFor(name, key, counted)
  }
}
