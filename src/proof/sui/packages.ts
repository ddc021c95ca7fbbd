/**
 * The Move code that a provider's transaction may call: packages and functions,
 * each with its source. Any other package could act as the sender in another
 * protocol, such as withdraw a deposit, and no wallet balance would show it. So
 * no other call is allowed, not even with arguments that hold no coin.
 *
 * Packages are immutable, and an upgrade has a new id. One that the table lacks may be called if two of Sui's
 * nodes say that it is a version of a package that is listed with its first version: see SuiObjects.
 */

import { TOKEN_MESSENGER } from './mctp.ts'

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

/** A package and those of its versions that are known. */
interface Lineage {
  readonly roles: PackageRoles
  /** Its first version's id, which upgrades share and only the holder of its UpgradeCap makes; null: no upgrades. */
  readonly origin: string | null
  readonly ids: readonly string[]
}

/** When the table was last checked against its sources. */
export const PACKAGES_AS_OF = '2026-11-29'

const LINEAGES: readonly Lineage[] = [
  { roles: { 'option::none': 'plain' }, origin: null, ids: [STD] },
  { roles: FRAMEWORK_ROLES, origin: null, ids: [FRAMEWORK] },
  // AggregatorV3. Source: cetus-1.gitbook.io/cetus-developer-docs, Cetus Aggregator, Getting started ·
  // @cetusprotocol/aggregator-sdk 1.7.2 (AGGREGATOR_V3_CONFIG)
  {
    roles: ROUTER_ROLES,
    origin: '0x33ec64e9bb369bf045ddc198c81adbf2acab424da37465d95296ee02045d2b17',
    ids: [
      '0xde5d696a79714ca5cb910b9aed99d41f67353abb00715ceaeb0663d57ee39640',
      '0xffd4058af7d6f6d66c335930cced8c91e38ec943e2392232aee27e8127e684e9',
    ],
  },
  // CetusRouter and AfsuiRouter. Source: the same page
  {
    roles: venue,
    origin: '0xb1e11ceaf3e7cd3031ef5e24804478ec3441c5aecdace910bdaca317a0c1c535',
    ids: ['0x721d950e57259cd97d41010887ab502ee7753b0a3deb4b6a80099aad0c833928'],
  },
  {
    roles: venue,
    origin: '0xe353802bae757d961af8b1f1bc4c1863f693e757fa4cd6374db4c294fff1bc97',
    ids: [],
  },
  // Venues of V3 for other exchanges. It isn't published who may upgrade them, so only these versions are
  // listed. Source: their decompiled bytecode, which takes from the swap context and gives back to it;
  // Bluefin's is what three public integrations of the aggregator record
  {
    roles: venue,
    origin: null,
    ids: [
      '0x4e7c4ba436f8fd5b3c6bb514880ccd11c5109c83c45b5e037394b94204dbbb80', // Bluefin
      '0x801d5d826e693cbcabe0535f02a91abc6052096e86c9de43f2b05579dc57144b', // Turbos
      '0x5307d1e837ff04985a134b1a7eda2b21b8197bc80781ce000430778d69b111d4', // FlowX
      '0x1d11a31cfb48338e94623e1c941f32786e4711eb982e3527b8208216a7d1e570', // Magma
      '0x7511f0eea8a0d0f27c9898f5521d0965ca28bf7632972f47acecc9395a78f6a0', // SpringSui
      '0x983e940352c5e84d9544705398e59cdec4c3c1f117594911fc020508b4d789f2', // Metastable
      '0x3efa245e30e4589507545886fa2014992b37d16b67c1f212ec6b8425a1b96b56', // an order book
    ],
  },
  // CetusAggregatorV2 and its extensions, of which the first has Bluefin, Obric, Haedal, Scallop and Suilend, the
  // second Momentum and Steamm; and CetusAggregatorSimple. Source: CetusProtocol/aggregator @3e0abe4c7fae and its
  // history (README.md, packages/*/Move.toml, src/const.ts) · @cetusprotocol/aggregator-sdk 1.7.2
  {
    roles: cetusV2,
    origin: '0xeffc8ae61f439bb34c9b905ff8f29ec56873dcedf81c7123ff2f1f67c45ec302',
    ids: [
      '0x3a7fa58adcd7ff474ca0330c93068b139f5263c0cf9c64e702f5c4b17996ff10',
      '0x8ae871505a80d8bf6bf9c05906cda6edfeea460c85bebe2e26a4313f5e67874a',
      '0x40e457bc65a398d2db7026881358fcb7cfa2f1bb052bca41f46c55a1103f2d6f',
      '0x3864c7c59a4889fec05d1aae4bc9dba5a0e0940594b424fbed44cb3f6ac4c032',
    ],
  },
  {
    roles: cetusV2,
    origin: '0x43811be4677f5a5de7bf2dac740c10abddfaa524aee6b18e910eeadda8a2f6ae',
    ids: [
      '0x2edc22bf96c85482b2208624fa9339255d5055113c92fd6c33add48ce971b774',
      '0x8a2f7a5b20665eeccc79de3aa37c3b6c473eca233ada1e1cd4678ec07d4d4073',
      '0x497f270786303f201292bf85024df297bfc919b44b6d8da813c574e6b2c396f9',
      '0xe450c157978058fc23078941924ad91bfe3022db6243ffa432f7209ad5bc9889',
    ],
  },
  {
    roles: cetusV2,
    origin: '0x368d13376443a8051b22b42a9125f6a3bc836422bb2d9c4a53984b8d6624c326',
    ids: [
      '0x2e227a3cbc6715518b18ed339d2f967153674b7b257da114ca62c72b2011258a',
      '0x5cb7499fc49c2642310e24a4ecffdbee00133f97e80e2b45bca90c64d55de880',
    ],
  },
  {
    roles: cetusV2,
    origin: '0x3239061b389dcc35be021bb13d174da82fafcc87bf3d8e176e6c62619311a90c',
    ids: [
      '0xf44ab76524a6b22a175968ae193a13f4905aea9b805afb6db51655b6b59db69e',
      '0xb99c3a21eaad0a179600b00f3b35e4e7844563e302cb70ac946ad254b1d9893e',
      '0x54394cb5bceb8073c60df0964b904a607c9974ef771d9e8b3f9c45b8ce075499',
    ],
  },
  // The 7k (Bluefin) meta aggregator, which checks the output of other swaps. Source: 7k-ag/7k-sdk-ts
  // @281e9ae48cd0 · @bluefin-exchange/bluefin7k-aggregator-sdk 5.5.1
  {
    roles: { 'settle::settle': 'settle' },
    origin: null,
    ids: [
      '0x17c0b1f7a6ad73f51268f16b8c06c049eecc2f28a270cdd29c06e3d2dea23302',
      '0x62412b7268c35f3808336aee57a52836501f40b8ba5d936f8ad275e672befd04',
    ],
  },
]

const PACKAGES: ReadonlyMap<string, Lineage> = new Map(
  LINEAGES.flatMap((lineage) =>
    (lineage.origin === null ? lineage.ids : [lineage.origin, ...lineage.ids]).map(
      (id) => [id, lineage] as const,
    ),
  ),
)

/** Versions that the table does not have, each with the first version, as Sui's nodes report it. */
export type Upgrades = ReadonlyMap<string, string>

export const NO_UPGRADES: Upgrades = new Map()

/** How many packages the table has. */
export const LISTED_PACKAGES = PACKAGES.size

export const isListed = (packageId: string): boolean =>
  packageId === TOKEN_MESSENGER || PACKAGES.has(packageId)

/** Whether a later version of the package may be called as well. */
export const isOrigin = (packageId: string): boolean => PACKAGES.get(packageId)?.origin === packageId

/** Those that a project has published, and can upgrade. */
export const PUBLISHED_PACKAGES: readonly string[] = [...PACKAGES.keys(), TOKEN_MESSENGER].filter(
  (id) => id !== STD && id !== FRAMEWORK,
)

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
 * What a function does, except Mayan's: see mctp.ts.
 * @param name  `module::function`
 * @returns null if the function must not be called
 */
export function roleOf(packageId: string, name: string, upgrades: Upgrades = NO_UPGRADES): Role | null {
  if (packageId === TOKEN_MESSENGER) return name === 'deposit_for_burn::deposit_for_burn' ? 'burn' : null
  const origin = upgrades.get(packageId)
  const lineage = PACKAGES.get(packageId) ?? (origin && isOrigin(origin) ? PACKAGES.get(origin) : undefined)
  if (lineage === undefined) return null
  const { roles } = lineage
  if (typeof roles === 'function') return roles(name)
  return Object.hasOwn(roles, name) ? roles[name]! : null
}
