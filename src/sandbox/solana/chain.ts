/**
 * The methods that tell where the chain is, and what it is.
 *
 * Source: anza-xyz/agave rpc/src/rpc.rs
 */

import { encodeBase58 } from '../../solana/base58.ts'
import { AGAVE_VERSION, type Method, method, withContext } from './method.ts'
import { readAddress, readConfig, readList } from './params.ts'
import { MAX_BLOCKHASH_AGE } from './slots.ts'
import { readView } from './view.ts'

/** MAX_TX_ACCOUNT_LOCKS */
const MAX_FEE_ACCOUNTS = 128

export const CHAIN: Readonly<Record<string, Method>> = {
  getSlot: method(0, 1, (node, [options]) => readView(node, readConfig(options)).slot),

  getBlockHeight: method(0, 1, (node, [options]) => {
    return node.slots.blockHeight(readView(node, readConfig(options)).commitment)
  }),

  getLatestBlockhash: method(0, 1, (node, [options]) => {
    const view = readView(node, readConfig(options))
    return withContext(view, { ...node.slots.latestBlockhash(view.commitment) })
  }),

  isBlockhashValid: method(1, 2, (node, [blockhash, options]) => {
    const hash = encodeBase58(readAddress(blockhash))
    const view = readView(node, readConfig(options))
    return withContext(view, node.slots.isUsable(hash, view.commitment))
  }),

  /** Blocks are never full here, so nobody ever pays for priority. */
  getRecentPrioritizationFees: method(0, 1, (node, [addresses]) => {
    readList(addresses ?? [], MAX_FEE_ACCOUNTS).forEach(readAddress)
    const oldest = node.slots.slot('processed') - MAX_BLOCKHASH_AGE + 1
    return Array.from({ length: MAX_BLOCKHASH_AGE }, (_, i) => ({ slot: oldest + i, prioritizationFee: 0 }))
  }),

  getGenesisHash: method(0, 0, (node) => node.bank.genesisHash),
  getHealth: method(0, 0, (node) => {
    node.checkHealth()
    return 'ok'
  }),

  getVersion: method(0, 0, () => ({ 'solana-core': AGAVE_VERSION, 'feature-set': 0 })),
}
