/**
 * Verifies the answer of GET /api/xquote: the gateway's proof, with the order in place of the provider's
 * description. The answer's own fees and figures are not used.
 */
import { nativeAddress } from '../../chains/address.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { xprovTokenText } from '../../chains/xprov-token.ts'
import { type ProvedCrossChain, proveCrossChain } from '../../proof/cross-chain/cross-chain.ts'
import { unitOf } from '../../proof/cross-chain/lifi/mayan.ts'
import type { Step } from '../../proof/cross-chain/lifi/step.ts'
import { TABLE_ALONE } from '../../proof/sui/crossing.ts'
import type { CrossChainOrder } from '../../proof/terms/order.ts'
import { refuseMaterial } from '../../proof/terms/verification.ts'
import type { ReadOrder } from './order.ts'
import { CALL, requireFamily, requireSameEvm } from './same.ts'
import { evmSend } from './send.ts'
import type { Confirmed, EvmSend, Send, Trust } from './types.ts'
import { type Answer, confirmed, factsOf, leastOf, objectOf, textOf } from './verdict.ts'

type Crossing = ReadOrder<CrossChainOrder>

/** @throws GatewayError  material_refused, with the rule that does not hold */
export async function verifyCrossChain(
  crossing: Crossing,
  answer: Answer,
  trust: Trust,
  now: number,
): Promise<Confirmed> {
  const { order, decimals, expectedOut } = crossing
  const { fromChain, to } = order
  const estimate = objectOf(answer.estimate ?? {})
  const minOut = leastOf(crossing.minOut, estimate.toAmountMin)
  requireFamily(answer, fromChain.family)
  if ((answer.data ?? answer.value ?? null) !== null) throw refuseMaterial('family')
  const request = requestIn(order, answer)
  const toAmount = expectedOut === undefined ? textOf(estimate, 'toAmount') : String(expectedOut)
  if (!/^\d{1,78}$/.test(toAmount)) throw refuseMaterial('minimum')
  const step = stepOf(order, { minOut, toAmount }, request)
  const proved = proveCrossChain(step, order, now, TABLE_ALONE, null)
  const send = sendOf(proved, order)
  if (send.family === 'evm') {
    requireSameEvm(answer, send, `${CALL} gasPrice gas`)
    requireSameSpender(estimate, send)
  }
  const { proof } = proved
  const facts = factsOf(order, decimals, boundBy(proved, minOut, decimals.bought), to)
  const isShown = expectedOut !== undefined || isNear(proof.demands, crossing.minOut)
  const stated = [...crossing.stated, ...(isShown ? [] : ['demands'])]
  return confirmed({ proof, send }, facts, stated, fromChain.key, trust)
}

/** Whether an order demands hardly more than its user accepted as the least; the usual slippage lies between the two. */
const isNear = (demands: unknown, minOut: bigint): boolean =>
  typeof demands !== 'string' || BigInt(demands) * 100n <= minOut * 103n

/** @throws GatewayError  material_refused, rule `approval` */
function requireSameSpender(
  { approvalAddress = null, approvalReset = null }: Answer,
  { approval }: EvmSend,
): void {
  const spender = approval?.spender.toLowerCase()
  const isSpender = approvalAddress === null || String(approvalAddress).toLowerCase() === spender
  const isReset = approvalReset === null || approvalReset === (approval?.reset ?? false)
  if (!isSpender || !isReset) throw refuseMaterial('approval')
}

/**
 * The proof compares an order's demand with the minimum; what its protocol keeps may leave less.
 * @param decimals  of what arrives: a bridge with fewer drops a part of a unit of its own
 * @throws GatewayError  material_refused, rule `minimum`: less than asked for arrives
 */
function boundBy({ proof: { minimum } }: ProvedCrossChain, minOut: bigint, decimals: number | null): bigint {
  const least = typeof minimum === 'string' ? BigInt(minimum) : minOut
  if (least + unitOf(decimals ?? 0) <= minOut) throw refuseMaterial('minimum')
  return least < minOut ? least : minOut
}

type Request = NonNullable<Step['transactionRequest']>

/** What the answer has to sign, in the provider's form. */
function requestIn({ fromChain }: CrossChainOrder, answer: Answer): Request {
  switch (fromChain.family) {
    case 'evm': {
      const request = objectOf(answer.transactionRequest)
      const { gasPrice, gas } = request
      return {
        to: textOf(request, 'to'),
        from: textOf(request, 'from'),
        data: textOf(request, 'data'),
        value: textOf(request, 'value'),
        chainId: Number(textOf(request, 'chainId')),
        ...(gasPrice !== undefined && { gasPrice: textOf(request, 'gasPrice') }),
        ...(gas !== undefined && { gasLimit: textOf(request, 'gas') }),
      }
    }
    case 'solana':
      return { data: textOf(answer, 'solanaTransaction') }
    case 'sui':
      return { data: textOf(answer, 'suiTransaction') }
    case 'ton':
      throw refuseMaterial('source_chain')
  }
}

/**
 * The provider's description as it must have been. The value beyond the input is its message's fee.
 * @param toAmount  the most that an order may demand
 */
function stepOf(
  order: CrossChainOrder,
  { minOut, toAmount }: { readonly minOut: bigint; readonly toAmount: string },
  request: Request,
): Step {
  const { fromChain, toChain, tokenIn, tokenOut, decimalsOut = 0, amountIn, from, to } = order
  const amount = String(amountIn)
  const beyond =
    fromChain.family === 'evm' ? BigInt(request.value ?? '0') - (tokenIn.isNative ? amountIn : 0n) : 0n
  const native = { address: nativeAddress(fromChain), chainId: fromChain.xprovChainId }
  const described = (
    chain: ChainDefinition & { xprovChainId: number },
    token: { address: string; isNative: boolean },
    decimals: number,
  ) => ({ address: xprovTokenText(chain, token), chainId: chain.xprovChainId, symbol: '', decimals })
  return {
    id: '',
    tool: '',
    action: {
      fromChainId: fromChain.xprovChainId,
      toChainId: toChain.xprovChainId,
      fromAmount: amount,
      fromToken: described(fromChain, tokenIn, tokenIn.decimals),
      toToken: described(toChain, tokenOut, decimalsOut),
      fromAddress: from,
      toAddress: to,
    },
    estimate: {
      fromAmount: amount,
      toAmount,
      toAmountMin: String(minOut),
      approvalAddress: request.to ?? '',
      ...(beyond > 0n && { feeCosts: [{ token: native, amount: String(beyond), included: false }] }),
    },
    transactionRequest: request,
  }
}

function sendOf(
  { transactionRequest: request, solanaTransaction, suiTransaction, approval }: ProvedCrossChain,
  { from, fromChain }: CrossChainOrder,
): Send {
  if (request !== null && fromChain.family === 'evm') {
    const { to, data, value } = request
    return evmSend(fromChain, { from, to, data, value: BigInt(value), approval })
  }
  if (solanaTransaction !== null) return { family: 'solana', transaction: solanaTransaction }
  if (suiTransaction !== null) return { family: 'sui', transaction: suiTransaction }
  throw refuseMaterial('transaction')
}
