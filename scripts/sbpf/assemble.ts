/**
 * An assembler for programs of the virtual machine: turns a listing into the file that
 * a loader accepts. It supports what the sandbox's own programs need.
 *
 *   label:  operation operands    ; comment
 *
 *   mov add mul div and lsh  r1, r2 | r1, 5           64 bits wide, the immediate is 32
 *   lddw                     r1, 0x1122334455667788
 *   ldxb ldxh ldxw ldxdw     r1, [r2+8]               also stxb stxh stxw stxdw [r2+8], r1
 *   jeq jne jlt jgt          r1, r2 | r1, 5, label    ja label
 *   syscall name             call label               exit
 *
 * The file is an ELF of version 3: one header, one segment of code, system
 * calls by the hashes of their names.
 *
 * Source: anza-xyz/sbpf doc/bytecode.md, src/elf.rs (load_with_strict_parser), SIMD-0178, SIMD-0189
 */

const ELF_HEADER_BYTES = 64
const SEGMENT_HEADER_BYTES = 56
const INSTRUCTION_BYTES = 8
/** Where the loader puts the code. */
const CODE_AT = 1n << 32n
const SBPF_MACHINE = 247
const SBPF_VERSION = 3

const ALU: Readonly<Record<string, number>> = {
  add: 0x07,
  mul: 0x27,
  div: 0x37,
  and: 0x57,
  lsh: 0x67,
  mov: 0xb7,
}
const LOAD: Readonly<Record<string, number>> = { ldxw: 0x61, ldxh: 0x69, ldxb: 0x71, ldxdw: 0x79 }
const STORE: Readonly<Record<string, number>> = { stxw: 0x63, stxh: 0x6b, stxb: 0x73, stxdw: 0x7b }
const JUMP: Readonly<Record<string, number>> = { jeq: 0x15, jgt: 0x25, jne: 0x55, jlt: 0xa5 }
/** Added where the second operand is a register. */
const BY_REGISTER = 0x08

interface ListingLine {
  readonly operation: string
  readonly operands: readonly string[]
  /** Which instruction it is; `lddw` takes two. */
  readonly at: number
}

/** @throws SyntaxError  naming the line that cannot be read */
export function assemble(listing: string): Buffer {
  const labels = new Map<string, number>()
  const lines: ListingLine[] = []
  let at = 0
  for (const text of listing.split('\n')) {
    const [, label, rest] = /^\s*(?:(\w+):)?\s*([^;]*)/.exec(text)!
    if (label !== undefined) labels.set(label, at)
    const [operation, ...operands] = rest!.trim().split(/[\s,]+/)
    if (operation === undefined || operation === '') continue
    lines.push({ operation, operands, at })
    at += operation === 'lddw' ? 2 : 1
  }
  return elf(Buffer.concat(lines.map((line) => encode(line, labels))))
}

function encode({ operation, operands, at }: ListingLine, labels: ReadonlyMap<string, number>): Buffer {
  const wrong = () => new SyntaxError(`no such instruction: ${operation} ${operands.join(', ')}`)
  const [first = '', second = '', third = ''] = operands
  const register = (text: string): number => {
    const [, number] = /^r(\d|10)$/.exec(text) ?? []
    if (number === undefined) throw wrong()
    return Number(number)
  }
  const jumpTo = (label: string): number => {
    const target = labels.get(label)
    if (target === undefined) throw wrong()
    return target - at - 1
  }
  const memory = (text: string): [base: number, offset: number] => {
    const [, base, offset] = /^\[(r\d+)([+-]\w+)\]$/.exec(text) ?? []
    if (base === undefined || offset === undefined) throw wrong()
    const size = Number(offset.slice(1))
    return [register(base), offset.startsWith('-') ? -size : size]
  }
  /** An instruction whose operand is a register or an immediate. */
  const operand = (code: number, text: string, destination: number, offset: number): Buffer =>
    /^r\d/.test(text)
      ? word(code + BY_REGISTER, destination, register(text), offset, 0)
      : word(code, destination, 0, offset, integer(text))
  const integer = (text: string): number => {
    const value = text.startsWith('-') ? -Number(text.slice(1)) : Number(text)
    if (text === '' || !Number.isInteger(value)) throw wrong()
    return value
  }

  if (operation in ALU) return operand(ALU[operation]!, second, register(first), 0)
  if (operation in JUMP) return operand(JUMP[operation]!, second, register(first), jumpTo(third))
  if (operation in LOAD) {
    const [base, offset] = memory(second)
    return word(LOAD[operation]!, register(first), base, offset, 0)
  }
  if (operation in STORE) {
    const [base, offset] = memory(first)
    return word(STORE[operation]!, base, register(second), offset, 0)
  }
  switch (operation) {
    case 'lddw': {
      const value = BigInt.asIntN(64, BigInt(second))
      const low = Number(BigInt.asIntN(32, value))
      return Buffer.concat([word(0x18, register(first), 0, 0, low), word(0, 0, 0, 0, Number(value >> 32n))])
    }
    case 'ja':
      return word(0x05, 0, 0, jumpTo(first), 0)
    case 'call':
      return word(0x85, 0, 1, 0, jumpTo(first))
    case 'syscall':
      return word(0x85, 0, 0, 0, murmur3(first) | 0)
    case 'exit':
      return word(0x95, 0, 0, 0, 0)
    default:
      throw wrong()
  }
}

/** [operation u8][source, destination: 4 bits each][offset i16][immediate i32] */
function word(code: number, destination: number, source: number, offset: number, immediate: number): Buffer {
  const bytes = Buffer.alloc(INSTRUCTION_BYTES)
  bytes[0] = code
  bytes[1] = (source << 4) | destination
  bytes.writeInt16LE(offset, 2)
  bytes.writeInt32LE(immediate, 4)
  return bytes
}

function elf(code: Buffer): Buffer {
  const header = Buffer.alloc(ELF_HEADER_BYTES + SEGMENT_HEADER_BYTES)
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]) // ELF, 64 bits, little-endian, version 1
  header.writeUInt16LE(3, 16) // a shared object
  header.writeUInt16LE(SBPF_MACHINE, 18)
  header.writeUInt32LE(1, 20)
  header.writeBigUInt64LE(CODE_AT, 24) // entry
  header.writeBigUInt64LE(BigInt(ELF_HEADER_BYTES), 32) // segment headers
  header.writeUInt32LE(SBPF_VERSION, 48)
  header.writeUInt16LE(ELF_HEADER_BYTES, 52)
  header.writeUInt16LE(SEGMENT_HEADER_BYTES, 54)
  header.writeUInt16LE(1, 56) // one segment
  header.writeUInt32LE(1, 64) // to be loaded
  header.writeUInt32LE(1, 68) // executable
  header.writeBigUInt64LE(BigInt(header.length), 72)
  header.writeBigUInt64LE(CODE_AT, 80)
  header.writeBigUInt64LE(CODE_AT, 88)
  header.writeBigUInt64LE(BigInt(code.length), 96)
  header.writeBigUInt64LE(BigInt(code.length), 104)
  return Buffer.concat([header, code])
}

/** MurmurHash3, 32 bits, seed 0: how the machine names its system calls. */
export function murmur3(name: string): number {
  const bytes = Buffer.from(name)
  const mixed = (block: number): number => {
    const k = Math.imul(block, 0xcc9e2d51)
    return Math.imul((k << 15) | (k >>> 17), 0x1b873593)
  }
  let hash = 0
  const whole = bytes.length - (bytes.length % 4)
  for (let i = 0; i < whole; i += 4) {
    hash ^= mixed(bytes.readInt32LE(i))
    hash = Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64
  }
  if (whole < bytes.length) {
    let tail = 0
    for (let i = bytes.length - 1; i >= whole; i--) tail = (tail << 8) | bytes[i]!
    hash ^= mixed(tail)
  }
  hash ^= bytes.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
