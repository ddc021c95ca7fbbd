/** What all parts of an explanation on an EVM chain share. */
import type { EvmChain } from '../../chains/definition.ts'
import { checksummed, EVM_ADDRESSES } from '../../chains/evm-address.ts'
import { KYBERSWAP_ROUTER, VELORA_ROUTER } from '../../proof/evm/rules.ts'
import type { Findings } from '../findings.ts'
import type { Descriptors } from './descriptors.ts'
import universalRouters from './universal-routers.json' with { type: 'json' }

/** Describes calls that are unknown here; see descriptors.ts. */
export type Describe = Pick<Descriptors, 'ofCall' | 'ofMessage'>

export interface EvmContext {
  readonly chain: EvmChain
  readonly found: Findings
  readonly describe: Describe | null
  /** Wall clock, ms. */
  readonly date: () => number
  /** Yields the thread if this explanation has had it for long. */
  readonly turn?: (() => Promise<void>) | undefined
  /** By Safe: the number of signatures that come with its transaction. It requires no more. */
  readonly signatures?: Map<string, bigint>
}

/** Permit2, at one address on every chain. */
export const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

const HEX_20 = /^0x[0-9a-fA-F]{40}$/

/** @returns the address in EIP-55's case, whatever its case was: many honest messages have a wrong one */
export const canonical = (text: string): string | null =>
  HEX_20.test(text) ? checksummed(text.toLowerCase()) : null

/**
 * Uniswap's Universal Routers from version 1.2 on, by chain key: they take, by Permit2, from their caller alone.
 * Source: Uniswap/universal-router deploy-addresses · docs.uniswap.org
 */
const UNIVERSAL_ROUTERS: Readonly<Record<string, readonly string[]>> = universalRouters

/** 1inch's router, version 6, and its chains. Source: the registry of ERC-7730, calldata-AggregationRouterV6.json */
const ONE_INCH_ROUTER = '0x111111125421cA6dc452d289314280a0f8842A65'
const ONE_INCH_CHAINS = [1, 10, 56, 137, 8453, 42_161, 43_114, 59_144]

/** Contracts that take tokens for one use, with their names: by the proofs' own lists, Uniswap's and 1inch's. */
export function routersOf(chain: EvmChain): ReadonlyMap<string, string> {
  const { key, chainId, v2Routers, v3, xprovContract } = chain
  const known = [
    { name: 'KyberSwap', address: KYBERSWAP_ROUTER },
    { name: 'Velora', address: VELORA_ROUTER },
    { name: 'Permit2', address: PERMIT2 },
    ...(ONE_INCH_CHAINS.includes(chainId) ? [{ name: '1inch', address: ONE_INCH_ROUTER }] : []),
    ...v2Routers,
    { name: 'Uniswap V3', address: v3['uniswap-v3']?.router ?? null },
    { name: 'PancakeSwap V3', address: v3['pancakeswap-v3']?.router ?? null },
    { name: 'LI.FI', address: xprovContract },
    ...(UNIVERSAL_ROUTERS[key] ?? []).map((address) => ({ name: "Uniswap's Universal Router", address })),
  ]
  return new Map(
    known.flatMap(({ name, address }) => (address === null ? [] : [[canonical(address)!, name] as const])),
  )
}

/** Some tokens keep allowances in fewer bits: their maximum is unlimited, too. */
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
