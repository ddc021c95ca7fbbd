/**
 * What the sandbox's TON providers write by hand: a payload of one cell in a
 * bag of its own, and addresses of contracts that do not exist.
 *
 * Source: ton-blockchain/ton crypto/tl/boc.tlb · TEP-74
 */
import { createHash } from 'node:crypto'
import { canonicalAddress } from '../../chains/address.ts'
import { crc32c } from '../../proof/boc.ts'

const JETTON_TRANSFER = 0x0f8a7ea5
/** pTON's `ton_transfer`: TON for a pool, from a wallet. */
const TON_TRANSFER = 0x01f3835d

/** The same contract address for the same words. */
export function contractAddress(...words: readonly string[]): string {
  const id = createHash('sha256').update(JSON.stringify(words)).digest('hex')
  return canonicalAddress('ton', `0:${id}`)
}

/** A message body that moves the amount: base64 of a bag with one cell. */
export function transferBody(isNative: boolean, queryId: bigint, amount: bigint): string {
  const head = Buffer.alloc(12)
  head.writeUInt32BE(isNative ? TON_TRANSFER : JETTON_TRANSFER)
  head.writeBigUInt64BE(queryId, 4)
  // VarUInteger 16: four bits of length, so many bytes; then the tag that closes the last byte.
  const digits = amount.toString(16)
  const bytes = Math.ceil(digits.length / 2)
  const varUint = bytes.toString(16) + digits.padStart(2 * bytes, '0')
  return bagOfOne(Buffer.concat([head, Buffer.from(`${varUint}8`, 'hex')])).toString('base64')
}

/** @param data  its last byte is half used */
function bagOfOne(data: Buffer): Buffer {
  const cell = Buffer.concat([Buffer.from([0, 2 * data.length - 1]), data])
  // One byte for each count; one cell, one root, none absent; the root is cell 0.
  const header = Buffer.from([0xb5, 0xee, 0x9c, 0x72, 0x41, 1, 1, 1, 0, cell.length, 0])
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32LE(crc32c(Buffer.concat([header, cell])))
  return Buffer.concat([header, cell, checksum])
}
