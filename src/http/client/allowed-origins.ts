/**
 * The origins of pages that may read replies. They are compared as text, because browsers write each in one way:
 * `https://app.example`, but also `chrome-extension://…` and `capacitor://localhost`. `https://*.app.example` is
 * every host below app.example, at any depth, and not app.example itself.
 *
 * Source: RFC 6454 §6.2 · Fetch standard, CORS protocol
 */
const STAR = '://*.'
/** One or more labels, each with a dot after it. */
const LABELS = /^(?:[a-z\d_-]+\.)+$/

export class AllowedOrigins {
  readonly #listed = new Set<string>()
  /** The part before the star, and the part after the dot that follows it. */
  readonly #below: (readonly [scheme: string, host: string])[] = []

  constructor(origins: readonly string[]) {
    for (const origin of origins) {
      const star = origin.indexOf(STAR)
      if (star === -1) this.#listed.add(origin)
      else this.#below.push([origin.slice(0, star + 3), origin.slice(star + STAR.length)])
    }
  }

  has(origin: string): boolean {
    if (this.#listed.has(origin)) return true
    return this.#below.some(
      ([scheme, host]) =>
        origin.startsWith(scheme) &&
        origin.endsWith(host) &&
        LABELS.test(origin.slice(scheme.length, -host.length)),
    )
  }
}
