/** Executes material at the wallet's own node, if it has one, and compares the outcome with the order. */
import { type BalanceChange, requireAgreed } from '../../proof/simulation/simulation.ts'
import { type Proof, type Verification, verified } from '../../proof/terms/verification.ts'
import type { Trust } from './types.ts'

/**
 * @param transaction  base64; empty if the bytes show everything that an execution would
 * @throws GatewayError  material_refused, rule `simulation`
 */
export async function executed(
  proof: Proof,
  chain: string,
  transaction: string,
  { execute }: Trust,
): Promise<Verification> {
  const agreed = proof.agreed ?? proof.confirm
  const isAsked = agreed !== undefined && transaction !== ''
  const execution = isAsked ? ((await execute?.(chain, transaction)) ?? null) : null
  if (agreed === undefined || execution === null) return verified(proof, null)
  requireAgreed(execution, agreed)
  return verified(proof, { by: "the wallet's node", at: null, changes: execution.changes.map(toText) })
}

const toText = ({ token, amount }: BalanceChange) => ({ token: token ?? 'native', amount: String(amount) })
