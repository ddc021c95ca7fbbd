/** What proves swaps on Solana. */

export { proveJupiter } from '../../proof/solana/jupiter.ts'
export { MAX_JUPITER_FEE_BPS } from '../../proof/terms/fees.ts'
