/**
 * The faucet: a transfer that lands like any other. Each is paid by a new account,
 * funded for it, so that two equal airdrops in one slot are two transactions and the
 * faucet never runs dry.
 *
 *   [1][signature 64][1 0 1][3][payer][recipient][system program][blockhash 32]
 *   [1]{[2][2][0 1][12][transfer u32][lamports u64]}
 *
 * Source: anza-xyz/solana-sdk system-interface/src/instruction.rs
 */

import { ed25519 } from '@noble/curves/ed25519.js'
import { decodeBase58 } from '../../../chains/solana/base58.ts'
import type { Bank } from './bank.ts'
import { openTransaction, type SubmittedTransaction } from './transaction.ts'

const SYSTEM_PROGRAM = new Uint8Array(32)
const TRANSFER = 2

/** @returns a signed transfer of `lamports` to the recipient, whose payer has just enough for it */
export function fundedTransfer(bank: Bank, recipient: Uint8Array, lamports: bigint): SubmittedTransaction {
  const { secretKey, publicKey } = ed25519.keygen()
  bank.vm.endow(publicKey, lamports + bank.perSignature)
  const blockhash = decodeBase58(bank.slots.latestBlockhash('processed').blockhash, 32)!
  const data = Buffer.alloc(12)
  data.writeUInt32LE(TRANSFER)
  data.writeBigUInt64LE(lamports, 4)
  const message = Buffer.concat([
    Uint8Array.of(1, 0, 1, 3),
    publicKey,
    recipient,
    SYSTEM_PROGRAM,
    blockhash,
    Uint8Array.of(1, 2, 2, 0, 1, data.length),
    data,
  ])
  return openTransaction(Buffer.concat([Uint8Array.of(1), ed25519.sign(message, secretKey), message]))
}
