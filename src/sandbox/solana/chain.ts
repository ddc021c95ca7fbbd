/**
 * The methods that report the chain's position and identity.
 *
 * Source: anza-xyz/agave rpc/src/rpc.rs
 */

import { decodeBase58, encodeBase58 } from '../../chains/solana/base58.ts'
import { KEY_BYTES } from '../../chains/solana/sizes.ts'
import { feeOf } from './ledger/fees.ts'
import { readAddress, readConfig, readList } from './ledger/params.ts'
import { MAX_BLOCKHASH_AGE } from './ledger/slots.ts'
import { readMessage } from './ledger/transaction.ts'
import { AGAVE_VERSION, type Method, method, withContext } from './method.ts'
import { readView } from './view.ts'

/** MAX_TX_ACCOUNT_LOCKS */
const MAX_FEE_ACCOUNTS = 128
/** DEFAULT_SLOTS_PER_EPOCH */
const SLOTS_IN_EPOCH = 432_000

export const CHAIN: Readonly<Record<string, Method>> = {
  getSlot: method(0, 1, (node, [options]) => readView(node, readConfig(options)).slot),

  getBlockHeight: method(0, 1, (node, [options]) => {
    return node.slots.blockHeight(readView(node, readConfig(options)).commitment)
  }),

  getLatestBlockhash: method(0, 1, (node, [options]) => {
    const view = readView(node, readConfig(options))
    return withContext(view, { ...node.slots.latestBlockhash(view.commitment) })
  }),

  getEpochInfo: method(0, 1, (node, [options]) => {
    const { commitment, slot: absoluteSlot } = readView(node, readConfig(options))
    return {
      absoluteSlot,
      blockHeight: node.slots.blockHeight(commitment),
      epoch: Math.floor(absoluteSlot / SLOTS_IN_EPOCH),
      slotIndex: absoluteSlot % SLOTS_IN_EPOCH,
      slotsInEpoch: SLOTS_IN_EPOCH,
      transactionCount: node.bank.landed().filter(({ slot }) => slot <= absoluteSlot).length,
    }
  }),

  /** Null if the view does not know the blockhash. */
  getFeeForMessage: method(1, 2, (node, [message, options]) => {
    const sent = readMessage(message)
    const view = readView(node, readConfig(options))
    const isUsable = node.slots.isUsable(sent.blockhash, view.commitment)
    return withContext(view, isUsable ? feeOf(sent.wire, node.bank.perSignature) : null)
  }),

  isBlockhashValid: method(1, 2, (node, [blockhash, options]) => {
    const hash = encodeBase58(readAddress(blockhash))
    const view = readView(node, readConfig(options))
    return withContext(view, node.slots.isUsable(hash, view.commitment))
  }),

  /** As on nodes, a request that names no writable accounts gets only 0. */
  getRecentPrioritizationFees: method(0, 1, (node, [addresses]) => {
    const named = readList(addresses ?? [], MAX_FEE_ACCOUNTS)
    named.forEach(readAddress)
    const oldest = node.slots.slot('processed') - MAX_BLOCKHASH_AGE + 1
    return Array.from({ length: MAX_BLOCKHASH_AGE }, (_, i) => {
      const slot = oldest + i
      return { slot, prioritizationFee: named.length === 0 ? 0 : node.bank.blocks.least(slot) }
    })
  }),

  /** Null until the cluster has gone over to Alpenglow. The certificate proves nothing here. */
  getAgGenesisCert: method(0, 0, (node) => {
    const slot = node.bank.clock.genesisAt(node.slots.slot('processed'))
    if (slot === null) return null
    const blockId = [...decodeBase58(node.bank.clock.hash(slot), KEY_BYTES)!]
    return { block: { slot, blockId }, signature: { signature: new Array(192).fill(0), bitmap: [0] } }
  }),

  getGenesisHash: method(0, 0, (node) => node.bank.genesisHash),
  getHealth: method(0, 0, (node) => {
    node.checkHealth()
    return 'ok'
  }),

  getVersion: method(0, 0, () => ({ 'solana-core': AGAVE_VERSION, 'feature-set': 0 })),
}
