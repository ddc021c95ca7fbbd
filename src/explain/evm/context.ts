/** What all parts of an explanation on an EVM chain share. */
import type { EvmChain } from '../../chains/definition.ts'
import { checksummed, EVM_ADDRESSES } from '../../chains/evm-address.ts'
import { KYBERSWAP_ROUTER, VELORA_ROUTER } from '../../proof/evm/rules.ts'
import type { Findings } from '../findings.ts'
import type { Descriptors } from './descriptors.ts'

/** Describes calls that are unknown here; see descriptors.ts. */
export type Describe = Pick<Descriptors, 'ofCall' | 'ofMessage'>

export interface EvmContext {
  readonly chain: EvmChain
  readonly found: Findings
  readonly describe: Describe | null
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

const [V1_2, V2_1_1, V2_1_1_BASE] = [
  '0x3fC91A3afd70395Cd496C647d5a6CC9D4B2b7FAD',
  '0x8B844f885672f333Bc0042cB669255f93a4C1E6b',
  '0xFdf682F51FE81Aa4898F0AE2163d8A55c127fbC7',
]
/**
 * Uniswap's Universal Routers from version 1.2 on, by chain key: they take, by Permit2, from their caller alone.
 * Source: Uniswap/universal-router deploy-addresses · docs.uniswap.org
 */
const UNIVERSAL_ROUTERS: Readonly<Record<string, readonly string[]>> = {
  ethereum: [
    V1_2,
    '0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af',
    '0x4C82D1fBFe28C977cBB58D8C7FF8FCF9F70a2cCA',
    '0x23617e59A5925b2A4Bf75d73ff6711cD0b29De85',
  ],
  base: [
    V1_2,
    '0x6fF5693b99212Da76ad316178A184AB56D299b43',
    V2_1_1_BASE,
    '0xd6145b2D3F379919E8CdEda7B97e37c4b2Ca9c40',
  ],
  arbitrum: [
    '0x5E325eDA8064b456f4781070C0738d849c824258',
    '0xA51afAFe0263b40EdaEf0Df8781eA9aa03E381a3',
    V2_1_1,
    '0x2d01411773c8C24805306E89A41F7855C3c4Fe65',
  ],
  optimism: [
    '0xCb1355ff08Ab38bBCE60111F1bb2B784bE25D7e8',
    '0x851116D9223fabED8E56C0E6b8Ad0c31d98B3507',
    V2_1_1,
    '0xC09255D86DB563cBc11C2fCf4a0C512e160111B4',
  ],
  bsc: ['0x1906c1d672b88cD1B9aC7593301cA990F94Eae07'],
  polygon: ['0x1095692A6237d83C6a72F3F5eFEdb9A670C49223'],
  avalanche: ['0x4Dae2f939ACf50408e13d58534Ff8c2776d45265', '0x94b75331AE8d42C1b61065089B7d48FE14aA73b7'],
  unichain: ['0xEf740bf23aCaE26f6492B10de645D6B98dC8Eaf3'],
  monad: [V2_1_1_BASE, '0xa6CE4F10d83dBdDAc17E68e1837ca9cE6a1b596e'],
  linea: [V2_1_1],
}

/** 1inch's router, version 6, and its chains. Source: the registry of ERC-7730, calldata-AggregationRouterV6.json */
const ONE_INCH_ROUTER = '0x111111125421cA6dc452d289314280a0f8842A65'
const ONE_INCH_CHAINS = [1, 10, 56, 137, 8453, 42_161, 43_114, 59_144]

/** Contracts that take tokens for one use, with their names: by the proofs' own lists, Uniswap's and 1inch's. */
export function routersOf({ key, chainId, v2Routers, xprovContract }: EvmChain): ReadonlyMap<string, string> {
  const known = [
    { name: 'KyberSwap', address: KYBERSWAP_ROUTER },
    { name: 'Velora', address: VELORA_ROUTER },
    { name: 'Permit2', address: PERMIT2 },
    ...(ONE_INCH_CHAINS.includes(chainId) ? [{ name: '1inch', address: ONE_INCH_ROUTER }] : []),
    ...v2Routers,
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
