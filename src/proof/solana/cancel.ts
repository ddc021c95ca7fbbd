/**
 * Proves that a transaction only advances the wallet's nonce, which ends every other transaction that has its value:
 * around it there is nothing but a compute budget.
 */
import { encodeBase58 } from '../../chains/solana/base58.ts'
import { COMPUTE_BUDGET_PROGRAM } from '../../chains/solana/programs.ts'
import { SOLANA_CEILING, type SolanaRates } from '../terms/fees.ts'
import { type Confirmed, refuseMaterial } from '../terms/verification.ts'
import {
  afterNonce,
  describeEnvelope,
  describeNonce,
  ENVELOPE_CHECKS,
  type NonceClaim,
  openUnsigned,
  Surroundings,
} from './solana.ts'

interface CancelClaim {
  readonly from: string
  readonly nonce: NonceClaim
  /** Solana's current charges. Absent: their ceiling. */
  readonly solana?: SolanaRates
}

/** Rule names in the order in which they are checked. */
export const CANCEL_CHECKS = [
  ...ENVELOPE_CHECKS,
  'nonce',
  'program',
  'compute_budget',
  'compute_unit_price',
  'priority_fee',
] as const

/**
 * @param base64  one transaction
 * @throws GatewayError  material_refused, whose `rule` is one of CANCEL_CHECKS
 */
export function proveCancel(
  base64: string,
  { from, nonce, solana = SOLANA_CEILING }: CancelClaim,
  { maxComputeUnitPrice }: { /** Micro-lamports per compute unit. */ readonly maxComputeUnitPrice: bigint },
): Confirmed {
  const wire = openUnsigned(base64, from)
  const rules = { maxComputeUnitPrice, wraps: 0n, worth: null, wrapped: [], needed: [] }
  const around = new Surroundings(wire, rules)
  for (const one of afterNonce(wire, nonce)) {
    if (encodeBase58(wire.key(one.programIndex)) !== COMPUTE_BUDGET_PROGRAM) throw refuseMaterial('program')
    around.take(COMPUTE_BUDGET_PROGRAM, one)
  }
  around.close()
  return {
    checks: CANCEL_CHECKS,
    confirm: {
      spends: { token: null, atMost: 0n },
      receives: null,
      atMostNativeFees: 0n,
      atMostGas: solana.perSignature + around.priorityLamports,
    },
    ...describeEnvelope(wire, around),
    ...describeNonce(wire, nonce),
    cancels: true,
  }
}
