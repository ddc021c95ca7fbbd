/**
 * GET /api/transaction-status and GET /api/receipt, between their routes and the
 * nodes: one question for both, shared by all who ask it within a moment, and
 * kept for longer once nothing of the answer can change.
 *
 * Source: §4.10
 */
import type { EvmChain } from '../../chains/definition.ts'
import { findChain } from '../../chains/find.ts'
import type { Inquiries, Submitted } from '../../relay/inquiries.ts'
import type { CancellationScope } from '../../runtime/cancellation.ts'
import { type Clock, countdown } from '../../runtime/clock.ts'
import { type CacheBounds, type CacheState, Coalescer } from '../../upstream/coalescing.ts'
import type { EvmRpc } from '../../upstream/nodes/evm-rpc.ts'
import type { SolanaRpc } from '../../upstream/nodes/solana-rpc.ts'
import type { TokenSet } from '../list/token-set.ts'
import { type CallBudget, EvmTransactions } from './evm.ts'
import type { EvmReceipt } from './evm-wire.ts'
import type { TransactionId } from './request.ts'
import type { TransactionReceipt, TransactionState, TransactionStatus } from './shapes.ts'
import { type SolanaDetails, SolanaTransactions } from './solana.ts'

/** Over all that is asked for one answer. */
const DEADLINE_MS = 10_000
/** A slot of Solana, and what a wallet may poll by: for so long an answer serves whoever asks the same. */
const KEEP_MS = { solana: 400, evm: 1_000 } as const
/** What is final stays so; this bounds how long it takes up room. */
const KEEP_FINAL_MS = 600_000

export interface TransactionReaderOptions {
  readonly evm: (chain: EvmChain) => Pick<EvmRpc, 'look'>
  readonly solana: Pick<SolanaRpc, 'read'>
  readonly inquiries: Inquiries
  readonly tokens: Pick<TokenSet, 'find'>
  readonly clock: Clock
}

type TransactionMoves = Pick<TransactionReceipt, 'from' | 'to' | 'paid' | 'got' | 'missing'>

/** What became of a transaction, and what the nodes told beside. */
interface TransactionFindings {
  readonly state: TransactionState
  /** On EVM chains, where it is in a block that counts. */
  readonly receipt: EvmReceipt | null
  /** On Solana. */
  readonly details: SolanaDetails | null
  /** Ms epoch. */
  readonly asOf: number
}

/** The native coin that the sender of a transaction lost or gained, without the fee. */
interface NativeChange {
  readonly amount: bigint
  /** False where only what the transaction itself carried is known. */
  readonly isWhole: boolean
}

const SOLANA = findChain('solana')!
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
    this.#solana = new SolanaTransactions({ rpc: solana, inquiries })
    this.#outcomes = new Coalescer(({ state }) => keepMs(state), clock, ROOM)
    this.#natives = new Coalescer(({ keepMs }) => keepMs, clock)
  }

  get cache(): CacheState {
    return this.#outcomes.cache
  }

  /** @throws GatewayError  502 upstream_* */
  async status(id: TransactionId, scope: CancellationScope): Promise<TransactionStatus> {
    const { state, asOf } = await this.find(id, scope)
    const { isPending, receipt } = this.#submitted(id)
    return {
      ...state,
      status: isPending && state.status === 'unknown' ? 'pending' : state.status,
      receipt,
      asOf,
    }
  }

  /** Where it stands, with what it moved. */
  async receipt(id: TransactionId, scope: CancellationScope): Promise<TransactionReceipt> {
    const outcome = await this.find(id, scope)
    const { state, asOf } = outcome
    return { ...state, ...(await this.#moved(id, outcome, scope)), asOf }
  }

  /** Where it stands, by the nodes' word, with what they told beside. */
  find(id: TransactionId, scope: CancellationScope): Promise<TransactionFindings> {
    return this.#outcomes.join(keyOf(id), scope, async (shared) => {
      const asking = this.#asking(shared)
      const asOf = this.#options.clock.date()
      return id.signature === null
        ? { ...(await this.#of(id.chain).find(id.hash, asking)), details: null, asOf }
        : { ...(await this.#solana.find(id.signature, asking)), receipt: null, asOf }
    })
  }

  #submitted({ signature }: TransactionId): Submitted {
    return signature === null
      ? { isPending: false, receipt: null }
      : this.#options.inquiries.submitted(signature)
  }

  async #moved(
    id: TransactionId,
    { state, receipt, details }: TransactionFindings,
    scope: CancellationScope,
  ): Promise<TransactionMoves> {
    const { tokens } = this.#options
    if (details !== null) {
      const { payer, changes, isPartial } = details
      return {
        from: payer,
        to: null,
        ...changes.show(SOLANA, tokens),
        missing: isPartial || changes.isCut ? ['tokens'] : [],
      }
    }
    if (receipt === null || id.signature !== null) return NOTHING
    const { from, to, changes, isFailed } = receipt
    if (isFailed) return { from, to, paid: [], got: [], missing: [] }
    const key = `${keyOf(id)} ${receipt.blockHash}`
    const { amount, isWhole } = await this.#natives.join(key, scope, async (shared) => {
      const change = await this.#nativeChange(id.chain, id.hash, receipt, this.#asking(shared))
      return { ...change, keepMs: keepMs(state) }
    })
    return {
      from,
      to,
      ...changes.show(id.chain, tokens, amount),
      missing: [...(isWhole ? [] : ['native' as const]), ...(changes.isCut ? ['tokens' as const] : [])],
    }
  }

  /**
   * What contracts send of the native coin leaves no log, so it is the difference of two balances, where a node
   * has them. Else it is what the transaction carried.
   */
  async #nativeChange(
    chain: EvmChain,
    hash: string,
    { from, block, fee }: EvmReceipt,
    asking: CallBudget,
  ): Promise<NativeChange> {
    const node = this.#of(chain)
    const transaction = await node.transaction(hash, asking)
    if (transaction === null) return { amount: 0n, isWhole: false }
    const { value, nonce, hasInput } = transaction
    if (!hasInput) return { amount: -value, isWhole: true }
    const change = fee === null ? null : await node.balanceChange(from, block, nonce, asking)
    if (change === null) return { amount: -value, isWhole: false }
    return { amount: change + fee!, isWhole: true }
  }

  #asking(scope: CancellationScope): CallBudget {
    return { leftMs: countdown(this.#options.clock, DEADLINE_MS), scope }
  }

  #of(chain: EvmChain): EvmTransactions {
    let node = this.#evm.get(chain.key)
    if (node === undefined) {
      const { evm, clock } = this.#options
      this.#evm.set(chain.key, (node = new EvmTransactions(chain, evm(chain), clock)))
    }
    return node
  }
}

/** A usual answer has two tokens; one that moved thousands is kept too, in the place of others. */
const ROOM: CacheBounds<TransactionFindings> = {
  maxBytes: 16 * 1024 * 1024,
  bytesOf: ({ receipt, details }) => 2_048 + 256 * (receipt?.changes.size ?? details?.changes.size ?? 0),
}

function keepMs({ isFinal, signature }: TransactionState): number {
  if (isFinal) return KEEP_FINAL_MS
  return signature === null ? KEEP_MS.evm : KEEP_MS.solana
}

const keyOf = ({ chain, hash, signature }: TransactionId): string => `${chain.key} ${hash ?? signature}`
