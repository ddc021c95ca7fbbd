/**
 * Reads the bits and references of a cell to the last one: unread content could
 * change what a message means. Also computes a cell's hash, from which contract
 * addresses are derived.
 *
 * Source: ton-blockchain/ton crypto/block/block.tlb (MsgAddress, VarUInteger) · docs.ton.org, cell
 * serialization, representation hash
 */

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { friendlyTonAddress, rawTonAddress } from '../../chains/ton-address.ts'
import { type Cell, packBits } from './boc.ts'

/** The cell does not hold the expected content. Never leaves proof/. */
export class MalformedCell extends Error {}

export class CellReader {
  readonly #cell: Cell
  readonly #bits: number
  #at = 0
  #reference = 0

  /** @throws MalformedCell  if the cell is exotic */
  constructor(cell: Cell) {
    if (cell.isExotic) throw new MalformedCell('exotic')
    this.#cell = cell
    this.#bits = bitLength(cell)
  }

  /** Another reader, at the same position. */
  fork(): CellReader {
    const other = new CellReader(this.#cell)
    other.#at = this.#at
    other.#reference = this.#reference
    return other
  }

  get bitsLeft(): number {
    return this.#bits - this.#at
  }

  get referencesLeft(): number {
    return this.#cell.references.length - this.#reference
  }

  bit(): boolean {
    return this.uint(1) === 1n
  }

  /** Most significant bit first. */
  uint(length: number): bigint {
    if (length > this.bitsLeft) throw new MalformedCell('truncated')
    let value = 0n
    for (let end = this.#at + length; this.#at < end; this.#at++) {
      const byte = this.#cell.data[this.#at >> 3]!
      value = (value << 1n) | BigInt((byte >> (7 - (this.#at & 7))) & 1)
    }
    return value
  }

  /** VarUInteger 16, encoded in the fewest bytes. */
  coins(): bigint {
    const length = Number(this.uint(4))
    const value = this.uint(length * 8)
    if (length > 0 && value >> BigInt((length - 1) * 8) === 0n) throw new MalformedCell('coins')
    return value
  }

  /** MsgAddress: addr_none, or addr_std without anycast. @returns canonical; null for addr_none */
  address(): string | null {
    const kind = this.uint(2)
    if (kind === 0n) return null
    if (kind !== 2n || this.bit()) throw new MalformedCell('address')
    return this.account()
  }

  /** A workchain of 8 bits, and an account. @returns canonical */
  account(): string {
    const workchain = Number(BigInt.asIntN(8, this.uint(8)))
    // The network has no other workchains.
    if (workchain !== 0 && workchain !== -1) throw new MalformedCell('workchain')
    return friendlyTonAddress(`${workchain}:${this.uint(256).toString(16).padStart(64, '0')}`)
  }

  reference(): Cell {
    const cell = this.#cell.references[this.#reference]
    if (cell === undefined) throw new MalformedCell('references')
    this.#reference++
    return cell
  }

  /** Maybe ^Cell. */
  maybeReference(): Cell | null {
    return this.bit() ? this.reference() : null
  }

  /**
   * Either Cell ^Cell, accepted as a reference only: routers keep the payment if the payload is inline.
   * @returns a reader of the referenced cell
   */
  payload(): CellReader {
    if (!this.bit()) throw new MalformedCell('in place')
    return new CellReader(this.reference())
  }

  /** @throws MalformedCell  if bits or references are unread */
  end(): void {
    if (this.bitsLeft > 0 || this.#reference < this.#cell.references.length) throw new MalformedCell('more')
  }
}

function bitLength({ data, isTagged }: Cell): number {
  if (!isTagged) return data.length * 8
  const last = data[data.length - 1]!
  // A tag alone in its byte would follow bits that fill whole bytes and need no tag: nodes reject it.
  if ((last & 0x7f) === 0) throw new MalformedCell('tag')
  // The tag is the lowest set bit.
  return (data.length - 1) * 8 + 7 - Math.log2(last & -last)
}

/** The hash and depth of a referenced cell, which the referring cell's hash includes. */
export interface HashedCell {
  readonly hash: Uint8Array
  readonly depth: number
}

/** @param bits  a string of zeros and ones, of an ordinary cell */
export function hashCell(bits: string, references: readonly HashedCell[]): HashedCell {
  const { descriptor, data } = packBits(bits)
  return hashOf(references.length, descriptor, data, references)
}

function hashOf(
  firstDescriptor: number,
  secondDescriptor: number,
  data: Uint8Array,
  references: readonly HashedCell[],
): HashedCell {
  const parts: Uint8Array[] = [Uint8Array.of(firstDescriptor, secondDescriptor), data]
  for (const { depth } of references) parts.push(Uint8Array.of(depth >> 8, depth & 0xff))
  for (const { hash } of references) parts.push(hash)
  const depth = references.length === 0 ? 0 : 1 + Math.max(...references.map((reference) => reference.depth))
  return { hash: sha256(concatBytes(...parts)), depth }
}

const EXOTIC = 0x08
/** The first byte of a reference to a library: its type. The library's hash follows. */
const LIBRARY = 2
const LIBRARY_BYTES = 33
/** The network's own limit. */
const MAX_DEPTH = 1_024

/**
 * The hash of a cell as it is, such as a contract's code. A library is not looked up: its reference is
 * hashed.
 * @throws MalformedCell  for exotic cells of other types, whose hash differs, and beyond the network's depth
 */
export function cellHash(root: Cell): HashedCell {
  // A cell with several references is hashed once: a bag of them could represent an endless tree.
  const known = new Map<Cell, HashedCell>()
  const hash = (cell: Cell, level: number): HashedCell => {
    const found = known.get(cell)
    if (found !== undefined) return found
    const { data, isTagged, isExotic, references } = cell
    if (level > MAX_DEPTH) throw new MalformedCell('depth')
    const isLibrary = data[0] === LIBRARY && data.length === LIBRARY_BYTES && !isTagged
    if (isExotic && (!isLibrary || references.length > 0)) throw new MalformedCell('exotic')
    const hashed = hashOf(
      references.length | (isExotic ? EXOTIC : 0),
      2 * data.length - (isTagged ? 1 : 0),
      data,
      references.map((reference) => hash(reference, level + 1)),
    )
    known.set(cell, hashed)
    return hashed
  }
  return hash(root, 0)
}

/** StateInit without a library: split_depth, special, ^code, ^data. */
const STATE_INIT = '00110'

/** @returns the canonical address in the basechain of a contract that is deployed with this code and data */
export function deployedAt(code: HashedCell, data: HashedCell): string {
  return friendlyTonAddress(`0:${bytesToHex(hashCell(STATE_INIT, [code, data]).hash)}`)
}

/** @param address  canonical. @returns addr_std as a string of zeros and ones */
export function addressBits(address: string): string {
  const [workchain, account] = rawTonAddress(address).split(':')
  const byte = (Number(workchain) & 0xff).toString(2).padStart(8, '0')
  return `100${byte}${BigInt(`0x${account}`).toString(2).padStart(256, '0')}`
}
