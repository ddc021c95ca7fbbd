/**
 * TON addresses: a workchain and a 32-byte account id. The raw form is `0:` and 64 hex digits; the friendly
 * form is base64 or base64url of 36 bytes:
 *
 *   tag 1 | workchain 1, signed | account id 32 | CRC-16 of the 34 before, big-endian 2
 *
 * The tag's flags say how to send (0x11 bounceable, 0x51 not) and are not part of the address: the canonical
 * spelling is the bounceable one. Tags of the test network (flag 0x80) are refused.
 *
 * Source: ton-blockchain/TEPs TEP-2
 */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { decodeBase64, encodeBase64 } from '../runtime/base64.ts'
import type { AddressFormat } from './address-format.ts'

const BOUNCEABLE = 0x11
const NON_BOUNCEABLE = 0x51
const BASECHAIN = 0
const MASTERCHAIN = -1

/** The basechain's account of all zeros, as STON.fi writes the native coin. */
const NATIVE = 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c'

export const TON_ADDRESSES: AddressFormat = {
  native: NATIVE,
  parseWallet(text) {
    const address = parse(text)
    return address === NATIVE ? null : address
  },
  parseToken: parse,
}

function parse(text: string): string | null {
  const raw = RAW.exec(text)
  if (raw !== null) return friendly(Number(raw[1]), hexToBytes(raw[2]!))
  if (!FRIENDLY.test(text)) return null
  const bytes = bytesOf(text)
  const tag = bytes[0]
  const workchain = workchainOf(bytes)
  if (tag !== BOUNCEABLE && tag !== NON_BOUNCEABLE) return null
  if (workchain !== BASECHAIN && workchain !== MASTERCHAIN) return null
  if (((bytes[34]! << 8) | bytes[35]!) !== crc16(bytes.subarray(0, 34))) return null
  return friendly(workchain, bytes.subarray(2, 34))
}

/** @param address  canonical. @returns workchain, colon, 64 hex digits */
export function rawTonAddress(address: string): string {
  const bytes = bytesOf(address)
  return `${workchainOf(bytes)}:${bytesToHex(bytes.subarray(2, 34))}`
}

/** @param raw  workchain, colon, 64 hex digits. @returns canonical */
export function friendlyTonAddress(raw: string): string {
  return parse(raw)!
}

const RAW = /^(0|-1):([0-9a-fA-F]{64})$/
/** 36 bytes in one of the two alphabets. 48 characters have no spare bits, so the spelling is unique. */
const FRIENDLY = /^(?:[A-Za-z0-9+/]{48}|[A-Za-z0-9_-]{48})$/

function friendly(workchain: number, id: Uint8Array): string {
  const bytes = new Uint8Array(36)
  bytes[0] = BOUNCEABLE
  bytes[1] = workchain & 0xff
  bytes.set(id, 2)
  const crc = crc16(bytes.subarray(0, 34))
  bytes.set([crc >> 8, crc & 0xff], 34)
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_')
}

/** @param text  48 characters of one of the two alphabets */
const bytesOf = (text: string): Uint8Array => decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/'))!

/** A signed byte. */
const workchainOf = (bytes: Uint8Array): number => (bytes[1]! << 24) >> 24

/** CRC-16/XMODEM: polynomial 0x1021, initial value zero, highest bit first. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  }
  return crc & 0xffff
}
