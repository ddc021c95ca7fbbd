/**
 * The Move code that a provider's transaction may call: packages and functions,
 * each with its source. Any other package could act as the sender in another
 * protocol, such as withdraw a deposit, and no wallet balance would show it. So
 * no other call is allowed, not even with arguments that hold no coin.
 *
 * Packages are immutable. An upgrade has a new id and is added by hand.
 */

import { TOKEN_MESSENGER } from './sui-mctp.ts'

const STD = `0x${'1'.padStart(64, '0')}`
const FRAMEWORK = `0x${'2'.padStart(64, '0')}`

/** What a function does with its arguments, as far as a proof needs to know. */
export type Role =
  /** Only moves coins between values of the transaction. */
  | 'plain'
  /** A Cetus V3 venue: works on a swap context and takes no coin. */
  | 'venue'
  /** Takes coins and returns others; only its name and package say what it does. */
  | 'swap'
  | 'open'
  | 'openV2'
  | 'confirm'
  | 'checkCoin'
  | 'settle'
  /** Transfers a coin to the sender of the transaction. */
  | 'keep'
  /** Transfers a value to the address in its second argument. */
  | 'give'
  /** Turns a withdrawal from an address balance into a coin or balance of its whole amount. */
  | 'redeem'
  | 'burn'

/** The framework's functions that move coins between values of one transaction. Source: MystenLabs/sui crates/sui-framework/packages */
const FRAMEWORK_ROLES: Readonly<Record<string, Role>> = {
  'coin::zero': 'plain',
  'coin::value': 'plain',
  'coin::balance': 'plain',
  'coin::into_balance': 'plain',
  'coin::from_balance': 'plain',
  'coin::join': 'plain',
  'coin::split': 'plain',
  'coin::put': 'plain',
  'coin::take': 'plain',
  'coin::destroy_zero': 'plain',
  'balance::zero': 'plain',
  'balance::value': 'plain',
  'balance::join': 'plain',
  'balance::split': 'plain',
  'balance::withdraw_all': 'plain',
  'balance::destroy_zero': 'plain',
  'transfer::public_transfer': 'give',
  'coin::send_funds': 'give',
  'balance::send_funds': 'give',
  'coin::redeem_funds': 'redeem',
  'balance::redeem_funds': 'redeem',
}

/**
 * Source: CetusProtocol/aggregator @3e0abe4c7fae src/movecall/router.ts; its
 * assertions were read in the decompiled bytecode of a sibling package.
 */
const ROUTER_ROLES: Readonly<Record<string, Role>> = {
  'router::new_swap_context': 'open',
  'router::new_swap_context_v2': 'openV2',
  'router::confirm_swap': 'confirm',
  'router::take_balance': 'plain',
  'router::transfer_balance': 'give',
  'router::transfer_or_destroy_coin': 'keep',
}

type PackageRoles = Readonly<Record<string, Role>> | ((name: string) => Role | null)

/** Every `module::swap…` function of a package. */
const venue = (name: string): Role | null => (/^\w+::\w*swap\w*$/.test(name) ? 'venue' : null)

/**
 * Cetus V2: functions of many venues, and a check of the output. Source: the same,
 * packages/cetus-aggregator-v2
 */
const cetusV2 = (name: string): Role | null => {
  if (name === 'utils::check_coin_threshold') return 'checkCoin'
  if (name === 'utils::transfer_or_destroy_coin') return 'keep'
  return /^\w+::\w*swap\w*$/.test(name) ? 'swap' : null
}

const PACKAGES: ReadonlyMap<string, PackageRoles> = new Map<string, PackageRoles>([
  [STD, { 'option::none': 'plain' }],
  [FRAMEWORK, FRAMEWORK_ROLES],
  // AggregatorV3. Source: cetus-1.gitbook.io/cetus-developer-docs, Cetus Aggregator, Getting started
  ['0xde5d696a79714ca5cb910b9aed99d41f67353abb00715ceaeb0663d57ee39640', ROUTER_ROLES],
  ['0x33ec64e9bb369bf045ddc198c81adbf2acab424da37465d95296ee02045d2b17', ROUTER_ROLES],
  // Both versions of CetusRouter, and AfsuiRouter. Source: the same page
  ['0x721d950e57259cd97d41010887ab502ee7753b0a3deb4b6a80099aad0c833928', venue],
  ['0xb1e11ceaf3e7cd3031ef5e24804478ec3441c5aecdace910bdaca317a0c1c535', venue],
  ['0xe353802bae757d961af8b1f1bc4c1863f693e757fa4cd6374db4c294fff1bc97', venue],
  // CetusAggregatorV2 and its two extensions. Source: CetusProtocol/aggregator src/utils/aggregator-config.ts
  ['0x8ae871505a80d8bf6bf9c05906cda6edfeea460c85bebe2e26a4313f5e67874a', cetusV2],
  ['0x8a2f7a5b20665eeccc79de3aa37c3b6c473eca233ada1e1cd4678ec07d4d4073', cetusV2],
  ['0x5cb7499fc49c2642310e24a4ecffdbee00133f97e80e2b45bca90c64d55de880', cetusV2],
  // The 7k (Bluefin) meta aggregator, which checks the output of other swaps. Source: 7k-ag/7k-sdk-ts
  // @281e9ae48cd0
  ['0x17c0b1f7a6ad73f51268f16b8c06c049eecc2f28a270cdd29c06e3d2dea23302', { 'settle::settle': 'settle' }],
])

/**
 * Circle's domains by chain key, of the chains that its bridge on Sui leads to: that is of the first version.
 * Source: developers.circle.com/cctp/v1/supported-domains
 */
const DOMAINS: ReadonlyMap<string, bigint> = new Map([
  ['ethereum', 0n],
  ['avalanche', 1n],
  ['optimism', 2n],
  ['arbitrum', 3n],
  ['solana', 5n],
  ['base', 6n],
  ['polygon', 7n],
  ['unichain', 10n],
])

export const burnDomain = (chainKey: string): bigint | null => DOMAINS.get(chainKey) ?? null

/** Keys of the chains that a cross-chain swap from Sui can lead to. */
export const FROM_SUI: readonly string[] = [...DOMAINS.keys()]

/**
 * What a function does, but for Mayan's: see sui-mctp.ts.
 * @param name  `module::function`
 * @returns null if the function must not be called
 */
export function roleOf(packageId: string, name: string): Role | null {
  if (packageId === TOKEN_MESSENGER) return name === 'deposit_for_burn::deposit_for_burn' ? 'burn' : null
  const roles = PACKAGES.get(packageId)
  if (roles === undefined) return null
  if (typeof roles === 'function') return roles(name)
  return Object.hasOwn(roles, name) ? roles[name]! : null
}
