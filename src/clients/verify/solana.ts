/** What proves swaps on Solana. */
export { MAX_JUPITER_FEE_BPS } from '../../proof/fees.ts'
export { proveJupiter } from '../../proof/jupiter.ts'
