/**
 * Calls of Velora's Augustus V6.2, for any partner and with either side exact: the most that leaves, and the
 * least that arrives. A partner takes a share of the amount that was compared with the minimum, or everything
 * above the quote.
 *
 * Source: as ../velora.ts
 */
import { CalldataReader } from '../../proof/evm/calldata.ts'
import * as velora from '../../proof/evm/velora.ts'
import { netOfVelora, veloraFee } from '../../proof/evm/velora-fee.ts'
import { refuseMaterial } from '../../proof/terms/verification.ts'
import { canonical } from './context.ts'
import { type Reading, swaps, ZERO } from './rows.ts'

/** Here `fromAmount` is the maximum, and the rest of it comes back. */
const EXACT_OUT = new CalldataReader<{
  swapExactAmountOutPro: velora.GenericCall
  swapExactAmountOutOnUniswapV2: velora.UniswapCall
  swapExactAmountOutOnUniswapV3: velora.UniswapCall
}>([
  `function swapExactAmountOutPro(${velora.GENERIC})`,
  `function swapExactAmountOutOnUniswapV2(${velora.UNISWAP})`,
  `function swapExactAmountOutOnUniswapV3(${velora.UNISWAP})`,
])

export const VELORA_SELECTORS: readonly string[] = [...velora.AUGUSTUS.selectors, ...EXACT_OUT.selectors]

/** The bits by which a partner takes what is above the quote, all of it or a part. */
const SURPLUS = 3n << 94n

/** @throws GatewayError  material_refused: calldata, pools, permit */
export function explainVelora(r: Reading): void {
  const { data, from } = r.call
  const { found, chain } = r
  const call = velora.AUGUSTUS.read(data) ?? EXACT_OUT.read(data)
  if (call === null) throw refuseMaterial('calldata')
  const isExactOut = velora.isExactOutput(call)
  if (!velora.arePoolsBetween(call, chain.wrappedNative)) throw refuseMaterial('pools')
  if (call.args.permit.length > 0) throw refuseMaterial('permit')
  const { srcToken, destToken, fromAmount, toAmount, quotedAmount, beneficiary } = call.args.swapData
  const word = call.args.partnerAndFee
  const partner = `0x${(word >> velora.PARTNER_AT).toString(16).padStart(40, '0')}`
  const bps = partner === ZERO ? 0 : Number(word & velora.FEE_BPS_MASK)
  // Everything above the quoted amount may go to the partner, however high the minimum is.
  const compared = !isExactOut && quotedAmount < toAmount ? quotedAmount : toAmount
  const fee = String(veloraFee(isExactOut ? quotedAmount : compared, bps))
  const token = isExactOut ? srcToken : destToken
  const least = netOfVelora(compared, isExactOut ? 0 : bps)
  swaps(r, {
    tokenIn: srcToken,
    tokenOut: destToken,
    isExactOut,
    amountIn: fromAmount,
    minOut: least < 0n ? 0n : least,
    recipient: beneficiary === ZERO ? (from ?? found.owner ?? ZERO) : beneficiary,
    fees: bps === 0 ? [] : [{ bps, amount: fee, token, recipient: canonical(partner), whose: null }],
  })
  if (partner === ZERO) return
  const takesSurplus = (word & SURPLUS) !== 0n
  if (takesSurplus && (word & velora.CAPPED) === 0n)
    found.risk('high_fee', `${partner} keeps what is above the quote, without a bound.`, 'warning')
  else if (takesSurplus)
    found.risk('high_fee', `${partner} keeps what is above the quote, up to 1 % of it.`, 'info')
}
