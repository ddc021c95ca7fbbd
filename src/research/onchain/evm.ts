/**
 * The state of a transaction on an EVM chain. Several nodes may be asked, and
 * none of them is assumed to be up to date:
 *
 *   receipt ─┬─ none ── transaction ─┬─ none ── unknown
 *            │                       └─ pending
 *            └─ block of its number ─┬─ another one ── pending: it was dropped
 *               head, final block    └─ the same ── confirmed, finalized, failed
 *
 * Transactions that were seen are remembered, so that one that was dropped can be
 * told from one that never existed.
 *
 * Source: §4.10 · ethereum/execution-apis
 */
import type { EvmChain } from '../../chains/definition.ts'
import type { Call } from '../../flow/call.ts'
import { type BoundedCache, boundedCache } from '../../runtime/bounded-cache.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError, nullWhileAwaited } from '../../runtime/errors.ts'
import { named } from '../../runtime/tape.ts'
import { Coalescer } from '../../upstream/answers/coalescing.ts'
import type { EvmRpc } from '../../upstream/nodes/evm/rpc.ts'
import type { BalanceChanges } from './balance-changes.ts'
import {
  type EvmBlock,
  type EvmReceipt,
  readBlock,
  readEvmTransaction,
  readQuantity,
  readReceipt,
  type SentEvmTransaction,
} from './evm-wire.ts'
import { stateOf, type TransactionState } from './shapes.ts'

/** How long requests share a chain's newest blocks. */
const KEEP_HEAD_MS = 1_000
/** The most transactions remembered, about two hundred bytes each. */
const MAX_SEEN = 10_000

/** The numbers of a chain's newest block and of its newest final block; null if its nodes do not say. */
interface ChainHead {
  readonly latest: bigint
  readonly finalized: bigint | null
}

interface SeenTransaction {
  /** The block it was seen in; null if it was seen only outside of blocks. */
  readonly block: number | null
  readonly from: string
  /** Null if it was seen only in a block. */
  readonly nonce: bigint | null
}

export class EvmTransactions {
  readonly #chain: EvmChain
  readonly #rpc: Pick<EvmRpc, 'look'>
  readonly #heads: Coalescer<ChainHead>
  readonly #seen: BoundedCache<string, SeenTransaction>

  constructor(chain: EvmChain, rpc: Pick<EvmRpc, 'look'>, clock: Clock) {
    this.#chain = chain
    this.#rpc = rpc
    this.#heads = new Coalescer(KEEP_HEAD_MS, named(clock, 'heads'))
    this.#seen = boundedCache({ max: MAX_SEEN, clock: named(clock, 'seen') })
  }

  /**
   * @param hash  of 32 bytes, in lower case
   * @returns the state, and the receipt; null if it is not in a block of the chain
   * @throws GatewayError  502 upstream_*
   */
  async find(hash: string, call: Call) {
    const receipt = await this.#receipt(hash, call)
    if (receipt === null) return this.#outside(hash, call)
    const read = (value: unknown) => readBlock(value, receipt.block)
    const [head, block] = await Promise.all([
      this.#head(call),
      this.#rpc.look('eth_getBlockByNumber', [quantity(receipt.block), false], read, call),
    ])
    const { nonce = null } = this.#seen.get(hash) ?? {}
    this.#seen.set(hash, { block: receipt.block, from: receipt.from, nonce })
    // The node has dropped the receipt's block from its chain, or another node never had it.
    if (block !== null && block.hash !== receipt.blockHash) {
      return { state: this.#state(hash, 'pending', { droppedFrom: receipt.block }), receipt: null }
    }
    return { state: this.#inBlock(hash, receipt, block, head), receipt }
  }

  /** The token balance changes of an account other than the sender. */
  async changesOf(account: string, hash: string, call: Call): Promise<BalanceChanges | null> {
    return (await this.#receipt(hash, call, account))?.changes ?? null
  }

  /** The transaction itself, in a block or pending. */
  transaction(hash: string, call: Call): Promise<SentEvmTransaction | null> {
    const read = (value: unknown) => readEvmTransaction(value, hash, this.#chain)
    return this.#rpc.look('eth_getTransactionByHash', [hash], read, call)
  }

  /**
   * The change of a wallet's native balance in the block of one of its transactions.
   * @param nonce  the transaction's nonce
   * @returns wei; null if no node has the state of that block any more, or the wallet sent others in it
   */
  async balanceChange(wallet: string, block: number, nonce: bigint, call: Call): Promise<bigint | null> {
    const at = (method: string, number: number) =>
      this.#rpc.look(method, [wallet, quantity(number)], readQuantity, call)
    // A node without that state already refuses the first call.
    const before = await at('eth_getBalance', block - 1).catch(nullWhileAwaited(call.scope))
    if (before === null) return null
    const rest = Promise.all([
      at('eth_getBalance', block),
      at('eth_getTransactionCount', block - 1),
      at('eth_getTransactionCount', block),
    ])
    const [after = null, first, next] = (await rest.catch(nullWhileAwaited(call.scope))) ?? []
    if (after === null || first?.value !== nonce || next?.value !== nonce + 1n) return null
    return after.value - before.value
  }

  async #outside(hash: string, call: Call) {
    const transaction = await this.transaction(hash, call)
    const seen = this.#seen.get(hash)
    const block = seen?.block ?? null
    // Nodes that are behind that block cannot say that it was dropped.
    const isBehind = block !== null && (await this.#head(call)).latest < BigInt(block)
    const droppedFrom = isBehind ? null : block
    if (transaction !== null) {
      const { from, nonce } = transaction
      this.#seen.set(hash, { block, from, nonce })
    }
    if (transaction !== null || isBehind) {
      return { state: this.#state(hash, 'pending', { droppedFrom }), receipt: null }
    }
    const replaced = seen !== undefined && (await this.#isReplaced(hash, seen, call)) ? true : null
    const state = this.#state(hash, 'unknown', { droppedFrom, replaced, isFinal: replaced === true })
    return { state, receipt: null }
  }

  /** Whether another transaction has its nonce in a final block. Its receipt is checked afterwards: it may be new. */
  async #isReplaced(hash: string, { from, nonce }: SeenTransaction, call: Call): Promise<boolean> {
    if (nonce === null) return false
    const used = await this.#rpc
      .look('eth_getTransactionCount', [from, 'finalized'], readQuantity, call)
      .catch(nullWhileAwaited(call.scope))
    if (used === null || used.value <= nonce) return false
    return (await this.#receipt(hash, call)) === null
  }

  #receipt(hash: string, call: Call, holder?: string): Promise<EvmReceipt | null> {
    const read = (value: unknown) => readReceipt(value, hash, this.#chain, holder)
    return this.#rpc.look('eth_getTransactionReceipt', [hash], read, call)
  }

  #head(whole: Call): Promise<ChainHead> {
    return this.#heads.join('', whole.scope, async (shared) => {
      const call = whole.in(shared)
      const [latest, finalized] = await Promise.all([
        this.#rpc.look('eth_blockNumber', [], readQuantity, call),
        // Some nodes do not know the tag; then no block counts as final.
        this.#rpc
          .look('eth_getBlockByNumber', ['finalized', false], (value) => readBlock(value), call)
          .catch(nullWhileAwaited(call.scope)),
      ])
      if (latest === null) {
        const message = "The chain's nodes did not return their newest block. Try again later."
        const fields = { provider: this.#chain.key, scope: 'provider' as const }
        throw new GatewayError('upstream_unusable', message, fields)
      }
      return { latest: latest.value, finalized: finalized === null ? null : BigInt(finalized.number) }
    })
  }

  #inBlock(hash: string, receipt: EvmReceipt, block: EvmBlock | null, head: ChainHead): TransactionState {
    const { isFailed, fee, l1Fee, from } = receipt
    const isFinal = block !== null && head.finalized !== null && BigInt(receipt.block) <= head.finalized
    // The head may come from another node, which is behind.
    const since = head.latest - BigInt(receipt.block) + 1n
    return this.#state(hash, isFailed ? 'failed' : isFinal ? 'finalized' : 'confirmed', {
      isFinal,
      confirmations: since < 1n ? 1 : Number(since),
      block: receipt.block,
      includedAt: block?.at ?? null,
      err: isFailed ? { reverted: receipt.reason } : isFailed === null ? { untold: true } : null,
      fee:
        fee === null
          ? null
          : { amount: String(fee), l1: l1Fee === null ? null : String(l1Fee), paidBy: from },
    })
  }

  #state(hash: string, status: TransactionState['status'], more: Partial<TransactionState>) {
    return stateOf({ chain: this.#chain, hash, signature: null }, status, more)
  }
}

const quantity = (value: number): string => `0x${value.toString(16)}`
