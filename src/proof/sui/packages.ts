/**
 * The Move code that a provider's transaction may call: packages and functions,
 * each with its source. Any other package could act as the sender in another
 * protocol, such as withdraw a deposit, and no wallet balance would show it. So
 * no other call is allowed, not even with arguments that hold no coin.
 *
 * Packages are immutable, and an upgrade has a new id. One that the table lacks may be called if two of Sui's
 * nodes say that it is a version of a package that is listed with its first version: see SuiObjects.
 */

import { CIRCLE_DOMAINS } from '../cross-chain/lifi/ids.ts'
import { TOKEN_MESSENGER } from './mctp.ts'
import published from './move-packages.json' with { type: 'json' }
import listed from './move-roles.json' with { type: 'json' }

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

/**
 * What the functions of a package do, by `module::function`. `framework` and `library` are Sui's own, of which those
 * are listed that move coins between values of one transaction; `router` is Cetus's, whose assertions were read in
 * the decompiled bytecode of a sibling package.
 *
 * Source: MystenLabs/sui crates/sui-framework/packages · CetusProtocol/aggregator @3e0abe4c7fae src/movecall/router.ts
 */
const LISTED = listed as Readonly<Record<keyof typeof listed, Readonly<Record<string, Role>>>>

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

const ROLES: Readonly<Record<string, PackageRoles>> = { ...LISTED, venue, cetusV2 }

/**
 * move-packages.json has those that a project has published.
 *
 *   AggregatorV3  cetus-1.gitbook.io/cetus-developer-docs, Cetus Aggregator, Getting started, which has CetusRouter
 *                 and AfsuiRouter, too · @cetusprotocol/aggregator-sdk 1.7.2 (AGGREGATOR_V3_CONFIG)
 *   its venues    for other exchanges. It isn't published who may upgrade them, so only these versions are listed.
 *                 Source: their decompiled bytecode, which takes from the swap context and gives back to it;
 *                 Bluefin's is what three public integrations of the aggregator record
 *   V2            CetusAggregatorV2 and its extensions, of which the first has Bluefin, Obric, Haedal, Scallop and
 *                 Suilend, the second Momentum and Steamm; and CetusAggregatorSimple. Source: CetusProtocol/aggregator
 *                 @3e0abe4c7fae and its history (README.md, each package's Move.toml, src/const.ts) ·
 *                 @cetusprotocol/aggregator-sdk 1.7.2
 *   7k            the (Bluefin) meta aggregator, which checks the output of other swaps. Source: 7k-ag/7k-sdk-ts
 *                 @281e9ae48cd0 · @bluefin-exchange/bluefin7k-aggregator-sdk 5.5.1
 */
const LINEAGES: readonly Lineage[] = [
  { roles: LISTED.library, origin: null, ids: [STD] },
  { roles: LISTED.framework, origin: null, ids: [FRAMEWORK] },
  ...published.map(({ roles, origin, ids }) => ({ roles: ROLES[roles]!, origin, ids })),
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

export const burnDomain = (chainKey: string): bigint | null => CIRCLE_DOMAINS.get(chainKey) ?? null

/** Keys of the chains that a cross-chain swap from Sui can lead to. */
export const FROM_SUI: readonly string[] = [...CIRCLE_DOMAINS.keys()]

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
