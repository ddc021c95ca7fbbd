/**
 * Cells written by hand, into a bag, and the messages of a swap on STON.fi and on DeDust.
 *
 * Source: ton-blockchain/ton crypto/tl/boc.tlb · TEP-74 · ston-fi/sdk contracts/dex/v2_1, contracts/pTON/v2_1 ·
 * docs.dedust.io, TL-B schemes
 */
import { crc32c, packBits } from '../../proof/ton/boc.ts'
import { addressBits } from '../../proof/ton/cell.ts'

const EXOTIC = 0x08

export interface WrittenCell {
  /** A text of zeros and ones. */
  readonly bits: string
  readonly references: readonly WrittenCell[]
  readonly isExotic?: boolean
}

export const cell = (bits: string, ...references: readonly WrittenCell[]): WrittenCell => ({
  bits,
  references,
})

export const uint = (value: bigint, length: number): string => value.toString(2).padStart(length, '0')

/** VarUInteger 16, in the fewest bytes. */
export function coins(amount: bigint): string {
  const bytes = amount === 0n ? 0 : Math.ceil(amount.toString(16).length / 2)
  return uint(BigInt(bytes), 4) + (bytes === 0 ? '' : uint(amount, 8 * bytes))
}

/** @param account  canonical; null for none */
export const address = (account: string | null): string => (account === null ? '00' : addressBits(account))

/** Maybe ^Cell: its bit, and its reference if present. */
const maybe = (given: WrittenCell | null): readonly [bit: string, references: readonly WrittenCell[]] =>
  given === null ? ['0', []] : ['1', [given]]

/** A bag with this root: every cell once for each reference to it, parents before children, with a checksum. */
export function writeBag(root: WrittenCell): Buffer {
  const cells: WrittenCell[] = [root]
  const targets: number[][] = []
  for (let at = 0; at < cells.length; at++) {
    targets.push(cells[at]!.references.map((reference) => cells.push(reference) - 1))
  }
  const body = Buffer.concat(cells.map((written, at) => cellBytes(written, targets[at]!)))
  // One byte for each count, two for the length; one root, none absent; the root is cell 0.
  const header = [
    0xb5,
    0xee,
    0x9c,
    0x72,
    0x41,
    2,
    cells.length,
    1,
    0,
    body.length >> 8,
    body.length & 0xff,
    0,
  ]
  return withChecksum(Buffer.concat([Buffer.from(header), body]))
}

export function withChecksum(bytes: Buffer): Buffer {
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32LE(crc32c(bytes))
  return Buffer.concat([bytes, checksum])
}

function cellBytes({ bits, references, isExotic = false }: WrittenCell, targets: readonly number[]): Buffer {
  const { descriptor, data } = packBits(bits)
  return Buffer.from([references.length | (isExotic ? EXOTIC : 0), descriptor, ...data, ...targets])
}

/** A library cell. @param hash  the library's, 64 hex digits */
export const libraryCell = (hash: string): WrittenCell => ({
  bits: uint(2n, 8) + uint(BigInt(`0x${hash}`), 256),
  references: [],
  isExotic: true,
})

/** The arguments of a router's second version: addresses are canonical. */
export interface StonSwap {
  readonly operation: bigint
  /** The router's wallet of the bought jetton. */
  readonly askWallet: string | null
  readonly refund: string | null
  readonly excesses: string | null
  /** Unix seconds. */
  readonly deadline: bigint
  readonly minOut: bigint
  readonly receiver: string | null
  readonly forwardGas: bigint
  readonly customPayload: WrittenCell | null
  readonly refundGas: bigint
  readonly refundPayload: WrittenCell | null
  readonly referralBps: bigint
  readonly referral: string | null
}

const STON_SWAP = 0x6664de2an

/** A plain swap for a wallet. */
export const plainSwap = (wallet: string, askWallet: string, minOut: bigint, deadline: bigint): StonSwap => ({
  operation: STON_SWAP,
  askWallet,
  refund: wallet,
  excesses: wallet,
  deadline,
  minOut,
  receiver: wallet,
  forwardGas: 0n,
  customPayload: null,
  refundGas: 0n,
  refundPayload: null,
  referralBps: 0n,
  referral: null,
})

export function stonSwap(swap: StonSwap): WrittenCell {
  const [customBit, custom] = maybe(swap.customPayload)
  const [refundBit, refund] = maybe(swap.refundPayload)
  const inner = [
    coins(swap.minOut),
    address(swap.receiver),
    coins(swap.forwardGas),
    customBit,
    coins(swap.refundGas),
    refundBit,
    uint(swap.referralBps, 16),
    address(swap.referral),
  ]
  const outer = [
    uint(swap.operation, 32),
    address(swap.askWallet),
    address(swap.refund),
    address(swap.excesses),
    uint(swap.deadline, 64),
  ]
  return cell(outer.join(''), cell(inner.join(''), ...custom, ...refund))
}

/** The arguments of a DeDust vault: addresses are canonical. */
export interface DedustSwap {
  readonly pool: string | null
  /** Whether the output is exact. */
  readonly isExactOut: boolean
  readonly limit: bigint
  readonly next: WrittenCell | null
  /** Unix seconds; zero for none. */
  readonly deadline: bigint
  /** Null for the sender. */
  readonly recipient: string | null
  readonly referral: string | null
  readonly fulfill: WrittenCell | null
  readonly reject: WrittenCell | null
}

export const DEDUST_NATIVE_SWAP = 0xea06185dn
export const DEDUST_JETTON_SWAP = 0xe3a0d482n

/** A plain swap for the sender. */
export const plainDedustSwap = (pool: string, limit: bigint, deadline: bigint): DedustSwap => ({
  pool,
  isExactOut: false,
  limit,
  next: null,
  deadline,
  recipient: null,
  referral: null,
  fulfill: null,
  reject: null,
})

/** @param head  the bits before the swap: its operation, and for TON the query id and the amount */
export function dedustSwap(head: string, swap: DedustSwap): WrittenCell {
  const [nextBit, next] = maybe(swap.next)
  const [fulfillBit, fulfill] = maybe(swap.fulfill)
  const [rejectBit, reject] = maybe(swap.reject)
  const parameters = [
    uint(swap.deadline, 32),
    address(swap.recipient),
    address(swap.referral),
    fulfillBit,
    rejectBit,
  ]
  const step = [head, address(swap.pool), swap.isExactOut ? '1' : '0', coins(swap.limit), nextBit]
  return cell(step.join(''), ...next, cell(parameters.join(''), ...fulfill, ...reject))
}

/** The bits before a swap of TON. */
export const dedustNativeHead = (queryId: bigint, amount: bigint, operation = DEDUST_NATIVE_SWAP): string =>
  uint(operation, 32) + uint(queryId, 64) + coins(amount)

/** The bits before a swap of a jetton. */
export const DEDUST_JETTON_HEAD = uint(DEDUST_JETTON_SWAP, 32)

/** To a jetton wallet. */
export interface JettonTransfer {
  readonly operation: bigint
  readonly queryId: bigint
  readonly amount: bigint
  readonly destination: string | null
  readonly response: string | null
  readonly customPayload: WrittenCell | null
  readonly forwardTon: bigint
  readonly payload: WrittenCell
}

export const JETTON_TRANSFER = 0x0f8a7ea5n

export function jettonTransfer(transfer: JettonTransfer): WrittenCell {
  const [customBit, custom] = maybe(transfer.customPayload)
  const bits = [
    uint(transfer.operation, 32),
    uint(transfer.queryId, 64),
    coins(transfer.amount),
    address(transfer.destination),
    address(transfer.response),
    customBit,
    coins(transfer.forwardTon),
    '1',
  ]
  return cell(bits.join(''), ...custom, transfer.payload)
}

/** To a router's wallet of wrapped TON. */
export interface TonTransfer {
  readonly operation: bigint
  readonly queryId: bigint
  readonly amount: bigint
  readonly refund: string | null
  readonly payload: WrittenCell
}

export const TON_TRANSFER = 0x01f3835dn

export function tonTransfer({ operation, queryId, amount, refund, payload }: TonTransfer): WrittenCell {
  const bits = [uint(operation, 32), uint(queryId, 64), coins(amount), address(refund), '1']
  return cell(bits.join(''), payload)
}
