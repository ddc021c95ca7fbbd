/**
 * Calldata, read whole or not at all: it is decoded, encoded again, and must
 * come out as the same text. Whatever has a second spelling dies there: upper
 * case, trailing bytes, gaps, offsets that point elsewhere than they usually
 * do, and the upper bits of an address.
 *
 * Imported at its first use, so that the start loads no ABI coder.
 *
 * Source: Solidity documentation, "Contract ABI Specification"
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { createContract, parseAbi } from 'micro-eth-signer/abi.js'

/** Longer calldata than any swap has: reading it would take longer than a build may hold the loop. */
const MAX_CHARACTERS = 2 * 40 * 1024

/** The arguments of a call, by name; a function's only argument stands for itself. */
export interface Call<Name extends string, Args> {
  readonly name: Name
  readonly args: Args
}

interface Method {
  encodeInput(args: unknown): Uint8Array
  decodeOutput(data: Uint8Array): unknown
}

/**
 * Functions of a contract, in Solidity's own notation.
 *
 * @typeParam Functions  from a function's name to its arguments: addresses are 0x hex in lower case,
 *                       integers bigint, `bytes` Uint8Array; of more than one argument an object of all
 */
export class CalldataReader<Functions extends { [Name in keyof Functions]: unknown }> {
  readonly #bySelector = new Map<
    string,
    { readonly name: keyof Functions & string; readonly method: Method }
  >()
  readonly #byName = new Map<string, Method>()

  /** @param signatures  such as `function transfer(address to, uint256 amount)` */
  constructor(signatures: readonly string[]) {
    const abi = parseAbi([...signatures] as [string]) as unknown as readonly AbiFunction[]
    // The outputs are not what it answers: a way to read calldata back, for which the library has no other.
    const contract = createContract(abi.map((item) => ({ ...item, outputs: item.inputs })) as never)
    for (const [name, method] of Object.entries(contract as unknown as Record<string, Method>)) {
      this.#byName.set(name, method)
    }
    for (const item of abi) {
      const method = this.#byName.get(item.name)!
      this.#bySelector.set(selectorOf(item), { name: item.name as keyof Functions & string, method })
    }
  }

  /** 0x and eight digits, in the order of the signatures. */
  get selectors(): readonly string[] {
    return [...this.#bySelector.keys()]
  }

  /** @returns null for another function, or for what is not the one encoding of its arguments */
  read(
    data: string,
  ): { [Name in keyof Functions & string]: Call<Name, Functions[Name]> }[keyof Functions & string] | null {
    if (data.length > MAX_CHARACTERS) return null
    const known = this.#bySelector.get(data.slice(0, SELECTOR_CHARACTERS))
    if (known === undefined) return null
    const { name, method } = known
    try {
      const bytes = new Uint8Array(Buffer.from(data.slice(SELECTOR_CHARACTERS), 'hex'))
      const args = method.decodeOutput(bytes)
      return hexOf(method.encodeInput(args)) === data ? ({ name, args } as never) : null
    } catch {
      return null
    }
  }

  /** @returns calldata, 0x hex */
  write<Name extends keyof Functions & string>(name: Name, args: Functions[Name]): string {
    return hexOf(this.#byName.get(name)!.encodeInput(args))
  }
}

interface AbiInput {
  readonly type: string
  readonly components?: readonly AbiInput[]
}

interface AbiFunction {
  readonly name: string
  readonly inputs: readonly AbiInput[]
}

/** The first four bytes of the hash of the name with the types of its arguments. */
function selectorOf({ name, inputs }: AbiFunction): string {
  const hash = keccak_256(Buffer.from(`${name}${typesOf(inputs)}`))
  return hexOf(hash.subarray(0, 4))
}

const typesOf = (inputs: readonly AbiInput[]): string =>
  `(${inputs.map(({ type, components }) => type.replace(/^tuple/, components === undefined ? '' : typesOf(components))).join()})`

/** 0x and four bytes. */
const SELECTOR_CHARACTERS = 10

const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`
