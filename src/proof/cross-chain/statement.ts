/**
 * Checks the cross-chain provider's description of what it built against the order. It proves nothing about
 * the bytes; but if the description differs, the provider built something else.
 */
import { parseAddress } from '../../chains/address.ts'
import type { XprovChain } from '../../chains/find.ts'
import { parseXprovToken } from '../../chains/xprov-token.ts'
import type { CrossChainOrder, Token } from '../terms/order.ts'
import { type Proof, refuseMaterial } from '../terms/verification.ts'
import type { Step } from './lifi/step.ts'
import checks from './statement-checks.json' with { type: 'json' }

/**
 * The provider's description must match the order, field by field.
 * @throws GatewayError  material_refused, with the rule of the field
 */
export function proveStatement({ action, estimate }: Step, order: CrossChainOrder): Proof {
  const { fromChain, toChain, tokenIn, tokenOut, decimalsOut, from, to } = order
  const amount = order.amountIn.toString()
  if (action.fromChainId !== fromChain.xprovChainId) throw refuseMaterial('source_chain')
  if (action.toChainId !== toChain.xprovChainId) throw refuseMaterial('destination_chain')
  if (!isToken(fromChain, action.fromToken.address, tokenIn)) throw refuseMaterial('sent_token')
  if (!isToken(toChain, action.toToken.address, tokenOut)) throw refuseMaterial('received_token')
  // Divided amounts and lowered decimals look the same to a reader that takes both from the provider.
  if (action.fromToken.decimals !== tokenIn.decimals) throw refuseMaterial('decimals')
  if (decimalsOut !== undefined && action.toToken.decimals !== decimalsOut) throw refuseMaterial('decimals')
  if (action.fromAmount !== amount || estimate.fromAmount !== amount) throw refuseMaterial('amount')
  const minimum = BigInt(estimate.toAmountMin)
  if (minimum === 0n || minimum > BigInt(estimate.toAmount)) throw refuseMaterial('minimum')
  if (!isWithinSlippage(BigInt(estimate.toAmount), minimum, order.slippage)) throw refuseMaterial('slippage')
  if (parseAddress(fromChain, action.fromAddress ?? '') !== from) throw refuseMaterial('sender')
  if (parseAddress(toChain, action.toAddress ?? '') !== to) throw refuseMaterial('recipient')
  return {
    checks: [...checks, ...(decimalsOut === undefined ? [] : ['decimals'])],
    stated: decimalsOut === undefined ? ['decimals'] : [],
    sender: from,
    recipient: to,
  }
}

/** The most that the provider takes if the order has no slippage. */
const DEFAULT_SLIPPAGE = '0.005'
const FRACTION_DIGITS = 18
const WHOLE = 10n ** BigInt(FRACTION_DIGITS)
/** The provider computes with floating point: one millionth of the output and one base unit are tolerated. */
export const ROUNDING_PPM = 1_000_000n

/** @param slippage  decimal fraction; null leaves it to the provider */
function isWithinSlippage(expected: bigint, minimum: bigint, slippage: string | null): boolean {
  const lost = parseFraction(slippage ?? DEFAULT_SLIPPAGE)
  const least = (expected * (WHOLE - lost)) / WHOLE
  return minimum >= least - expected / ROUNDING_PPM - 1n
}

/** @returns units of 10^-18; small fractions are written as in JavaScript: 1e-7 */
function parseFraction(text: string): bigint {
  const [whole = '', digits = ''] = Number(text).toFixed(FRACTION_DIGITS).split('.')
  return BigInt(whole + digits)
}

function isToken(chain: XprovChain, text: string, { address, isNative }: Omit<Token, 'decimals'>): boolean {
  const token = parseXprovToken(chain, text)
  return token?.address === address && token.isNative === isNative
}
