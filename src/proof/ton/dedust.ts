/**
 * Computes the addresses of DeDust's vaults and pools. Its factory deploys each of
 * them with the same code, which takes its real code only from the factory, and
 * with data that say what it is for. So an address shows that it is DeDust's, and
 * for which tokens, without a list and without a node.
 *
 *   StateInit  00110, ref blank code, ref data
 *   data       factory, type 8 bits, parameters
 *   vault      type 1, asset
 *   pool       type 2, stable 1 bit, the lower asset, the higher one
 *   asset      0000 for TON; 0001, workchain 8 bits, account 256 bits for a jetton
 *
 * A computed address may have no contract yet: the chain has to confirm that one
 * exists (see contracts.ts).
 *
 * Source: dedust-io/sdk src/contracts/dex/proofs.ts, src/constants.ts (blank code) · docs.dedust.io, TL-B schemes ·
 * vaults and pools of mainnet, recomputed: test/conformance/ton.test.ts
 */
import { hexToBytes } from '@noble/hashes/utils.js'
import { addressBits, type CellReader, deployedAt, type HashedCell, hashCell, MalformedCell } from './cell.ts'

const FACTORY = 'EQBfBWT7X2BHg9tXAxzhz2aKiNTU1tpt5NsiK0uSDW_YAJ67'

const BLANK_CODE: HashedCell = {
  hash: hexToBytes('b0c7b8d5323cc9ba90fef98f9220fd86bee9382a8910b84f2926c4c9c986ebaf'),
  depth: 2,
}

const VAULT = '00000001'
const POOL = '00000010'
const NATIVE = '0000'
const JETTON = '0001'
/** The bits before workchain and account in an address. */
const ADDRESS_HEAD = 3

/** A jetton's master, canonical; null is TON. */
export type DedustAsset = string | null

/** @returns the contract that takes an asset and pays it out, canonical */
export const dedustVault = (asset: DedustAsset): string => childOf(VAULT + assetBits(asset))

/** @returns both pools that a pair can have, canonical: the volatile one, and the stable one */
export function dedustPools(one: DedustAsset, other: DedustAsset) {
  const pair = dedustPair(one, other).map(assetBits).join('')
  return [childOf(`${POOL}0${pair}`), childOf(`${POOL}1${pair}`)] as const
}

/** @returns both in the factory's order, which accepts no other: TON first, jettons by their bits */
export function dedustPair(one: DedustAsset, other: DedustAsset): readonly [DedustAsset, DedustAsset] {
  return assetBits(one) <= assetBits(other) ? [one, other] : [other, one]
}

/** @throws MalformedCell  for an asset of another kind */
export function readDedustAsset(reader: CellReader): DedustAsset {
  const kind = reader.uint(4)
  if (kind === 0n) return null
  if (kind !== 1n) throw new MalformedCell('asset')
  return reader.account()
}

const assetBits = (asset: DedustAsset): string =>
  asset === null ? NATIVE : JETTON + addressBits(asset).slice(ADDRESS_HEAD)

const childOf = (parameters: string): string =>
  deployedAt(BLANK_CODE, hashCell(addressBits(FACTORY) + parameters, []))
