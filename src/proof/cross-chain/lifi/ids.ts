/**
 * The bridges' own chain ids, and how they encode addresses of other families.
 *
 * Source: docs.layerzero.network, deployed contracts · wormhole.com/docs,
 * chain ids · lifinance/contracts src/Helpers/LiFiData.sol
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { parseAddress } from '../../../chains/address.ts'
import type { XprovChain } from '../../../chains/find.ts'
import { decodeBase58 } from '../../../chains/solana/base58.ts'
import bridgeIds from './bridge-ids.json' with { type: 'json' }

/** BridgeData's receiver if the real recipient is not an EVM address. */
export const NON_EVM_ADDRESS = '0x11f111f111f111f111f111f111f111f111f111f1'
/** The native coin. */
export const EVM_ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** LayerZero's endpoint ids, by chain key. */
export const LAYERZERO_IDS = idsOf(bridgeIds.layerZero)

/** Wormhole's chain ids, by chain key. */
export const WORMHOLE_IDS = idsOf(bridgeIds.wormhole)

/**
 * Circle's domains by chain key, of the chains that its bridge on Sui leads to: that is of the first version.
 * Source: developers.circle.com/cctp/v1/supported-domains
 */
export const CIRCLE_DOMAINS = idsOf(bridgeIds.circleV1)

/** deBridge's own chain ids, by chain key. All other chains keep their usual ids. */
export const DEBRIDGE_IDS = idsOf(bridgeIds.debridge)

/** How a field encodes an account. */
export type AccountEncoding =
  /** `address` */
  | 'address'
  /** `bytes32`: an EVM address padded with zeros on the left, otherwise the key */
  | 'word'
  /** `bytes32`: an EVM address padded with zeros on the right, otherwise the key */
  | 'right'
  /** `bytes`: an EVM address or the key, unpadded */
  | 'bytes'

/**
 * Encodes an account for a field.
 * @param address  canonical
 * @returns lower-case hex; null if the form cannot hold the address
 */
export function writtenAs(form: AccountEncoding, chain: XprovChain, address: string): string | null {
  const bytes = bytesOf(chain, address)
  if (bytes === null) return null
  const isEvmAddress = bytes.length === 40
  if (form === 'address') return isEvmAddress ? `0x${bytes}` : null
  if (form === 'word') return `0x${bytes.padStart(64, '0')}`
  return `0x${form === 'right' ? bytes.padEnd(64, '0') : bytes}`
}

/** The value of a decoded field, as lower-case hex. */
export const lowerHex = (value: unknown): string =>
  value instanceof Uint8Array ? `0x${bytesToHex(value)}` : String(value).toLowerCase()

function idsOf(ids: Readonly<Record<string, number>>): ReadonlyMap<string, bigint> {
  return new Map(Object.entries(ids).map(([chainKey, id]) => [chainKey, BigInt(id)]))
}

function bytesOf(chain: XprovChain, address: string): string | null {
  switch (chain.family) {
    case 'evm':
      return /^0x[0-9a-fA-F]{40}$/.test(address) ? address.slice(2).toLowerCase() : null
    case 'solana': {
      const key = decodeBase58(address, 32)
      return key?.length === 32 ? bytesToHex(key) : null
    }
    default:
      return parseAddress(chain, address)?.slice(2) ?? null
  }
}
