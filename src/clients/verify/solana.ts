/** The proof of a swap on Solana, by the provider that built it. */
import {
  RAYDIUM_CLMM_PROGRAM,
  RAYDIUM_CPMM_PROGRAM,
  WHIRLPOOL_PROGRAM,
} from '../../chains/solana/programs.ts'
import { MAX_COMPUTE_UNIT_PRICE } from '../../config/defaults.ts'
import { proveDflow } from '../../proof/solana/dflow.ts'
import { proveJupiter } from '../../proof/solana/jupiter.ts'
import { provePool } from '../../proof/solana/pools.ts'
import type { SwapClaim } from '../../proof/solana/swap.ts'
import type { Proof } from '../../proof/terms/verification.ts'

const RULES = { maxComputeUnitPrice: MAX_COMPUTE_UNIT_PRICE }

/** The programs of the providers that swap in one pool. */
const POOLS: ReadonlyMap<string, string> = new Map([
  ['whirlpool', WHIRLPOOL_PROGRAM],
  ['raydium-clmm', RAYDIUM_CLMM_PROGRAM],
  ['raydium-cpmm', RAYDIUM_CPMM_PROGRAM],
])

/** @throws GatewayError  material_refused */
export function proveSolana(provider: string, transaction: string, claim: SwapClaim): Proof {
  const pools = POOLS.get(provider)
  if (pools !== undefined) return provePool(transaction, pools, claim, RULES)
  // Only by guards do the bytes of DFlow's show the recipient and the minimum: see proof/solana/dflow.ts.
  return provider === 'dflow'
    ? proveDflow(transaction, { ...claim, guards: true }, RULES)
    : proveJupiter(transaction, claim, RULES)
}
