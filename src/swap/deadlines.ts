/**
 * The deadlines of a swap's steps, of a portfolio, of a token's profile, of an explanation and of the token list. A
 * provider that hangs costs a client no more than that.
 *
 * Source: §7 (a provider that is unavailable is a 502)
 */

export const DEADLINES = {
  /** After it, the best offer so far answers a quote. */
  softMs: 1_500,
  /** For a whole quote: a provider without an offer by then has failed. */
  hardMs: 8_000,
  /** For the look-up of a token's decimals, which is cached. */
  tokenMs: 5_000,
  /** For a whole build, however many calls it takes. */
  buildMs: 10_000,
  /** For a whole cross-chain quote, or a status: the provider asks many bridges, and waits for the slow ones. */
  crossChainMs: 20_000,
  /** For the prices that a cross-chain offer, or a basket's dollar, is compared with. */
  priceMs: 3_000,
  /** For a whole portfolio, however many chains it has. */
  portfolioMs: 8_000,
  /** For a token's profile, whose sources are asked at the same time. */
  profileMs: 4_000,
  /** For all calls of one explanation. */
  explainMs: 2_000,
  /** For a rebuild of the token list; later answers go into the next one. */
  listMs: 3_000,
  /** For each of its calls, of which two may follow each other. */
  listCallMs: 2_500,
}

export type Deadlines = Readonly<typeof DEADLINES>
