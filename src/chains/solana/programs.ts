/**
 * Addresses of programs and mints of Solana, in base58.
 *
 * Source: anza-xyz/solana-sdk sdk-ids/src/lib.rs · solana-program/token,
 * token-2022, associated-token-account and memo, declare_id · Jupiter's and DFlow's IDL ·
 * orca-so/whirlpools, raydium-io/raydium-clmm, raydium-io/raydium-cp-swap, declare_id
 */
import names from './program-names.json' with { type: 'json' }

export const SYSTEM_PROGRAM = '11111111111111111111111111111111'
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111'
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
export const LOOKUP_TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111'
export const MEMO_V1_PROGRAM = 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'
export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'
export const STAKE_PROGRAM = 'Stake11111111111111111111111111111111111111'
export const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111'
export const LOADER_PROGRAM = 'BPFLoaderUpgradeab1e11111111111111111111111'
export const LIGHTHOUSE_PROGRAM = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95'
/** Jupiter's aggregator program, the only program of Jupiter's own that its transactions call. */
export const JUPITER_PROGRAM = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'
/** DFlow's aggregator program. */
export const DFLOW_PROGRAM = 'DF1ow4tspfHX9JwWJsAb9epbkA8hmpSEAtxXy1V27QBH'
/** Orca's pools of concentrated liquidity. */
export const WHIRLPOOL_PROGRAM = 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc'
/** Raydium's pools of concentrated liquidity. */
export const RAYDIUM_CLMM_PROGRAM = 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK'
/** Raydium's pools of a constant product. */
export const RAYDIUM_CPMM_PROGRAM = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'

/** What each is called within a sentence. */
export const PROGRAM_NAMES: ReadonlyMap<string, string> = new Map(Object.entries(names))

/** The mint of wrapped SOL. */
export const WRAPPED_SOL_MINT = 'So11111111111111111111111111111111111111112'
