/** What all parts of an explanation on an EVM chain share. */
import type { EvmChain } from '../../chains/definition.ts'
import { checksummed, EVM_ADDRESSES } from '../../chains/evm-address.ts'
import { KYBERSWAP_ROUTER, VELORA_ROUTER } from '../evm-rules.ts'
import type { Findings } from './findings.ts'

/** A call, as descriptors take it. */
export interface EvmTransaction {
  readonly from: string | null
  readonly to: string
  readonly value: bigint
  readonly bytes: Uint8Array
}

/** Who words what is not known here; see descriptors.ts. */
export interface Describe {
  ofCall(chainId: number, call: EvmTransaction): Promise<Readonly<Record<string, string>> | null>
  ofMessage(typedData: object, contract: string): Promise<Readonly<Record<string, string>> | null>
}

export interface EvmContext {
  readonly chain: EvmChain
  readonly found: Findings
  readonly describe: Describe | null
  /** Lets others have the thread where this explanation has had it for long. */
  readonly turn?: (() => Promise<void>) | undefined
}

/** Permit2, at one address on every chain. */
export const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

const HEX_20 = /^0x[0-9a-fA-F]{40}$/

/** @returns the address in EIP-55's case, whatever its case was: many honest messages have a wrong one */
export const canonical = (text: string): string | null =>
  HEX_20.test(text) ? checksummed(text.toLowerCase()) : null

/** Contracts that take tokens for one use, by the proofs' own lists, with their names. */
export function routersOf({ v2Routers, xprovContract }: EvmChain): ReadonlyMap<string, string> {
  const known = [
    { name: 'KyberSwap', address: KYBERSWAP_ROUTER },
    { name: 'Velora', address: VELORA_ROUTER },
    { name: 'Permit2', address: PERMIT2 },
    ...v2Routers,
    { name: 'LI.FI', address: xprovContract },
  ]
  return new Map(
    known.flatMap(({ name, address }) => (address === null ? [] : [[canonical(address)!, name] as const])),
  )
}

/** Where tokens keep allowances in fewer bits, their maximum is unlimited, too. */
const WIDTHS = [64n, 96n, 112n, 128n, 160n, 255n, 256n]
/** More than there is of any token. */
const ALL = 2n ** 128n

/** Whether an allowance is for more than any one use. */
export const isUnlimited = (amount: bigint): boolean =>
  amount >= ALL || WIDTHS.some((bits) => amount >= 2n ** bits - 2n && amount <= 2n ** bits)

export const isNative = (address: string): boolean =>
  address === EVM_ADDRESSES.native || BigInt(address) === 0n

/** The chain by the number in a message or a transaction. */
export const isOn = ({ chainId }: EvmChain, id: bigint | null): boolean =>
  id === null || id === BigInt(chainId)
