/** A call, and its arguments once they are decoded. */
import { hexOf } from '../../proof/evm/calldata.ts'
import { hexOf as shownHex } from '../findings.ts'
import { canonical } from './context.ts'

export interface DecodedCall {
  readonly where: string
  readonly from: string | null
  readonly to: string
  readonly value: bigint
  /** 0x hex, lower case. */
  readonly data: string
  readonly depth: number
  /** Whether the code runs in the name of `from` (DELEGATECALL). */
  readonly isDelegated?: boolean
}

export type InnerReader = (call: DecodedCall) => Promise<void>

/** The arguments of one call. */
export class Args {
  readonly #values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values
  }

  address = (name: string): string => canonical(String(this.#values[name]))!
  int = (name: string): bigint => this.#values[name] as bigint
  is = (name: string): boolean => this.#values[name] === true
  hex = (name: string): string => hexOf(this.#values[name] as Uint8Array)
  ints = (name: string): readonly bigint[] => this.#values[name] as readonly bigint[]
  addresses = (name: string): readonly string[] =>
    (this.#values[name] as string[]).map((one) => canonical(one)!)
  hexes = (name: string): readonly string[] => (this.#values[name] as Uint8Array[]).map(hexOf)
  struct = (name: string): Args => new Args(this.#values[name] as Record<string, unknown>)
  structs = (name: string): readonly Args[] =>
    (this.#values[name] as Record<string, unknown>[]).map((one) => new Args(one))
  /** The structs of arrays within arrays. */
  leaves = (name: string): readonly Args[] =>
    ([this.#values[name]].flat(Number.POSITIVE_INFINITY) as Record<string, unknown>[]).map(
      (one) => new Args(one),
    )
  texts = (): Record<string, string> =>
    Object.fromEntries(
      Object.entries(this.#values).map(([name, value]) => [name.slice(0, 64), textOf(value)]),
    )
}

const textOf = (value: unknown): string => {
  if (value instanceof Uint8Array) return shownHex(value)
  if (typeof value === 'object' && value !== null) {
    return JSON.stringify(value, (_, one) =>
      typeof one === 'bigint' ? String(one) : one instanceof Uint8Array ? shownHex(one) : one,
    ).slice(0, 512)
  }
  return String(value).slice(0, 512)
}
