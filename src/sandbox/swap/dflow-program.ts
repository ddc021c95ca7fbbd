/**
 * The program at DFlow's address in the sandbox. It takes DFlow's `swap` and trades with a desk of its own in place
 * of the markets: the amount goes from the wallet to the desk's vault, the quoted amount from the desk's
 * other vault to the account that stands where a market has its user's, whoever owns that.
 *
 *   accounts   0 token program · 1 associated token program · 2 System · 3 wallet · 4 event authority · 5 DFlow ·
 *              6 source · 7 destination · 8, 9 mints · 10, 11 token programs ·
 *              12 vault that receives · 13 vault that pays · 14 the desk, which this program signs for
 *   data       [kind 8][1 u32][TokenSwap u8][in u64][flags u8][quoted u64][slippage u16][fee u16]
 *
 * Its code is in programs.json, built from scripts/sbpf.
 *
 * Source: sevenlabs-hq/carbon decoders/dflow-aggregator-v4-decoder, instructions/swap.rs, types/action.rs
 */
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { decodeKey, encodeBase58 } from '../../chains/solana/base58.ts'
import type { InstructionParts } from '../../chains/solana/message.ts'
import { programAddress } from '../../chains/solana/program-address.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  DFLOW_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '../../chains/solana/programs.ts'
import { readonly, signer, tokenAddress, u64, writable } from '../solana/ledger/instructions.ts'
import { type DeskTrade, mintOf, programOf, vaultOf } from './jupiter-desk.ts'
import { deskOf, type Layout } from './jupiter-program.ts'

const { seed, address } = deskOf(DFLOW_PROGRAM)
/** The owner of the vaults. */
export const DESK_ADDRESS = address
export const DFLOW: Layout & { readonly quoted: string } = {
  kind: Buffer.from('f8c69e91e17587c8', 'hex'),
  bytes: 34,
  seed,
  amountAt: 13,
  // In place of another destination it has itself, which is none.
  places: [3, 6, 7, 8, 9, 10, 11, 5, 4, 5, 12, 13, 14],
  quoted: 'ldxdw r9, [r6+22]',
}
const EVENT_AUTHORITY = encodeBase58(
  programAddress(decodeKey(DFLOW_PROGRAM), utf8ToBytes('__event_authority')),
)

/** An action of one market whose arguments are the amount and its flags. */
const ONE_TOKEN_SWAP = Uint8Array.of(1, 0, 0, 0, 28)

export function swap(trade: DeskTrade): InstructionParts {
  const { wallet, tokenIn, tokenOut, amountIn, amountOut, slippageBps } = trade
  const [mintIn, mintOut] = [mintOf(tokenIn), mintOf(tokenOut)]
  const [programIn, programOut] = [programOf(tokenIn), programOf(tokenOut)]
  const bps = Buffer.alloc(4)
  bps.writeUInt16LE(slippageBps)
  return {
    program: DFLOW_PROGRAM,
    accounts: [
      ...[TOKEN_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM].map(readonly),
      signer(wallet),
      ...[EVENT_AUTHORITY, DFLOW_PROGRAM].map(readonly),
      writable(tokenAddress(wallet, mintIn, programIn)),
      writable(tokenAddress(wallet, mintOut, programOut)),
      ...[mintIn, mintOut, programIn, programOut].map(readonly),
      writable(vaultOf(mintIn, programIn, DESK_ADDRESS)),
      writable(vaultOf(mintOut, programOut, DESK_ADDRESS)),
      readonly(DESK_ADDRESS),
    ],
    data: Buffer.concat([DFLOW.kind, ONE_TOKEN_SWAP, u64(amountIn), Uint8Array.of(0), u64(amountOut), bps]),
  }
}
