/**
 * GET /api/transaction-status and GET /api/receipt, between their routes and the
 * nodes. Both use the same answer, which is coalesced, cached for a moment, and
 * cached for longer once it is final.
 *
 * Source: §4.10
 */
import type { EvmChain } from '../../chains/definition.ts'
import { findChain } from '../../chains/find.ts'
import { Call } from '../../flow/call.ts'
import type { CancellationScope } from '../../flow/cancellation.ts'
import type { Deliveries } from '../../http/counts/deliveries.ts'
import { shortBps } from '../../http/counts/truth.ts'
import type { Asked, Inquiries, Submitted } from '../../relay/submissions/inquiries.ts'
import type { Clock } from '../../runtime/clock.ts'
import { getOrInsert } from '../../runtime/lists.ts'
import { named } from '../../runtime/tape.ts'
import { type CacheBounds, type CacheState, Coalescer } from '../../upstream/answers/coalescing.ts'
import type { EvmRpc } from '../../upstream/nodes/evm/rpc.ts'
import type { SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'
import type { TokenSet } from '../list/token-set.ts'
import { type FoundSwap, swapOnEvm, swapOnSolana } from './built-swaps.ts'
import { EvmTransactions } from './evm.ts'
import type { EvmReceipt } from './evm-wire.ts'
import type { TransactionId } from './request.ts'
import type { TransactionReceipt, TransactionState, TransactionStatus } from './shapes.ts'
import { type SolanaDetails, SolanaTransactions } from './solana.ts'

/** For all calls of one answer, ms. */
const DEADLINE_MS = 10_000
/** A wallet's usual polling interval: equal requests within it share an answer, ms. On Solana it is half a slot. */
const KEEP_EVM_MS = 1_000
const KEEP_SOLANA_SLOTS = 0.5
/** A final answer never changes; this bounds how long it takes memory, ms. */
const KEEP_FINAL_MS = 600_000

export interface TransactionReaderOptions {
  readonly evm: (chain: EvmChain) => Pick<EvmRpc, 'look'>
  readonly solana: Pick<SolanaRpc, 'read' | 'slotMs'>
  readonly inquiries: Pick<Asked<Inquiries>, 'landed' | 'submitted'>
  readonly tokens: Pick<TokenSet, 'find'>
  /** The swaps that were built here. */
  readonly deliveries: Pick<Deliveries, 'search' | 'landed'>
  readonly clock: Clock
}

type TransactionMoves = Pick<TransactionReceipt, 'from' | 'to' | 'paid' | 'got' | 'missing' | 'swap'>

/** The state of a transaction, with the details that its chain's nodes report. */
interface TransactionFindings {
  readonly state: TransactionState
  /** Null unless it is in a block of an EVM chain. */
  readonly receipt: EvmReceipt | null
  /** Null unless it is in a confirmed block of Solana. */
  readonly details: SolanaDetails | null
  /** Ms epoch. */
  readonly asOf: number
}

/** The change of the sender's native balance, without the fee; base units. */
interface NativeChange {
  readonly amount: bigint
  /** False if only the transaction's own value is known. */
  readonly isWhole: boolean
  /** The swap that was built here; null if it is none, or no node has the transaction. */
  readonly found: FoundSwap | null
  /** What a contract got of the token it swapped for, base units; 'sender' if the sender swapped, null if no node shows it. */
  readonly swapped: 'sender' | bigint | null
}

const SOLANA = findChain('solana')!
const NOT_SUBMITTED: Submitted = { isPending: false, receipt: null }
const NOTHING: TransactionMoves = { from: null, to: null, paid: null, got: null, missing: [] }

export class TransactionReader {
  readonly #options: TransactionReaderOptions
  readonly #solana: SolanaTransactions
  readonly #evm = new Map<string, EvmTransactions>()
  readonly #outcomes: Coalescer<TransactionFindings>
  readonly #natives: Coalescer<NativeChange & { readonly keepMs: number }>

  constructor(options: TransactionReaderOptions) {
    const { solana, inquiries, clock } = options
    this.#options = options
    this.#solana = new SolanaTransactions(solana, inquiries)
    this.#outcomes = new Coalescer(({ state }) => this.#keepMs(state), named(clock, 'outcomes'), BOUNDS)
    this.#natives = new Coalescer(({ keepMs }) => keepMs, named(clock, 'natives'))
  }

  get cache(): CacheState {
    return this.#outcomes.cache
  }

  /** @throws GatewayError  502 upstream_* */
  async status(id: TransactionId, scope: CancellationScope): Promise<TransactionStatus> {
    let { state, asOf } = await this.find(id, scope)
    const { isPending, receipt } =
      id.signature === null ? NOT_SUBMITTED : await this.#options.inquiries.submitted(id.signature)
    // No longer pending, because a block has it, which an earlier answer does not know.
    const isStale = state.status === 'unknown' && !isPending && receipt !== null && receipt.landed !== null
    if (isStale) ({ state, asOf } = await this.find(id, scope, this.#options.clock.now()))
    return {
      ...state,
      status: isPending && state.status === 'unknown' ? 'pending' : state.status,
      receipt,
      asOf,
    }
  }

  /** The state, with the sender's balance changes. */
  async receipt(id: TransactionId, scope: CancellationScope): Promise<TransactionReceipt> {
    const call = this.#call(scope)
    const outcome = await this.find(id, scope)
    const { state, asOf } = outcome
    return { ...state, ...(await this.#moved(id, outcome, call)), asOf }
  }

  /**
   * The state as the nodes report it, without this gateway's own submissions.
   * @param since  an answer requested before this monotonic time is not shared
   */
  find(id: TransactionId, scope: CancellationScope, since?: number): Promise<TransactionFindings> {
    const ask = async (shared: CancellationScope): Promise<TransactionFindings> => {
      const call = this.#call(shared)
      const asOf = this.#options.clock.date()
      return id.signature === null
        ? { ...(await this.#of(id.chain).find(id.hash, call)), details: null, asOf }
        : { ...(await this.#solana.find(id.signature, call)), receipt: null, asOf }
    }
    return this.#outcomes.join(keyOf(id), scope, ask, since)
  }

  #keepMs({ isFinal, signature }: TransactionState): number {
    if (isFinal) return KEEP_FINAL_MS
    return signature === null ? KEEP_EVM_MS : KEEP_SOLANA_SLOTS * this.#options.solana.slotMs
  }

  async #moved(
    id: TransactionId,
    { state, receipt, details }: TransactionFindings,
    call: Call,
  ): Promise<TransactionMoves> {
    const { tokens, deliveries } = this.#options
    if (details !== null) {
      const { payer, changes, isPartial, form } = details
      const found = form && (await swapOnSolana(form, deliveries))
      return {
        from: payer,
        to: null,
        ...changes.show(SOLANA, tokens),
        missing: isPartial || changes.isCut ? ['tokens'] : [],
        ...this.#swap(state, null, found, (token) => (isPartial || changes.isCut ? null : changes.of(token))),
      }
    }
    if (receipt === null || id.signature !== null) return NOTHING
    const { from, to, changes, isFailed, gasUsed } = receipt
    if (isFailed) return { from, to, paid: [], got: [], missing: [] }
    const key = `${keyOf(id)} ${receipt.blockHash}`
    const { amount, isWhole, found, swapped } = await this.#natives.join(key, call.scope, async (shared) => {
      const change = await this.#nativeChange(id.chain, id.hash, receipt, call.in(shared))
      return { ...change, keepMs: this.#keepMs(state) }
    })
    return {
      from,
      to,
      ...changes.show(id.chain, tokens, amount),
      missing: [...(isWhole ? [] : ['native' as const]), ...(changes.isCut ? ['tokens' as const] : [])],
      ...this.#swap(state, gasUsed, found, (token, isNative) => {
        if (swapped !== 'sender') return isNative ? null : swapped
        if (isNative) return isWhole ? amount : null
        return changes.isCut ? null : changes.of(token)
      }),
    }
  }

  /**
   * A swap's offer and outcome, if it was built here; the first time, it counts for its provider.
   * @param changeOf  base units; null if the nodes do not report it
   */
  #swap(
    { status, includedAt: at, hash, signature, block, slot }: TransactionState,
    gasUsed: string | null,
    found: FoundSwap | null,
    changeOf: (token: string, isNative: boolean) => bigint | null,
  ): Pick<TransactionReceipt, 'swap'> {
    if (found === null || status === 'failed') return {}
    const { swap, account, changes } = found
    const { provider, token, isNative, stated, minimum, otherNativeOut } = swap.row
    const change = changeOf(token, isNative)
    // Rent and tips were taken from the output, if that is the native coin.
    const got = change === null ? null : isNative ? change + BigInt(otherNativeOut ?? 0) : change
    // A wrapper may succeed although the swap in it failed or never ran: any contract may be given its calldata.
    const isWrapped = account !== null && changes.length > 0
    if (isWrapped && (got === null || got < BigInt(minimum))) return {}
    const isSure = !isWrapped && got !== null && (!isNative || otherNativeOut !== null)
    if (isSure && at !== null)
      this.#options.deliveries.landed(swap, { at, got: String(got), gasUsed, hash, signature, block, slot })
    return {
      swap: {
        provider,
        token,
        quoted: stated,
        minimum,
        got: got === null ? null : String(got),
        shortBps: got === null ? null : shortBps(BigInt(stated), got),
        costs: [...swap.costs],
        changedByWallet: [...changes],
      },
    }
  }

  /**
   * Contracts send the native coin without a log, so the change is the difference of two balances if a node has
   * them, else the transaction's own value.
   */
  async #nativeChange(
    chain: EvmChain,
    hash: string,
    { from, block, fee }: EvmReceipt,
    call: Call,
  ): Promise<NativeChange> {
    const node = this.#of(chain)
    const transaction = await node.transaction(hash, call)
    if (transaction === null) return { amount: 0n, isWhole: false, found: null, swapped: null }
    const { value, nonce, data } = transaction
    const found = await swapOnEvm(chain, transaction, this.#options.deliveries)
    const isOther = found !== null && found.account !== from.toLowerCase()
    const own = isOther ? await node.changesOf(found.account!, hash, call) : null
    const swapped = isOther ? (own?.isCut === false ? own.of(found.swap.row.token) : null) : 'sender'
    if (data === '0x') return { amount: -value, isWhole: true, found, swapped }
    const change = fee === null ? null : await node.balanceChange(from, block, nonce, call)
    if (change === null) return { amount: -value, isWhole: false, found, swapped }
    return { amount: change + fee!, isWhole: true, found, swapped }
  }

  #call(scope: CancellationScope): Call {
    return Call.of(this.#options.clock, 'research', DEADLINE_MS, scope)
  }

  #of(chain: EvmChain): EvmTransactions {
    const { evm, clock } = this.#options
    return getOrInsert(
      this.#evm,
      chain.key,
      () => new EvmTransactions(chain, evm(chain), named(clock, chain.key)),
    )
  }
}

/** A typical answer has two tokens; one with many counts as several. */
const BOUNDS: CacheBounds<TransactionFindings> = {
  maxBytes: 16 * 1024 * 1024,
  bytesOf: ({ receipt, details }) => 2_048 + 256 * (receipt?.changes.size ?? details?.changes.size ?? 0),
}

const keyOf = ({ chain, hash, signature }: TransactionId): string => `${chain.key} ${hash ?? signature}`
