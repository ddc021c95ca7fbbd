/**
 * Asks Sui's nodes for the objects that proofs depend on: which packages Mayan's state names, of which
 * package an unlisted one is a version, and which object describes a coin. The provider isn't asked for any
 * of it.
 *
 * A coin is identified by its object, so two nodes must agree on one that the chain's definition does not list: a
 * single node could get another coin bought. The same holds for a package's first version. Mayan's package
 * follows from the state that names its own successor: if there are two nodes they must agree; a single one
 * is believed, as its simulation is.
 *
 * Source: MystenLabs/sui crates/sui-indexer-alt-graphql/schema.graphql · mayan-finance/swap-sdk
 * src/sui/utils.ts (fetchMayanSuiPackageId)
 */
import { type Static, Type } from 'typebox'
import { findChain } from '../../chains/find.ts'
import { jsonReader } from '../../chains/json/reader.ts'
import type { Call } from '../../flow/call.ts'
import { type BoundedCache, boundedCache } from '../../runtime/bounded-cache.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { nullWhileAwaited } from '../../runtime/errors.ts'
import { named, recorded } from '../../runtime/tape.ts'
import type { SuiRpc } from '../../upstream/nodes/sui/rpc.ts'
import { AGREEING_NODES, agreedOn } from '../../upstream/nodes/voters.ts'
import { FEE_MANAGER_STATE, KNOWN_MAYAN, type MayanPackages, MCTP_STATE } from './mctp.ts'
import { isOrigin, NO_UPGRADES, type Upgrades } from './packages.ts'

const MAX_COINS = 5_000
/** A coin's object never changes, but the nodes may have lied. */
const COIN_FOR_MS = 6 * 60 * 60 * 1_000
/** An upgrade is refused for as long at most. */
const PACKAGES_FOR_MS = 60_000
/** More than a route takes; a transaction with more calls unlisted code. */
const MAX_UNLISTED = 8
const MAX_ORIGINS = 1_000

export const PACKAGES_QUERY =
  'query ($mctp: SuiAddress!, $feeManager: SuiAddress!) { ' +
  'mctp: object(address: $mctp) { asMoveObject { contents { json } } } ' +
  'feeManager: object(address: $feeManager) { asMoveObject { contents { json } } } }'
export const METADATA_QUERY = 'query ($coinType: String!) { coinMetadata(coinType: $coinType) { address } }'

export const ORIGIN_QUERY =
  'query ($package: SuiAddress!) { package(address: $package, version: 1) { address } }'

const Id = Type.String({ pattern: '^0x[0-9a-fA-F]{1,64}$' })
const StateObject = Type.Object({
  asMoveObject: Type.Object({ contents: Type.Object({ json: Type.Object({ latest_package_id: Id }) }) }),
})
const readPackages = jsonReader(
  Type.Object({ data: Type.Object({ mctp: StateObject, feeManager: StateObject }) }),
)
const Found = Type.Union([Type.Null(), Type.Object({ address: Id })])
const readMetadata = jsonReader(Type.Object({ data: Type.Object({ coinMetadata: Found }) }))
const readOrigin = jsonReader(Type.Object({ data: Type.Object({ package: Found }) }))

const padded = (id: string): string => `0x${id.slice(2).toLowerCase().padStart(64, '0')}`
const paddedOf = (found: Static<typeof Found> | undefined): string | null =>
  found ? padded(found.address) : null

export class SuiObjects {
  readonly #rpc: Pick<SuiRpc, 'voters'>
  readonly #clock: Clock
  readonly #coins: BoundedCache<string, string>
  readonly #origins: BoundedCache<string, string>
  #packages: { readonly found: MayanPackages; readonly until: number } | null = null

  constructor(rpc: Pick<SuiRpc, 'voters'>, clock: Clock = CLOCK) {
    this.#rpc = rpc
    this.#clock = clock
    this.#origins = boundedCache({ max: MAX_ORIGINS, clock: named(clock, 'origins') })
    this.#coins = boundedCache({ max: MAX_COINS, ttlMs: COIN_FOR_MS, clock: named(clock, 'coins') })
  }

  /**
   * The known packages, and those that the states name according to the nodes. Never rejects because of a
   * node.
   */
  async mayan(call: Call): Promise<MayanPackages> {
    const known = recorded(this.#clock, 'packages', () => this.#packages)
    if (known !== null && known.until > this.#clock.now()) return known.found
    const ids = { mctp: MCTP_STATE, feeManager: FEE_MANAGER_STATE }
    const needed = Math.min(AGREEING_NODES, this.#rpc.voters.length)
    const agreed = await this.#agreed(PACKAGES_QUERY, ids, call, needed, (text) => {
      const states = readPackages(text)?.data
      if (states === undefined) return null
      return [states.mctp, states.feeManager]
        .map(({ asMoveObject }) => padded(asMoveObject.contents.json.latest_package_id))
        .join(' ')
    })
    if (agreed === null) return KNOWN_MAYAN
    const [mctp, feeManager] = agreed.split(' ')
    const found = {
      mctp: new Set([...KNOWN_MAYAN.mctp, mctp!]),
      feeManager: new Set([...KNOWN_MAYAN.feeManager, feeManager!]),
    }
    this.#packages = { found, until: this.#clock.now() + PACKAGES_FOR_MS }
    return found
  }

  /**
   * @param packages  canonical, that no table has
   * @returns those that are versions of a listed package. Never rejects because of a node.
   */
  async upgrades(packages: readonly string[], call: Call): Promise<Upgrades> {
    if (packages.length === 0 || packages.length > MAX_UNLISTED) return NO_UPGRADES
    const found = await Promise.all(packages.map(async (id) => [id, await this.#originOf(id, call)] as const))
    return new Map(
      found.flatMap(([id, origin]) => (origin !== null && isOrigin(origin) ? [[id, origin]] : [])),
    )
  }

  /** The first version of a package, which never changes. */
  async #originOf(id: string, call: Call): Promise<string | null> {
    const known = this.#origins.get(id)
    if (known !== undefined) return known
    const agreed = await this.#agreed(ORIGIN_QUERY, { package: id }, call, AGREEING_NODES, (reply) =>
      paddedOf(readOrigin(reply)?.data.package),
    )
    if (agreed !== null) this.#origins.set(id, agreed)
    return agreed
  }

  /**
   * @param coinType  canonical
   * @returns the id of its CoinMetadata; null if no two nodes agree on one. Never rejects because of a node.
   */
  async metadataOf(coinType: string, call: Call): Promise<string | null> {
    const listed = findChain('sui')!.coinMetadata?.[coinType] ?? this.#coins.get(coinType)
    if (listed !== undefined) return listed
    const agreed = await this.#agreed(METADATA_QUERY, { coinType }, call, AGREEING_NODES, (reply) =>
      paddedOf(readMetadata(reply)?.data.coinMetadata),
    )
    if (agreed !== null) this.#coins.set(coinType, agreed)
    return agreed
  }

  /** @returns what this many nodes agree on */
  async #agreed(
    query: string,
    variables: object,
    call: Call,
    needed: number,
    readReply: (reply: string) => string | null,
  ): Promise<string | null> {
    const { voters } = this.#rpc
    if (voters.length < needed) return null
    const answers = await Promise.all(
      voters.map(async (voter) => {
        const reply = await voter.query(query, variables, call).catch(nullWhileAwaited(call.scope))
        return reply === null ? null : readReply(reply)
      }),
    )
    return agreedOn(answers, needed)
  }
}
