/**
 * What material may cost beside the amount that was ordered: one row for each
 * kind of fee, with the reason of its bound. Amounts in the chain's base units.
 */

/** Lamports of priority that a Solana transaction may offer: twice what Jupiter is asked to stay under. */
export const MAX_PRIORITY_LAMPORTS = 2_000_000n

/**
 * Token accounts of the wallet's that a Solana transaction may open beside those of the two tokens:
 * routes over several markets keep what is between them there. Each keeps about 0.002 SOL of rent,
 * which the wallet gets back when it closes the account.
 */
export const MAX_OPENED_ACCOUNTS = 3

/** Jupiter's own fee and an integrator's, in basis points: none is asked for. */
export const MAX_JUPITER_FEE_BPS = 0

/** Lamports that a crossing from Solana may pay to anybody in plain transfers: the fees of bridges and of LI.FI. */
export const MAX_CROSSING_TIP_LAMPORTS = 10_000_000n
