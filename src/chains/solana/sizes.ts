/**
 * Sizes that the versions of Solana's transactions share, in bytes, and their limits.
 *
 * Source: anza-xyz/solana-sdk packet/src/lib.rs, message/src/versions/v1/constants.rs
 */

export const SIGNATURE_BYTES = 64
export const KEY_BYTES = 32

/** PACKET_DATA_SIZE: IPv6's least MTU without its and UDP's headers, 1280 - 40 - 8. */
export const MAX_TRANSACTION_BYTES = 1_232
/** The most that the network takes of version 1. */
export const MAX_V1_TRANSACTION_BYTES = 4_096

/** The most signers, each with a signature and a key: floor(1232 / 96). Version 1 has the same limit. */
export const MAX_SIGNATURES = 12
/** The most top-level instructions, SIMD-0160. */
export const MAX_INSTRUCTIONS = 64
/** The most accounts of a transaction, those of its lookup tables included: an index has one byte. */
export const MAX_ACCOUNTS = 256
/**
 * The most lookups, of 35 bytes each, that fit into the smallest version 0 transaction: floor((1232 - 136) /
 * 35).
 */
export const MAX_LOOKUPS = 31
