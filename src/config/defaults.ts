/** Defaults that modules above also use when they are started without a configuration. */

/** The highest `maxRetries` of a submission, and the value if the submission sets none. */
export const MAX_RETRIES = 5

/** Micro-lamports per compute unit: 1,000,000 lamports over as few as 20,000 compute units. */
export const MAX_COMPUTE_UNIT_PRICE = 50_000_000n
