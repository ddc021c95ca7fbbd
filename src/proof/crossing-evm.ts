/**
 * What can be proved of a crossing that starts on an EVM chain: `from` calls
 * the provider's own contract of that chain, with no more of the native coin
 * than the input and the fees that the estimate names, and the only allowance
 * it needs is to that contract, for the exact token and amount.
 *
 * Not provable here: what the calldata makes the contract do. Each bridge has
 * an encoding of its own, and towards other families the recipient is not even
 * an EVM address; so the recipient is proved by the provider's statement only.
 *
 * Source: §4.7 · docs.li.fi · lifinance/contracts
 */
import { canonicalAddress, nativeAddress } from '../chains/address.ts'
import { findEvmChain } from '../chains/find.ts'
import type { Approval } from '../providers/provider.ts'
import type { CrossingOrder, Step } from '../providers/swap/xprov.ts'
import { type Proof, refuseMaterial } from './verification.ts'

/** A selector, and whole bytes. */
const CALLDATA = /^0x(?:[0-9a-fA-F]{2}){4,}$/
const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/

/** Rebuilt from what was checked: nothing else that the provider wrote goes out. */
export interface EvmRequest {
  readonly from: string
  readonly to: string
  readonly chainId: number
  readonly data: string
  /** Hex quantities, as the provider wrote them. */
  readonly value: string
  readonly gasPrice?: string
  readonly gasLimit?: string
}

export interface EvmProof {
  readonly request: EvmRequest
  readonly approval: Approval | null
  readonly verification: Proof
}

/**
 * @param request  the step's transaction
 * @throws GatewayError  material_refused, with the rule: router, sender, chain, calldata, value, gas, spender
 */
export function proveCrossingEvm(
  step: Step,
  request: NonNullable<Step['transactionRequest']>,
  order: CrossingOrder,
): EvmProof {
  const { key, xprovChainId: chainId } = order.fromChain
  const router = findEvmChain(key)?.xprovContract ?? null
  const is = (text: string | undefined, address: string): boolean =>
    text !== undefined && canonicalAddress(key, text) === address

  const { to, data, value = '0x0', gasPrice, gasLimit } = request
  if (router === null || !is(to, router)) throw refuseMaterial('router')
  if (!is(request.from ?? order.from, order.from)) throw refuseMaterial('sender')
  if ((request.chainId ?? chainId) !== chainId) throw refuseMaterial('chain')
  if (data === undefined || !CALLDATA.test(data)) throw refuseMaterial('calldata')
  const nativeFee = feesOnTop(step, order)
  const expected = (order.tokenIn.isNative ? order.amountIn : 0n) + nativeFee
  if (!QUANTITY.test(value) || BigInt(value) !== expected) throw refuseMaterial('value')
  if (!isQuantityOrAbsent(gasPrice) || !isQuantityOrAbsent(gasLimit)) throw refuseMaterial('gas')

  const { approvalAddress, approvalReset, skipApproval } = step.estimate
  const needsApproval = !order.tokenIn.isNative && skipApproval !== true
  if (needsApproval && !is(approvalAddress, router)) throw refuseMaterial('spender')
  const approval: Approval = {
    token: order.tokenIn.address,
    spender: router,
    amount: order.amountIn.toString(),
    ...(approvalReset === true && { reset: true }),
  }
  return {
    request: {
      from: order.from,
      to: router,
      chainId,
      data,
      value,
      ...(gasPrice !== undefined && { gasPrice }),
      ...(gasLimit !== undefined && { gasLimit }),
    },
    approval: needsApproval ? approval : null,
    verification: {
      checks: ['router', 'sender', 'chain', 'calldata', 'value', 'gas', 'spender'],
      router,
      value: expected.toString(),
      nativeFee: nativeFee.toString(),
    },
  }
}

/** Wei that the estimate announces beyond the input: a bridge's messaging fee is paid in the native coin. */
function feesOnTop({ estimate }: Step, { fromChain }: CrossingOrder): bigint {
  const native = nativeAddress(fromChain)
  let sum = 0n
  for (const { token, amount, included } of estimate.feeCosts ?? []) {
    if (included || token.chainId !== fromChain.xprovChainId) continue
    if (canonicalAddress(fromChain.key, token.address) === native) sum += BigInt(amount ?? '0')
  }
  return sum
}

const isQuantityOrAbsent = (text: string | undefined): boolean => text === undefined || QUANTITY.test(text)
