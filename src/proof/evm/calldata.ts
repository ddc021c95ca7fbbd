/**
 * Reads calldata completely or not at all: the decoded arguments are encoded
 * again and must give the same text. This rejects every other spelling: upper
 * case, trailing bytes, gaps, non-standard offsets, and set upper bits in an
 * address.
 *
 * Import it lazily, so startup does not load the ABI coder.
 *
 * Source: Solidity documentation, "Contract ABI Specification"
 */

import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { type ContractMethodUntyped, createContract, type ParsedABI, parseAbi } from 'micro-eth-signer/abi.js'
import { getOrInsert } from '../../runtime/lists.ts'
import { SELECTOR_CHARACTERS, selectorOf } from './selector.ts'

/** Longer than any swap's calldata. Decoding more would block the event loop for longer than a build may. */
const MAX_CHARACTERS = 2 * 40 * 1024

/**
 * A decoded call. `args` is an object by argument name, or the bare value if the function has one argument.
 */
interface DecodedCall<Name extends string, Args> {
  readonly name: Name
  readonly args: Args
}

/**
 * Reads and writes calls of a contract's functions.
 *
 * @typeParam Functions  maps a function name to its arguments: addresses are lower-case 0x hex,
 *                       integers bigint, `bytes` Uint8Array; several arguments form an object
 */
export class CalldataReader<Functions extends { [Name in keyof Functions]: unknown }> {
  readonly #names = new Map<string, keyof Functions & string>()
  readonly #methods: ReadonlyMap<string, ContractMethodUntyped>

  /** @param signatures  in Solidity notation, such as `function transfer(address to, uint256 amount)` */
  constructor(signatures: readonly string[]) {
    const abi = parseAbi(signatures)
    // The inputs double as outputs because the library decodes outputs only: this is how calldata is read back.
    const contract = createContract(abi.map((item) => ({ ...item, outputs: item.inputs! })) as ParsedABI)
    this.#methods = new Map(Object.entries(contract))
    for (const [i, { name }] of abi.entries())
      this.#names.set(selectorOf(signatures[i]!)!, name as keyof Functions & string)
  }

  /** 0x and eight hex digits, in the order of the signatures. */
  get selectors(): readonly string[] {
    return [...this.#names.keys()]
  }

  /** @returns null for an unknown function, or if the data is not the canonical encoding of its arguments */
  read(
    data: string,
  ):
    | { [Name in keyof Functions & string]: DecodedCall<Name, Functions[Name]> }[keyof Functions & string]
    | null {
    if (data.length > MAX_CHARACTERS) return null
    const name = this.#names.get(data.slice(0, SELECTOR_CHARACTERS))
    if (name === undefined) return null
    try {
      const method = this.#methods.get(name)!
      const bytes = hexToBytes(data.slice(SELECTOR_CHARACTERS))
      const args = method.decodeOutput(bytes)
      return hexOf(method.encodeInput(args)) === data ? ({ name, args } as never) : null
    } catch {
      return null
    }
  }

  /** @returns calldata, 0x hex */
  write<Name extends keyof Functions & string>(name: Name, args: Functions[Name]): string {
    return hexOf(this.#methods.get(name)!.encodeInput(args))
  }
}

const READERS = new Map<string, CalldataReader<Record<string, unknown>>>()

/**
 * The reader of one function, made at its first use and kept: a process sees few of the dozens that are known.
 * @param signature  one of the code's own, not of a request
 */
export function readerOf(signature: string): CalldataReader<Record<string, unknown>> {
  return getOrInsert(READERS, signature, () => new CalldataReader<Record<string, unknown>>([signature]))
}

/** 0x hex, lower case. */
export const hexOf = (bytes: Uint8Array): string => `0x${bytesToHex(bytes)}`
