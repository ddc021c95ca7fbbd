/**
 * Computes a jetton wallet's address: the hash of the code and the data with
 * which its master deploys it. This works for jettons whose wallet code is known
 * and uses one of two data layouts; the chain is asked about all others.
 *
 *   StateInit  00110, ref code, ref data
 *   plain      status 4 bits, balance coins, owner, master
 *   standard   balance coins, owner, master, ref code
 *
 * Source: TEP-74 · ton-blockchain/token-contract (standard), stablecoin-contract (plain) · the wallets of
 * mainnet owners, recomputed: test/conformance/ton.test.ts
 */
import { hexToBytes } from '@noble/hashes/utils.js'
import { addressBits, deployedAt, type HashedCell, hashCell } from './cell.ts'
import jettons from './jettons.json' with { type: 'json' }

/**
 * By the master's canonical address: the `layout` (`plain` or `standard`), and the hash and the depth of the code cell
 * that StateInit references.
 */
const CODES = new Map(jettons.map((jetton) => [jetton.master, jetton]))

/** The masters of the jettons whose wallets can be computed. */
export const LISTED_JETTONS: readonly string[] = [...CODES.keys()]

/** Zero as `Coins`. */
const EMPTY = '0000'
const STATUS = '0000'

/**
 * Addresses are canonical.
 * @returns null for a jetton whose wallet code is not listed here
 */
export function jettonWallet(master: string, owner: string): string | null {
  const known = CODES.get(master)
  if (known === undefined) return null
  const code: HashedCell = { hash: hexToBytes(known.hash), depth: known.depth }
  const parties = addressBits(owner) + addressBits(master)
  const data =
    known.layout === 'plain' ? hashCell(STATUS + EMPTY + parties, []) : hashCell(EMPTY + parties, [code])
  return deployedAt(code, data)
}
