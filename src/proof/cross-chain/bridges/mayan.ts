/**
 * Reads orders of Mayan Swift's two programs. The wallet pays into a token account
 * that belongs to the order, and the program takes the input from there. The
 * order's address is derived from everything in the order.
 *
 *   init_order  [kind 8][least paid in u64][is SOL u8][fee for relaying u64][recipient 32][chain u16][token 32]
 *               [minimum u64][gas drop u64][fees of a cancel, a refund u64 each][deadline u64][referrer 32]
 *               [referrer's, Mayan's bps u8 each][auction u8][random 32]
 *   accounts    0 trader · 1 relayer · 2 order · 3 its tokens · 4 relayer's tokens · 5 payload, or the program
 *               itself for none: in the second version only · mint · …
 *
 * Source: mayan-finance/swap-sdk src/solana/solanaSwift.ts · mayan-finance/example-tx-parser abis/swift.idl.ts
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { encodeBase58 } from '../../../chains/solana/base58.ts'
import { WRAPPED_SOL_MINT } from '../../../chains/solana/programs.ts'
import type { Fee } from '../../../runtime/resources/quote.ts'
import { FROM } from '../../solana/reading.ts'
import { readBorsh, type StrictReader } from '../../strict-reader.ts'
import { BPS, LIFI_FEE_BPS } from '../../terms/fees.ts'
import { refuseMaterial } from '../../terms/verification.ts'
import { decimalsWanted } from '../lifi/assets.ts'
import { lowerHex, WORMHOLE_IDS, writtenAs } from '../lifi/ids.ts'
import { isFillable, isReceived, refundFeeOf, unitOf } from '../lifi/mayan.ts'
import type { RefundFee } from '../lifi/terms.ts'
import { isAssociated, type SolanaCall } from './call.ts'
import type { ReadBridge, SolanaCrossChain, SolanaTerms } from './terms.ts'

const INIT_ORDER = '204c290c27a284db'

type SolanaSwiftOrder = ReturnType<typeof readOrder>

export const swiftV1Terms: ReadBridge = (call, crossChain) => swiftTerms(call, crossChain, 5)

export const swiftV2Terms: ReadBridge = (call, crossChain) => {
  // A payload would call a contract on the destination chain.
  if (call.at(5) === null || call.at(5) !== call.program) throw refuseMaterial('destination_call')
  return swiftTerms(call, crossChain, 6)
}

function swiftTerms(call: SolanaCall, crossChain: SolanaCrossChain, mintAt: number): SolanaTerms {
  const { order, mint, now } = crossChain
  const { instruction, at } = call
  const args = readBorsh(instruction.data, readOrder)
  if (args === null) throw refuseMaterial('bridge_order')
  const { toChain, to, tokenIn, tokenOut, amountIn } = order
  const [trader, relayer, state, tokens] = instruction.accounts
  // Refunds go to the trader.
  if (trader !== FROM || relayer !== FROM) throw refuseMaterial('refund')
  if ((at(mintAt) ?? mint) !== mint) throw refuseMaterial('sent_token')
  if (args.isSol && mint !== WRAPPED_SOL_MINT) throw refuseMaterial('sent_token')
  if (!isAssociated(at(3), at(2), mint)) throw refuseMaterial('deposit')
  if (args.chain !== Number(WORMHOLE_IDS.get(toChain.key) ?? 0n)) throw refuseMaterial('destination_chain')
  if (lowerHex(args.recipient) !== writtenAs('word', toChain, to)) throw refuseMaterial('recipient')
  if (!isFillable(args.deadline, now)) throw refuseMaterial('deadline')
  const refundFee = boundedFees(args, crossChain)
  const decimals = decimalsWanted(order)
  const unit = unitOf(decimals ?? 0)
  // Without the decimals of the bought token, fees are counted in the sold one: they are the same share of
  // it.
  const [of, token] =
    decimals === null ? [amountIn, tokenIn.address] : [args.minimum * unit, tokenOut.address]
  const feeOf = (bps: number, recipient: string | null, whose: string | null): Fee[] =>
    bps === 0 ? [] : [{ bps, amount: String((of * BigInt(bps)) / BPS), token, recipient, whose }]
  return {
    takes: null,
    deposit: { account: tokens!, owner: state!, atLeast: args.leastIn },
    minimum: decimals === null ? null : args.minimum * unit,
    // Both fees reduce what arrives.
    keptBps: BigInt(args.referrerBps + args.mayanBps),
    slack: unit - 1n,
    received: isReceived(args.token, order),
    checks: ['refund', 'deposit', 'deadline'],
    refundFee,
    fees: [
      ...feeOf(args.referrerBps, encodeBase58(args.referrer), null),
      ...feeOf(args.mayanBps, null, 'mayan'),
    ],
  }
}

function readOrder(reader: StrictReader) {
  if (bytesToHex(reader.fixed(8)) !== INIT_ORDER) throw refuseMaterial('bridge_order')
  const order = {
    leastIn: reader.u64(),
    isSol: reader.bool(),
    relayFee: reader.u64(),
    recipient: reader.fixed(32),
    chain: reader.u16(),
    token: reader.fixed(32),
    minimum: reader.u64(),
    gasDrop: reader.u64(),
    cancelFee: reader.u64(),
    refundFee: reader.u64(),
    deadline: reader.u64(), // Unix seconds
    referrer: reader.fixed(32),
    referrerBps: reader.u8(),
    mayanBps: reader.u8(),
  }
  reader.u8() // auction
  reader.fixed(32) // random
  return order
}

function boundedFees(args: SolanaSwiftOrder, { order }: SolanaCrossChain): RefundFee {
  const { decimals } = order.tokenIn
  if (args.gasDrop !== 0n || args.relayFee !== 0n) throw refuseMaterial('fees')
  if (BigInt(args.referrerBps + args.mayanBps) > LIFI_FEE_BPS) throw refuseMaterial('fees')
  return refundFeeOf((args.cancelFee + args.refundFee) * unitOf(decimals), order.amountIn)
}
