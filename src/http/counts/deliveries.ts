/**
 * The swaps that this gateway built, to be found again when they land. Each counts once, only between majors, and only
 * if it landed soon after its build, so that the market has hardly moved. truth.ts has what that shows of providers.
 *
 * A build is kept by a digest of its transaction, without a wallet, and its client as a keyed hash.
 */

import type { SolanaEdits } from '../../chains/transaction-digest.ts'
import { boundedCache } from '../../runtime/bounded-cache.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { Mac } from '../../runtime/mac.ts'
import type { Cost } from '../../runtime/resources/build.ts'
import { recorded } from '../../runtime/tape.ts'
import { Truth, type TruthRow } from './truth.ts'

/** Where and how a swap landed. */
export type Landing = Pick<TruthRow, 'at' | 'got' | 'gasUsed' | 'hash' | 'signature' | 'block' | 'slot'>

/** A swap that was handed out. */
export interface BuiltSwap {
  /** What its build says of it. */
  readonly row: Omit<TruthRow, keyof Landing>
  /**
   * Whether both tokens are majors of the chain: another token may take a fee of transfers, and its pools may
   * belong to its seller.
   */
  readonly isMajor: boolean
  /** The costs that the build stated. */
  readonly costs: readonly Cost[]
  /** What its wallet may set anew; null on EVM chains. */
  readonly edits: SolanaEdits | null
}

/** A swap that counts for its provider. */
export interface CountedSwap {
  readonly row: TruthRow
  /** A keyed hash. */
  readonly client: number
  /** Unix ms. */
  readonly builtAt: number
}

/** One that is kept to be found again. */
export interface KeptSwap extends BuiltSwap {
  readonly client: number
  readonly builtAt: number
  /** By which it is found as it was built. */
  readonly exact: string
  isCounted: boolean
}

/** Ten minutes of the builds that the usual budgets allow, two keys each; about 300 bytes a key. */
const MAX_BUILT = 24_000
/** Per client: its own oldest builds make room for new ones. */
const MAX_BUILT_OF_CLIENT = 1_200
/** From the build to the block, ms. */
const SOON_MS = 120_000

export class Deliveries {
  /** What the swaps that landed show. */
  readonly truth: Truth
  /** Called with each swap that counts because it was found here. */
  onCounted: ((swap: CountedSwap) => void) | null = null
  readonly #clock: Clock
  readonly #clients: Mac
  /** By digest; on Solana also by digest and blockhash. */
  readonly #built = boundedCache<string, KeptSwap>({
    max: MAX_BUILT,
    dispose: ({ client }, digest) => {
      const own = this.#ofClient.get(client)
      own?.delete(digest)
      if (own?.size === 0) this.#ofClient.delete(client)
    },
  })
  /** The transactions that were counted. */
  readonly #counted = boundedCache<string, true>({ max: MAX_BUILT })
  /** The keys of each client's builds that are kept, the oldest first. */
  readonly #ofClient = new Map<number, Set<string>>()

  constructor(clock: Clock = CLOCK, secret: string | null = null) {
    this.#clock = clock
    this.truth = new Truth(clock)
    this.#clients = Mac.for('clients of built swaps', secret)
  }

  /**
   * @param digest   of its transaction: chains/transaction-digest.ts
   * @param builtAt  ms epoch
   */
  built(digest: string, swap: BuiltSwap, client: string, builtAt: number = this.#clock.date()): void {
    const exact = exactly(digest, swap.edits)
    // A repeated transaction is the same swap, with its first offer.
    if (this.#built.has(exact)) return
    const hash = this.#clients.of(client).readUInt32LE(0)
    const kept = { ...swap, client: hash, builtAt, exact, isCounted: false }
    this.#keep(exact, kept)
    // A wallet that sets another blockhash signs what its client built last; no other client takes its place.
    const last = this.#built.get(digest)
    const isTaken = last !== undefined && last.client !== hash && kept.builtAt - last.builtAt <= SOON_MS
    if (exact !== digest && !isTaken) this.#keep(digest, kept)
  }

  #keep(digest: string, swap: KeptSwap): void {
    this.#built.delete(digest)
    const own = this.#ofClient.get(swap.client) ?? new Set<string>()
    const [oldest] = own
    if (own.size >= MAX_BUILT_OF_CLIENT) this.#built.delete(oldest!)
    this.#ofClient.set(swap.client, own.add(digest))
    this.#built.set(digest, swap)
  }

  /**
   * @param edits  of the landed transaction; null on EVM chains
   * @returns null for a transaction that was not built here, or long ago
   */
  find(digest: string, edits: SolanaEdits | null): KeptSwap | null {
    const find = () => this.#built.get(exactly(digest, edits)) ?? this.#built.get(digest) ?? null
    return recorded(this.#clock, `built ${digest}`, find)
  }

  /** Counts a swap once, and a transaction once. */
  landed(found: KeptSwap, landing: Landing): void {
    // Another thread has found its own copy of it.
    const swap = this.#built.get(found.exact) ?? found
    if (swap.isCounted || !swap.isMajor || this.hasCounted(landing)) return
    // A block's time may be slightly before the build's: clocks differ.
    if (Math.abs(landing.at - swap.builtAt) > SOON_MS) return
    swap.isCounted = true
    const { row, client, builtAt } = swap
    const counted = { row: { ...landing, ...row }, client, builtAt }
    this.#count(counted)
    this.onCounted?.(counted)
  }

  /** Counts a swap that another instance found, unless it was counted. */
  shared(swap: CountedSwap): void {
    if (!this.hasCounted(swap.row)) this.#count(swap)
  }

  /** Whether the transaction was counted. */
  hasCounted(landing: Pick<Landing, 'hash' | 'signature'>): boolean {
    return this.#counted.has(idOf(landing))
  }

  #count({ row, client, builtAt }: CountedSwap): void {
    this.#counted.set(idOf(row), true)
    this.truth.add(row, client, builtAt)
  }
}

const idOf = ({ hash, signature }: Pick<Landing, 'hash' | 'signature'>): string => hash ?? signature!

/** Of a build as it is: a later one may differ in its blockhash alone. */
const exactly = (digest: string, edits: SolanaEdits | null): string =>
  edits === null ? digest : `${digest} ${edits.blockhash}`
