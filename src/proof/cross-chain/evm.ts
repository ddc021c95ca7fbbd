/**
 * Proves a cross-chain swap that starts on an EVM chain: `from` calls the provider's contract on that chain,
 * with no more of the native coin than the input and a bounded fee; the only allowance that it needs is to
 * that contract, for the exact token and amount; and the calldata matches the order.
 *
 * Source: §4.7 · docs.li.fi · lifinance/contracts
 */
import type { Static } from 'typebox'
import { canonicalAddress, nativeAddress } from '../../chains/address.ts'
import { findEvmChain } from '../../chains/find.ts'
import { quantity } from '../../chains/json/quantity.ts'
import type { TransactionRequest } from '../../runtime/resources/build.ts'
import { approvalFor } from '../evm/approval.ts'
import { evmFeesOf, within } from '../terms/fees.ts'
import { type CrossChainOrder, tokenOf } from '../terms/order.ts'
import { type Agreed, refuseMaterial } from '../terms/verification.ts'
import { tokenAt } from './lifi/assets.ts'
import { proveLifiCall } from './lifi/prove.ts'
import type { Step } from './lifi/step.ts'

type Request = NonNullable<Step['transactionRequest']>

const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/

/**
 * Rebuilt from the checked fields: nothing else that the provider wrote is handed out. It is what `eth_sendTransaction`
 * takes; numbers are hex quantities, without leading zeros (ethereum/execution-apis, GenericTransaction).
 */
export type EvmRequest = Readonly<Static<typeof TransactionRequest>>

/**
 * @param request  the step's transaction
 * @param now  wall clock, ms
 * @param statedFees  see LifiClaim
 * @throws GatewayError  material_refused, with the rule: router, sender, chain, value, gas, spender, or one of
 *                       the calldata's, see lifi/prove.ts
 */
export function proveCrossChainEvm(
  step: Step,
  request: Request,
  order: CrossChainOrder,
  now: number,
  statedFees: ReadonlyMap<string, bigint> | null = includedFees(step, order),
) {
  const { key, xprovChainId: chainId } = order.fromChain
  const router = findEvmChain(key)?.xprovContract ?? null
  const is = (text: string | undefined, address: string): boolean =>
    text !== undefined && canonicalAddress(key, text) === address

  const { to, data, value = '0x0' } = request
  if (router === null || !is(to, router)) throw refuseMaterial('router')
  if (!is(request.from ?? order.from, order.from)) throw refuseMaterial('sender')
  if ((request.chainId ?? chainId) !== chainId) throw refuseMaterial('chain')
  const nativeFee = feesOnTop(step, order)
  const expected = (order.tokenIn.isNative ? order.amountIn : 0n) + nativeFee
  if (!QUANTITY.test(value) || BigInt(value) !== expected) throw refuseMaterial('value')
  if (nativeFee > mostForMessaging(order)) throw refuseMaterial('value')
  const { gasPrice, gasLimit } = gasOf(request, order)

  const { approvalAddress, skipApproval } = step.estimate
  const needsApproval = !order.tokenIn.isNative && skipApproval !== true
  if (needsApproval && !is(approvalAddress, router)) throw refuseMaterial('spender')
  const { checks, stated, facts, arrives, unreadCalls } = proveLifiCall(
    { diamond: router, data: data ?? '', value: expected },
    { order, minimum: BigInt(step.estimate.toAmountMin), statedFees, now },
  )
  return {
    transactionRequest: {
      from: order.from,
      to: router,
      chainId: quantity(BigInt(chainId)),
      data: data!,
      value: quantity(expected),
      ...(gasPrice !== undefined && { gasPrice: quantity(BigInt(gasPrice)) }),
      ...(gasLimit !== undefined && { gas: quantity(BigInt(gasLimit)) }),
    },
    approval: needsApproval ? approvalFor({ ...order, chain: order.fromChain }, router) : null,
    proof: {
      checks: ['router', 'sender', 'chain', 'value', 'gas', 'spender', ...checks],
      stated,
      ...(unreadCalls > 0 && { confirm: agreedOf(order, arrives, nativeFee) }),
      ...facts,
      router,
      value: expected.toString(),
      nativeFee: nativeFee.toString(),
    },
  }
}

/** The outcome that the calldata states, which executing it must show: its unread calls could change it. */
function agreedOf(
  { tokenIn, tokenOut, amountIn }: CrossChainOrder,
  arrives: bigint | null,
  fee: bigint,
): Agreed {
  return {
    spends: { token: tokenOf(tokenIn), atMost: amountIn },
    receives: arrives === null ? null : { token: tokenOf(tokenOut), atLeast: arrives },
    atMostNativeFees: fee,
    atMostGas: 0n,
  }
}

/** The fees on the source chain: those that the estimate has taken off already, or those beyond the input. */
const feesOf = ({ estimate }: Step, { fromChain }: CrossChainOrder, isIncluded: boolean) =>
  (estimate.feeCosts ?? [])
    .filter(({ token, included }) => included === isIncluded && token.chainId === fromChain.xprovChainId)
    .map(({ token, amount = '0' }) => {
      const address = canonicalAddress(fromChain.key, token.address)
      return { at: { address, isNative: address === nativeAddress(fromChain) }, amount: BigInt(amount) }
    })

/** The fees beyond the input that the estimate announces, wei: a bridge's messaging fee is paid in the native coin. */
const feesOnTop = (step: Step, order: CrossChainOrder): bigint =>
  feesOf(step, order, false).reduce((sum, { at, amount }) => (at.isNative ? sum + amount : sum), 0n)

/** Fees that the estimate has taken off already, by token in the contract's notation. */
function includedFees(step: Step, order: CrossChainOrder): ReadonlyMap<string, bigint> {
  const fees = new Map<string, bigint>()
  for (const { at, amount } of feesOf(step, order, true))
    fees.set(tokenAt(at), (fees.get(tokenAt(at)) ?? 0n) + amount)
  return fees
}

/** The wei that a message to another chain may cost. A swap on one chain sends none. */
function mostForMessaging(order: CrossChainOrder): bigint {
  const { fromChain, toChain } = order
  return fromChain.key === toChain.key ? 0n : within(evmFeesOf(fromChain.key).messaging, worthOf(order))
}

/** The input in wei; null for a token of unknown value. */
function worthOf({ fromChain, tokenIn, amountIn, worth = null }: CrossChainOrder): bigint | null {
  const wrapped = findEvmChain(fromChain.key)?.wrappedNative
  return tokenIn.isNative || tokenIn.address === wrapped ? amountIn : worth
}

/**
 * Gas price and limit, or neither: then the wallet sets both. They are also left out if they are within the
 * chain's bounds but dear for this order: gas may be dear on a day, and a wallet's own estimate shows it.
 * @throws GatewayError  rule `gas`: one without the other, which would leave the product to the wallet,
 *                       or beyond the chain's bounds
 */
function gasOf({ gasPrice, gasLimit }: Request, order: CrossChainOrder) {
  if (gasPrice === undefined && gasLimit === undefined) return {}
  if (gasPrice === undefined || gasLimit === undefined) throw refuseMaterial('gas')
  if (!QUANTITY.test(gasPrice) || !QUANTITY.test(gasLimit)) throw refuseMaterial('gas')
  const [price, limit] = [BigInt(gasPrice), BigInt(gasLimit)]
  const bounds = evmFeesOf(order.fromChain.key)
  const isBounded = price <= bounds.gasPrice && limit <= bounds.gasLimit && price * limit <= bounds.gas
  if (!isBounded) throw refuseMaterial('gas')
  return price * limit <= within(bounds.gas, worthOf(order)) ? { gasPrice, gasLimit } : {}
}
