/**
 * Defaults of variables that the rooms above have as well, for whoever starts
 * one of them without a configuration.
 */

/** Retries that a submission asks its upstream for, at most; also when it asks for none in particular. */
export const MAX_RETRIES = 5

/** Micro-lamports per compute unit: 1,000,000 lamports over as few as 20,000 compute units. */
export const MAX_COMPUTE_UNIT_PRICE = 50_000_000n
