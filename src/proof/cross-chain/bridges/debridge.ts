/**
 * Reads an order of deBridge's DLN source program. The instruction contains the
 * order, and the program takes the input from the wallet's token account.
 *
 *   create_order             [kind 8][order][affiliate fee?][referral code? u32]
 *   create_order_with_nonce  the same, and [nonce u64][metadata]
 *   order     [give u64][take: chain 32 · token · amount 32][receiver][external call?][give's patch authority 32]
 *             [cancel beneficiary? 32][authority on the other side][allowed taker?]
 *   accounts  0 maker · 1 state · 2 mint · 3 order · 4 sender · 5 maker's tokens · 6 order's tokens · …
 *
 * Source: debridge-finance/solana-tx-parser-public tests/idl/src.ts · docs.debridge.com, chain coverage
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { findEvmChain } from '../../../chains/find.ts'
import { encodeBase58 } from '../../../chains/solana/base58.ts'
import type { Fee } from '../../../runtime/resources/quote.ts'
import { FROM } from '../../solana/reading.ts'
import { readBorsh } from '../../strict-reader.ts'
import { BPS, LIFI_FEE_BPS } from '../../terms/fees.ts'
import type { CrossChainOrder } from '../../terms/order.ts'
import { refuseMaterial } from '../../terms/verification.ts'
import { DEBRIDGE_IDS, EVM_ZERO_ADDRESS, lowerHex, writtenAs } from '../lifi/ids.ts'
import { isAssociated } from './call.ts'
import type { ReadBridge } from './terms.ts'

const CREATE_ORDER = '8d3625cfedd2fad7'
const CREATE_ORDER_WITH_NONCE = '828362be28ce4432'

/** Chains that deBridge does not serve. */
const ABSENT: ReadonlySet<string> = new Set(['scroll', 'unichain'])

/** The solver for which deBridge's API reserves orders on EVM chains. It may fill an order or leave it. */
const SOLVER = '0x555ce236c0220695b68341bc48c68d52210cc35b'

type DlnOrder = NonNullable<ReturnType<typeof readOrder>>

/** @returns deBridge's id of a chain; null if deBridge does not serve it */
export const debridgeId = (chainKey: string): bigint | null => {
  if (ABSENT.has(chainKey)) return null
  const chain = findEvmChain(chainKey)
  return DEBRIDGE_IDS.get(chainKey) ?? (chain === null ? null : BigInt(chain.chainId))
}

export const debridgeTerms: ReadBridge = ({ instruction, at }, { order, mint }) => {
  const args = readOrder(instruction.data)
  if (args === null) throw refuseMaterial('bridge_order')
  const { toChain, to, tokenOut, from } = order
  if (instruction.accounts[0] !== FROM) throw refuseMaterial('sender')
  // The mint is in a lookup table, mostly; the account that pays shows which one it is.
  if ((at(2) ?? mint) !== mint || !isAssociated(at(5), from, mint)) throw refuseMaterial('sent_token')
  if (BigInt(lowerHex(args.chain)) !== debridgeId(toChain.key)) throw refuseMaterial('destination_chain')
  const recipient = writtenAs('bytes', toChain, to)
  if (lowerHex(args.receiver) !== recipient) throw refuseMaterial('recipient')
  if (args.externalCall !== null) throw refuseMaterial('destination_call')
  // The account that may cancel the order decides where the input returns to, and may lower the output.
  if (lowerHex(args.authority) !== recipient) throw refuseMaterial('refund')
  const refunds = [args.patchAuthority, ...(args.cancelBeneficiary === null ? [] : [args.cancelBeneficiary])]
  if (refunds.some((key) => encodeBase58(key) !== from)) throw refuseMaterial('refund')
  if (args.taker !== null && lowerHex(args.taker) !== SOLVER) throw refuseMaterial('taker')
  const token = tokenOut.isNative ? EVM_ZERO_ADDRESS : writtenAs('bytes', toChain, tokenOut.address)
  return {
    takes: args.give,
    deposit: null,
    minimum: BigInt(lowerHex(args.take)),
    slack: 0n,
    isOrder: true,
    received: lowerHex(args.token) === token,
    checks: ['refund', 'taker'],
    fees: affiliateFees(args, order),
  }
}

function affiliateFees({ affiliateFee }: DlnOrder, { tokenIn, amountIn }: CrossChainOrder): Fee[] {
  if (affiliateFee === null || affiliateFee.amount === 0n) return []
  const { beneficiary, amount } = affiliateFee
  if (amount * BPS > amountIn * LIFI_FEE_BPS) throw refuseMaterial('fees')
  const bps = Number((amount * BPS * 100n) / amountIn) / 100
  const recipient = encodeBase58(beneficiary)
  return [{ bps, amount: amount.toString(), token: tokenIn.address, recipient, whose: null }]
}

function readOrder(data: Uint8Array) {
  return readBorsh(data, (reader) => {
    const kind = bytesToHex(reader.fixed(8))
    if (kind !== CREATE_ORDER && kind !== CREATE_ORDER_WITH_NONCE) throw refuseMaterial('bridge_order')
    const order = {
      give: reader.u64(),
      chain: reader.fixed(32),
      token: reader.bytes(),
      take: reader.fixed(32),
      receiver: reader.bytes(),
      externalCall: reader.option(() => reader.bytes()),
      patchAuthority: reader.fixed(32),
      cancelBeneficiary: reader.option(() => reader.fixed(32)),
      authority: reader.bytes(),
      taker: reader.option(() => reader.bytes()),
      affiliateFee: reader.option(() => ({ beneficiary: reader.fixed(32), amount: reader.u64() })),
    }
    reader.option(() => reader.u32()) // referral code
    if (kind === CREATE_ORDER_WITH_NONCE) {
      reader.u64()
      reader.bytes() // metadata
    }
    return order
  })
}
