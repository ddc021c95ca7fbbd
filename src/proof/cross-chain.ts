/**
 * Proof that a cross-chain swap's material is what was asked for: first what the
 * provider says that it built, then the bytes themselves, as far as the source
 * chain's family lets them be read.
 *
 * Source: §4.7
 */

import { CLOCK } from '../runtime/clock.ts'
import { type EvmRequest, proveCrossChainEvm } from './cross-chain-evm.ts'
import { proveCrossChainSolana } from './cross-chain-solana.ts'
import { proveStatement } from './cross-chain-statement.ts'
import type { Step } from './lifi/step.ts'
import type { Approval } from './material.ts'
import type { CrossChainOrder } from './order.ts'
import { proveSui, type SuiClaim } from './sui.ts'
import { burnDomain } from './sui-packages.ts'
import { type Proof, refuseMaterial } from './verification.ts'

/** What may be handed out; all three are null where the provider built nothing to sign on the chain. */
export interface CrossChainMaterial {
  readonly transactionRequest: EvmRequest | null
  /** base64 */
  readonly solanaTransaction: string | null
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
 * @throws GatewayError  material_refused, with the rule: source_chain, destination_chain, sent_token,
 *                       received_token, amount, minimum, slippage, sender, recipient, or one of the family's own
 */
export function proveCrossChain(step: Step, order: CrossChainOrder, now = CLOCK.date()): ProvedCrossChain {
  const stated = proveStatement(step, order)
  const request = step.transactionRequest
  if (request === undefined) return { ...NOTHING, proof: stated }
  switch (order.fromChain.family) {
    case 'evm': {
      const built = proveCrossChainEvm(step, request, order, now)
      return { ...NOTHING, ...built, proof: withoutWords(both(stated, built.proof)) }
    }
    case 'solana': {
      const solanaTransaction = request.data ?? ''
      const minimum = BigInt(step.estimate.toAmountMin)
      const found = proveCrossChainSolana(solanaTransaction, { order, minimum, now })
      return { ...NOTHING, solanaTransaction, proof: withoutWords(both(stated, found)) }
    }
    case 'sui': {
      const suiTransaction = request.data ?? ''
      const verification = proveSui(suiTransaction, suiClaim(step, order))
      return { ...NOTHING, suiTransaction, proof: withoutWords(both(stated, verification)) }
    }
    case 'ton':
      throw refuseMaterial('source_chain')
  }
}

/**
 * A cross-chain swap from Sui burns USDC there for USDC on an EVM chain: of no other
 * bridge can the bytes tell who receives what. To Sui itself it is a swap.
 */
function suiClaim({ estimate }: Step, order: CrossChainOrder): SuiClaim {
  const { fromChain, toChain, tokenIn, tokenOut, amountIn, from, to } = order
  const claim = { from, coinIn: tokenIn, amountIn, minOut: BigInt(estimate.toAmountMin) }
  if (toChain.key === fromChain.key) {
    if (to !== from) throw refuseMaterial('recipient')
    return { ...claim, out: { kind: 'swap', coin: tokenOut } }
  }
  const [burnt, minted] = [fromChain, toChain].map(
    (chain) => chain.stablecoins.find(({ symbol }) => symbol === 'USDC')?.address,
  )
  const domain = burnDomain(toChain.key)
  if (burnt === undefined || domain === null || minted !== tokenOut.address) throw refuseMaterial('package')
  const recipient = `0x${to.slice(2).toLowerCase().padStart(64, '0')}`
  return { ...claim, out: { kind: 'cross-chain', burnt, domain, recipient } }
}

function both(stated: Proof, found: Proof): Proof {
  return { ...stated, ...found, checks: [...new Set([...stated.checks, ...found.checks])] }
}

/** What only the provider says of a call is no check, whatever its statement agrees with. */
function withoutWords(proof: Proof): Proof {
  const { checks, stated = [] } = proof
  return { ...proof, checks: checks.filter((check) => !stated.includes(check)) }
}
