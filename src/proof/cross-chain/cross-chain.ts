/**
 * Proves that a cross-chain swap's material matches the order: first the provider's own description of it,
 * then the bytes themselves, as far as they can be read on the source chain.
 *
 * Source: §4.7
 */

import { CLOCK } from '../../runtime/clock.ts'
import type { SuiClaim } from '../sui/claim.ts'
import { crossingFromSui, type SuiFacts, TABLE_ALONE } from '../sui/crossing.ts'
import { proveSui } from '../sui/sui.ts'
import type { Approval } from '../terms/material.ts'
import type { CrossChainOrder } from '../terms/order.ts'
import { type Proof, refuseMaterial } from '../terms/verification.ts'
import { type EvmRequest, proveCrossChainEvm } from './evm.ts'
import type { Step } from './lifi/step.ts'
import { proveCrossChainSolana } from './solana.ts'
import { proveStatement, ROUNDING_PPM } from './statement.ts'

/** The material to hand out; all fields are null if the provider built nothing to sign on the source chain. */
export interface CrossChainMaterial {
  readonly transactionRequest: EvmRequest | null
  /** base64 */
  readonly solanaTransaction: string | null
  /** Of the blockhash that the gateway sets, and only with a `solanaTransaction`: see ../solana/blockhash.ts. */
  readonly lastValidBlockHeight?: number
  /** base64 */
  readonly suiTransaction: string | null
  readonly approval: Approval | null
}

/** Material, and what was proved of it. */
export interface ProvedCrossChain extends CrossChainMaterial {
  readonly proof: Proof
}

const NOTHING = {
  transactionRequest: null,
  solanaTransaction: null,
  suiTransaction: null,
  approval: null,
} as const

/**
 * @param now  Unix time, ms
 * @param statedFees  null if the provider states no fees in the step; see LifiClaim
 * @throws GatewayError  material_refused, with the rule: source_chain, destination_chain, sent_token,
 *                       received_token, decimals, amount, minimum, slippage, sender, recipient, or one of the
 *                       family's own
 */
export function proveCrossChain(
  step: Step,
  order: CrossChainOrder,
  now = CLOCK.date(),
  sui: SuiFacts = TABLE_ALONE,
  statedFees?: null,
): ProvedCrossChain {
  const stated = proveStatement(step, order)
  const request = step.transactionRequest
  if (request === undefined) {
    // No bytes show the recipient or the amount.
    const found: Proof = { checks: [], stated: ['recipient', 'minimum'] }
    return { ...NOTHING, proof: withoutStated(both(stated, found)) }
  }
  const whole = (found: Proof): Proof => {
    requirePromised(found, step.estimate)
    return withoutStated(both(stated, found))
  }
  switch (order.fromChain.family) {
    case 'evm': {
      const built = proveCrossChainEvm(step, request, order, now, statedFees)
      return { ...NOTHING, ...built, proof: whole(built.proof) }
    }
    case 'solana': {
      const solanaTransaction = request.data ?? ''
      const minimum = BigInt(step.estimate.toAmountMin)
      const found = proveCrossChainSolana(solanaTransaction, { order, minimum, now })
      return { ...NOTHING, solanaTransaction, proof: whole(found) }
    }
    case 'sui': {
      const suiTransaction = request.data ?? ''
      const verification = proveSui(suiTransaction, suiClaim(step, order, sui, now))
      return { ...NOTHING, suiTransaction, proof: whole(verification) }
    }
    case 'ton':
      throw refuseMaterial('source_chain')
  }
}

/** An order that demands more than the quote promises will not be filled, and is refunded for a fee. */
function requirePromised({ demands }: Proof, { toAmount }: Step['estimate']): void {
  const promised = BigInt(toAmount)
  const most = promised + promised / ROUNDING_PPM + 1n
  if (typeof demands === 'string' && BigInt(demands) > most) throw refuseMaterial('minimum')
}

function suiClaim({ estimate }: Step, order: CrossChainOrder, facts: SuiFacts, now: number): SuiClaim {
  const { fromChain, toChain, tokenIn, tokenOut, amountIn, from, to, worth = null } = order
  const sold = { from, coinIn: tokenIn, amountIn, worth, minOut: BigInt(estimate.toAmountMin) }
  const claim = { ...sold, ...(facts.upgrades && { upgrades: facts.upgrades }) }
  if (toChain.key !== fromChain.key) return { ...claim, out: crossingFromSui(order, facts, now) }
  if (to !== from) throw refuseMaterial('recipient')
  return { ...claim, out: { kind: 'swap', coin: tokenOut } }
}

function both(stated: Proof, found: Proof): Proof {
  return {
    ...stated,
    ...found,
    checks: [...new Set([...stated.checks, ...found.checks])],
    stated: [...(found.stated ?? []), ...(stated.stated ?? [])],
  }
}

/** Without the checks of the provider's unproved statements, even if these match the order. */
function withoutStated(proof: Proof): Proof {
  const { checks, stated = [] } = proof
  return { ...proof, checks: checks.filter((check) => !stated.includes(check)) }
}
