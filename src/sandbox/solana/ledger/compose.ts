/**
 * Composes instructions into a version 0 transaction without lookup tables, unsigned or
 * signed by its payer, the only signer.
 *
 *   [1][signature 64][0x80][1 0 readonly][keys][32-byte key x keys][blockhash 32]
 *   [instructions] x { [program u8][accounts c16][u8...][data c16][...] } [0 lookups]
 *
 * Keys: the payer, then the writable ones, then the read-only ones.
 *
 * Source: anza-xyz/solana-sdk message/src/versions/v0
 */

import { decodeBase58 } from '../../../chains/solana/base58.ts'
import type { InstructionParts } from '../../../chains/solana/message.ts'
import { KEY_BYTES, SIGNATURE_BYTES } from '../../../chains/solana/sizes.ts'

export type Composed = InstructionParts

/** @param blockhash  base58 */
export function composeMessage(payer: string, instructions: readonly Composed[], blockhash: string): Buffer {
  const isWritable = new Map<string, boolean>()
  for (const { program, accounts } of instructions) {
    for (const { address, isSigner, isWritable: writes } of accounts) {
      if (isSigner && address !== payer) throw new TypeError('only the payer signs')
      isWritable.set(address, writes || isWritable.get(address) === true)
    }
    if (!isWritable.has(program)) isWritable.set(program, false)
  }
  isWritable.delete(payer)
  const others = [...isWritable]
  const readonly = others.filter(([, writes]) => !writes).map(([address]) => address)
  const keys = [payer, ...others.filter(([, writes]) => writes).map(([address]) => address), ...readonly]
  const at = (address: string): number => keys.indexOf(address)
  return Buffer.concat([
    Uint8Array.of(0x80, 1, 0, readonly.length, keys.length),
    ...keys.map((address) => decodeBase58(address, KEY_BYTES)!),
    decodeBase58(blockhash, KEY_BYTES)!,
    Uint8Array.of(instructions.length),
    ...instructions.map(({ program, accounts, data }) =>
      // Counts below 128 are one byte, and no instruction here comes near.
      Buffer.concat([
        Uint8Array.of(at(program), accounts.length, ...accounts.map(({ address }) => at(address))),
        compactU16(data.length),
        data,
      ]),
    ),
    Uint8Array.of(0),
  ])
}

/** Compact-u16 of a length below 2^14. */
const compactU16 = (length: number): Uint8Array =>
  length < 0x80 ? Uint8Array.of(length) : Uint8Array.of((length & 0x7f) | 0x80, length >> 7)

export const unsigned = (message: Uint8Array): Buffer =>
  Buffer.concat([Uint8Array.of(1), new Uint8Array(SIGNATURE_BYTES), message])
