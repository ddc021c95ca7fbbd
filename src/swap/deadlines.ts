/**
 * The deadlines of a swap's steps, of a portfolio, of a token's profile and of the token list. A provider
 * that hangs costs a client no more than that.
 *
 * Source: §7 (a provider that is unavailable is a 502)
 */

export interface Deadlines {
  /** After it, the best offer so far answers a quote. */
  readonly softMs: number
  /** For a whole quote: a provider without an offer by then has failed. */
  readonly hardMs: number
  /** For the look-up of a token's decimals, which is cached. */
  readonly tokenMs: number
  /** For a whole build, however many calls it takes. */
  readonly buildMs: number
  /** For a whole cross-chain quote, or a status: the provider asks many bridges, and waits for the slow ones. */
  readonly crossChainMs: number
  /** For the prices that a cross-chain offer, or a basket's dollar, is compared with. */
  readonly priceMs: number
  /** For a whole portfolio, however many chains it has. */
  readonly portfolioMs: number
  /** For a token's profile, whose sources are asked at the same time. */
  readonly profileMs: number
  /** For a rebuild of the token list; later answers go into the next one. */
  readonly listMs: number
  /** For each of its calls, of which two may follow each other. */
  readonly listCallMs: number
}

export const DEADLINES: Deadlines = {
  softMs: 1_500,
  hardMs: 8_000,
  tokenMs: 5_000,
  buildMs: 10_000,
  crossChainMs: 20_000,
  priceMs: 3_000,
  portfolioMs: 8_000,
  profileMs: 4_000,
  listMs: 3_000,
  listCallMs: 2_500,
}
