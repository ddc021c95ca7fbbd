/**
 * Calls of LI.FI's contract: swaps and cross-chain swaps, by the proofs that otherwise check them against an
 * order, here against their own terms.
 */
import { findXprovChain } from '../../chains/find.ts'
import { type LifiProof, proveLifiCall } from '../../proof/cross-chain/lifi/prove.ts'
import { statedIn } from '../../proof/cross-chain/lifi/stated.ts'
import type { CrossChainOrder } from '../../proof/terms/order.ts'
import { refuseMaterial } from '../../proof/terms/verification.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Fee } from '../../runtime/resources/quote.ts'
import { amountIn, pays, receives } from '../ledger.ts'
import { acts, fees, ledgerAsset, type Reading, swaps } from './rows.ts'

interface Proved {
  readonly order: CrossChainOrder
  readonly proof: LifiProof
}

/** @throws GatewayError  material_refused, by the rule that the call breaks */
export function readLifi(r: Reading): void {
  const { call, found, chain } = r
  const from = call.from ?? found.owner
  if (from === null) throw refuseMaterial('sender')
  const stated = statedIn(call.data, findXprovChain(chain.key)!, from)
  const best = provedOf(r, stated.orders)
  const isProved = !(best instanceof GatewayError)
  const kept = (isProved ? best.proof.facts.fees : []) as readonly Fee[]
  const { tokenIn, amountIn: sold, bridge, recipient } = stated
  const asset = ledgerAsset(tokenIn)
  if (bridge === null) {
    if (!isProved) throw best
    const { tokenOut, to } = best.order
    const minOut = BigInt(String(best.proof.facts.minimum))
    swaps(r, { tokenIn, tokenOut: tokenOut.address, amountIn: sold, minOut, recipient: to, fees: kept })
    return
  }
  const arrives = isProved && best.proof.stated.length === 0 ? arrivalOf(best) : null
  const place = stated.toChain?.name ?? `chain ${stated.toChainId}`
  const who = recipient === null ? 'somebody' : found.nameOf(recipient)
  const least = arrives === null ? '' : `, at least ${arrives.words}`
  const words = `sends ${found.says({ asset, amount: String(sold) })} by ${bridge} to ${who} on ${place}${least}`
  const isKnown = recipient !== null && found.isNamed(recipient)
  const taken = kept.reduce(
    (sum, fee) => (ledgerAsset(fee.token) === asset ? sum + BigInt(fee.amount) : sum),
    0n,
  )
  const extra = call.value - (asset === 'native' ? sold : 0n)
  const effects = [
    pays(from, asset, sold - taken, isKnown ? call.to : recipient, { what: `for ${place}`, isKnown }),
    ...fees(from, kept),
    ...(arrives === null ? [] : [receives(recipient, arrives.asset, arrives.amount)]),
    ...(extra > 0n ? [pays(from, 'native', extra, call.to, { what: 'message', isKnown: isProved })] : []),
  ]
  acts(r, 'bridge', words, effects, { asset, amount: String(sold), from, to: recipient })
  if (recipient !== null && found.accounts.has(recipient))
    found.risk('recipient_unknown', `On ${place}, ${recipient} may be nobody's account, or another's.`)
  if (!isProved) throw best
  if (arrives === null) throw refuseMaterial(best.proof.stated[0]!)
}

/** Fees up to here are named, and judged by the ledger. */
const MAX_TOLD_FEE_BPS = 1_000n

/** The order that the call fulfils with the least that is only stated. */
function provedOf({ call, date }: Reading, orders: readonly CrossChainOrder[]): Proved | GatewayError {
  const lifi = { diamond: call.to.toLowerCase(), data: call.data, value: call.value }
  const rules = { minimum: 1n, now: date(), statedFees: null, maxFeeBps: MAX_TOLD_FEE_BPS }
  let best: Proved | GatewayError = refuseMaterial('destination_chain')
  for (const order of orders) {
    try {
      const proof = proveLifiCall(lifi, { order, ...rules })
      if (best instanceof GatewayError || proof.stated.length < best.proof.stated.length)
        best = { order, proof }
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      if (best instanceof GatewayError) best = error
    }
  }
  return best
}

/** What arrives on the other chain, if the proof binds it. */
function arrivalOf({ order: { toChain, tokenOut }, proof }: Proved) {
  const [asset, amount] = [tokenOut.isNative ? 'native' : tokenOut.address, String(proof.facts.minimum)]
  return { asset: `${toChain.key}:${asset}`, amount, words: amountIn(toChain, { asset, amount }) }
}
