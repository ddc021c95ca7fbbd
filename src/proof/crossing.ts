/**
 * Proof that a crossing's material is what was asked for: first what the
 * provider says that it built, then the bytes themselves, as far as the source
 * chain's family lets them be read.
 *
 * Source: §4.7
 */
import { parseAddress } from '../chains/address.ts'
import type { XprovChain } from '../chains/find.ts'
import { parseXprovToken } from '../chains/xprov-token.ts'
import type { Approval, Token } from '../providers/provider.ts'
import type { CrossingOrder, Step } from '../providers/swap/xprov.ts'
import { type EvmRequest, proveCrossingEvm } from './crossing-evm.ts'
import { proveCrossingSolana } from './crossing-solana.ts'
import { proveSui } from './sui.ts'
import { type Proof, refuseMaterial } from './verification.ts'

/** What may be handed out; all three are null where the provider built nothing to sign on the chain. */
export interface CrossingMaterial {
  readonly transactionRequest: EvmRequest | null
  /** base64 */
  readonly solanaTransaction: string | null
  /** base64 */
  readonly suiTransaction: string | null
  readonly approval: Approval | null
  readonly verification: Proof
}

const NOTHING = {
  transactionRequest: null,
  solanaTransaction: null,
  suiTransaction: null,
  approval: null,
} as const

/**
 * @param now  wall clock, ms
 * @throws GatewayError  material_refused, with the rule: source_chain, destination_chain, sent_token,
 *                       received_token, amount, minimum, slippage, sender, recipient, or one of the family's own
 */
export function proveCrossing(step: Step, order: CrossingOrder, now = Date.now()): CrossingMaterial {
  const stated = proveStatement(step, order)
  const request = step.transactionRequest
  if (request === undefined) return { ...NOTHING, verification: stated }
  switch (order.fromChain.family) {
    case 'evm': {
      const {
        request: transactionRequest,
        approval,
        verification,
      } = proveCrossingEvm(step, request, order, now)
      return {
        ...NOTHING,
        transactionRequest,
        approval,
        verification: withoutWords(both(stated, verification)),
      }
    }
    case 'solana': {
      const solanaTransaction = request.data ?? ''
      const { from, tokenIn, amountIn } = order
      const mintIn = tokenIn.isNative ? null : tokenIn.address
      const { facts, ...found } = proveCrossingSolana(solanaTransaction, { from, mintIn, amountIn })
      const verification = { ...facts, ...found }
      return { ...NOTHING, solanaTransaction, verification: both(stated, verification) }
    }
    case 'sui': {
      const suiTransaction = request.data ?? ''
      const verification = proveSui(suiTransaction, order.from)
      return { ...NOTHING, suiTransaction, verification: both(stated, verification) }
    }
    case 'ton':
      throw refuseMaterial('source_chain')
  }
}

/** The provider's own account of what it built must be the order, field by field. */
function proveStatement({ action, estimate }: Step, order: CrossingOrder): Proof {
  const { fromChain, toChain, tokenIn, tokenOut, from, to } = order
  const amount = order.amountIn.toString()
  if (action.fromChainId !== fromChain.xprovChainId) throw refuseMaterial('source_chain')
  if (action.toChainId !== toChain.xprovChainId) throw refuseMaterial('destination_chain')
  if (!isToken(fromChain, action.fromToken.address, tokenIn)) throw refuseMaterial('sent_token')
  if (!isToken(toChain, action.toToken.address, tokenOut)) throw refuseMaterial('received_token')
  if (action.fromAmount !== amount || estimate.fromAmount !== amount) throw refuseMaterial('amount')
  const minimum = BigInt(estimate.toAmountMin)
  if (minimum === 0n || minimum > BigInt(estimate.toAmount)) throw refuseMaterial('minimum')
  if (!isWithinSlippage(BigInt(estimate.toAmount), minimum, order.slippage)) throw refuseMaterial('slippage')
  if (parseAddress(fromChain, action.fromAddress ?? '') !== from) throw refuseMaterial('sender')
  if (parseAddress(toChain, action.toAddress ?? '') !== to) throw refuseMaterial('recipient')
  return {
    checks: [
      'source_chain',
      'destination_chain',
      'sent_token',
      'received_token',
      'amount',
      'minimum',
      'slippage',
      'sender',
      'recipient',
    ],
    sender: from,
    recipient: to,
  }
}

/** What the provider takes where none was asked for, at most. */
const DEFAULT_SLIPPAGE = '0.005'
const FRACTION_DIGITS = 18
const WHOLE = 10n ** BigInt(FRACTION_DIGITS)
/** It computes with floating point: one millionth of what arrives, and a unit. */
const ROUNDING_PPM = 1_000_000n

/** @param slippage  decimal fraction; null leaves it to the provider */
function isWithinSlippage(expected: bigint, minimum: bigint, slippage: string | null): boolean {
  const lost = parseFraction(slippage ?? DEFAULT_SLIPPAGE)
  const least = (expected * (WHOLE - lost)) / WHOLE
  return minimum >= least - expected / ROUNDING_PPM - 1n
}

/** In units of 10^-18. Small ones come as JavaScript writes them: 1e-7. */
function parseFraction(text: string): bigint {
  const [whole = '', digits = ''] = Number(text).toFixed(FRACTION_DIGITS).split('.')
  return BigInt(whole + digits)
}

function isToken(chain: XprovChain, text: string, { address, isNative }: Omit<Token, 'decimals'>): boolean {
  const token = parseXprovToken(chain, text)
  return token?.address === address && token.isNative === isNative
}

function both(stated: Proof, found: Proof): Proof {
  return { ...stated, ...found, checks: [...new Set([...stated.checks, ...found.checks])] }
}

/** What only the provider says of a call is no check, whatever its statement agrees with. */
function withoutWords(proof: Proof): Proof {
  const { checks, stated = [] } = proof
  return { ...proof, checks: checks.filter((check) => !stated.includes(check)) }
}
