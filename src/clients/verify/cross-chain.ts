/**
 * Verifies the answer of GET /api/xquote: the gateway's proof, with the order in the place of the provider's
 * description. Nothing of what the answer says of its fees and figures is used.
 */
import { nativeAddress } from '../../chains/address.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { xprovTokenText } from '../../chains/xprov-token.ts'
import { callsOf } from '../../proof/approval.ts'
import { type ProvedCrossChain, proveCrossChain } from '../../proof/cross-chain.ts'
import type { Step } from '../../proof/lifi/step.ts'
import type { CrossChainOrder } from '../../proof/order.ts'
import { TABLE_ALONE } from '../../proof/sui-crossing.ts'
import { refuseMaterial } from '../../proof/verification.ts'
import { executed } from './execution.ts'
import type { ReadOrder } from './order.ts'
import { requireSameEvm } from './same.ts'
import type { Confirmed, MaterialToSign, Trust } from './types.ts'
import { type Answer, confirmed, objectOf, textOf } from './verdict.ts'

type Crossing = ReadOrder<CrossChainOrder>

/** @throws GatewayError  material_refused, with the rule that does not hold */
export async function verifyCrossChain(
  crossing: Crossing,
  answer: Answer,
  trust: Trust,
  now: number,
): Promise<Confirmed> {
  const { order, minOut, stated } = crossing
  const request = requestIn(order, answer)
  const proved = proveCrossChain(stepOf(order, minOut, answer, request), order, now, TABLE_ALONE, null)
  const material = materialOf(proved, order)
  if (material.family === 'evm') requireSameEvm(answer, material)
  const transaction = 'transaction' in material ? material.transaction : ''
  const verification = await executed(proved.proof, order.fromChain.key, transaction, trust)
  const facts = {
    spends: { token: order.tokenIn.address, amount: String(order.amountIn) },
    receives: {
      token: order.tokenOut.address,
      atLeast: String(leastOf(proved, minOut)),
      recipient: order.to,
    },
  }
  return confirmed(verification, material, facts, stated)
}

/** A bridge with fewer decimals drops this part of a minimum at most; more is what its protocol keeps. */
const ROUNDED_PARTS = 1_000n

/** @throws GatewayError  material_refused, rule `minimum`: less than asked for arrives, net of what the protocol keeps */
function leastOf({ proof: { minimum } }: ProvedCrossChain, minOut: bigint): bigint {
  const least = typeof minimum === 'string' ? BigInt(minimum) : minOut
  if (least < minOut - minOut / ROUNDED_PARTS) throw refuseMaterial('minimum')
  return least < minOut ? least : minOut
}

type Request = NonNullable<Step['transactionRequest']>

/** What the answer has to sign, as the provider would have built it. */
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

/** No order may demand more than the answer promises: nobody would fill it. */
function promisedBy(answer: Answer): string {
  const promised = textOf(objectOf(answer.estimate), 'toAmount')
  if (!/^\d{1,78}$/.test(promised)) throw refuseMaterial('minimum')
  return promised
}

/** The provider's description as it must have been. What the value has beyond the input is its message's fee. */
function stepOf(order: CrossChainOrder, minOut: bigint, answer: Answer, request: Request): Step {
  const { fromChain, toChain, tokenIn, tokenOut, decimalsOut = 0, amountIn, from, to } = order
  const amount = String(amountIn)
  const beyond =
    fromChain.family === 'evm' ? BigInt(request.value ?? '0') - (tokenIn.isNative ? amountIn : 0n) : 0n
  const native = { address: nativeAddress(fromChain), chainId: fromChain.xprovChainId }
  const described = (
    chain: ChainDefinition & { xprovChainId: number },
    token: { address: string; isNative: boolean },
    decimals: number,
  ) => ({
    address: xprovTokenText(chain, token),
    chainId: chain.xprovChainId,
    symbol: '',
    decimals,
  })
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
      toAmount: promisedBy(answer),
      toAmountMin: String(minOut),
      approvalAddress: request.to ?? '',
      ...(beyond > 0n && { feeCosts: [{ token: native, amount: String(beyond), included: false }] }),
    },
    transactionRequest: request,
  }
}

function materialOf(
  { transactionRequest: request, solanaTransaction, suiTransaction, approval }: ProvedCrossChain,
  { from, fromChain }: CrossChainOrder,
): MaterialToSign {
  if (request !== null) {
    const { to, data, value, gasPrice, gas } = request
    const call = { chainId: fromChain.xprovChainId, from, to, data, value: BigInt(value), approval }
    const priced = gasPrice !== undefined && gas !== undefined
    const fees = priced && { gasPrice: BigInt(gasPrice), gasLimit: BigInt(gas) }
    return { family: 'evm', ...call, ...callsOf(call), ...fees }
  }
  if (solanaTransaction !== null) return { family: 'solana', transaction: solanaTransaction }
  if (suiTransaction !== null) return { family: 'sui', transaction: suiTransaction }
  throw refuseMaterial('transaction')
}
