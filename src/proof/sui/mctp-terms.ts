/**
 * Checks an order of Mayan's MCTP on Sui against the client's order: the recipient, the chain, the token, and
 * the minimum. See mctp.ts for the calls.
 *
 * Source: mayan-finance/swap-sdk src/sui/suiMctp.ts · MayanCircle.sol
 */

import { decimalsWanted } from '../cross-chain/lifi/assets.ts'
import { lowerHex, WORMHOLE_IDS, writtenAs } from '../cross-chain/lifi/ids.ts'
import { isFillable, isReceived, refundFeeOf, unitOf } from '../cross-chain/lifi/mayan.ts'
import { bindingOf } from '../cross-chain/lifi/terms.ts'
import { MAX_MAYAN_PROTOCOL_BPS } from '../terms/fees.ts'
import { refuseMaterial } from '../terms/verification.ts'
import type { SuiClaim, SuiCrossChain } from './claim.ts'
import type { MctpOrder } from './mctp.ts'

/** A plain transfer or an order, without a payload of its own. */
const PLAIN = 1n

type MctpClaim = Pick<SuiCrossChain, 'order' | 'domain' | 'mintRecipient' | 'isMinted' | 'now'> &
  Pick<SuiClaim, 'minOut'>

/**
 * @param burnt  the USDC that is known to be sent across, in base units; the order itself may demand more
 * @throws GatewayError  material_refused: recipient, destination_chain, destination_call, received_token,
 *                       minimum, fees, refund, deadline
 */
export function mctpTerms(mctp: MctpOrder, claim: MctpClaim, burnt: bigint | null) {
  const { order, domain, mintRecipient } = claim
  const isLocked = mctp.kind === 'bridge_locked_fee'
  const recipient = isLocked ? mintRecipient : writtenAs('word', order.toChain, order.to)!
  if (lowerHex(mctp.word('addrDest')) !== recipient) throw refuseMaterial('recipient')
  if (mctp.number('domain') !== domain) throw refuseMaterial('destination_chain')
  if (mctp.number('gasDrop') !== 0n) throw refuseMaterial('fees')
  if (!isLocked && mctp.number('payloadType') !== PLAIN) throw refuseMaterial('destination_call')
  // What the order demands of its coin is enforced on chain, whatever a swap leaves.
  const demanded = mctp.number('amountInMin')
  const least = burnt !== null && burnt > demanded ? burnt : demanded
  const terms = mctp.kind === 'init_order' ? auction(mctp, claim, least) : bridged(mctp, claim, least)
  return {
    ...terms,
    /** The least USDC that is sent across, in base units. */
    least,
    /** As 32 bytes of hex. */
    recipient,
    checks: ['bridge_order', 'recipient', 'destination_chain', ...terms.checks],
  }
}

/** The USDC itself, less the redeemer's fee. */
function bridged(mctp: MctpOrder, { isMinted, minOut }: MctpClaim, least: bigint) {
  if (!isMinted) throw refuseMaterial('received_token')
  if (mctp.kind === 'bridge_with_fee' && mctp.word('payload').length > 1)
    throw refuseMaterial('destination_call')
  const minimum = least - mctp.number('redeemFee')
  if (minimum < minOut) throw refuseMaterial('minimum')
  return {
    minimum,
    /** Whether the minimum follows from what is sent across, so that a swap before the bridge cannot lose it. */
    bindsAmount: true,
    checks: ['received_token', 'minimum', 'fees', 'destination_call'],
    stated: [],
  }
}

/**
 * The auction's winner pays at least `amountOutMin`, of which Mayan keeps a share that its fee manager sets.
 */
function auction(mctp: MctpOrder, { order, minOut, now }: MctpClaim, least: bigint) {
  const { toChain, from } = order
  if (mctp.number('destChain') !== WORMHOLE_IDS.get(toChain.key)) throw refuseMaterial('destination_chain')
  if (lowerHex(mctp.word('trader')) !== from) throw refuseMaterial('refund')
  if (!isFillable(mctp.number('deadline'), now)) throw refuseMaterial('deadline')
  if (mctp.number('feeRateRef') !== 0n) throw refuseMaterial('fees')
  // After the deadline the recipient gets the USDC, less this.
  const refundFee = refundFeeOf(mctp.number('redeemFee'), least)
  const decimals = decimalsWanted(order)
  const unit = unitOf(decimals ?? 0)
  const minimum = decimals === null ? null : mctp.number('amountOutMin') * unit
  const received = isReceived(mctp.word('tokenOut'), order)
  const { checks, stated } = bindingOf({ minimum, slack: unit - 1n, received }, minOut)
  return {
    minimum,
    keptBps: MAX_MAYAN_PROTOCOL_BPS,
    bindsAmount: false,
    refundFee,
    checks: ['refund', 'deadline', 'fees', 'destination_call', ...checks],
    stated,
  }
}
