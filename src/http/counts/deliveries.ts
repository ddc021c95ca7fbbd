/**
 * The swaps that this gateway built, to be found again when they land. Each counts once, only between majors, and only
 * if it landed soon after its build, so that the market has hardly moved. truth.ts has what that shows of providers.
 *
 * A build is kept by a digest of its transaction, without a wallet, and its client as a keyed hash.
 */

import { type Static, Type } from 'typebox'
import type { SolanaEdits } from '../../chains/transaction-digest.ts'
import { boundedCache } from '../../runtime/bounded-cache.ts'
import { atMost, CLOCK, type Clock } from '../../runtime/clock.ts'
import { Mac } from '../../runtime/mac.ts'
import { Cost } from '../../runtime/resources/build.ts'
import { Count, nullable } from '../../runtime/resources/shared.ts'
import { recorded } from '../../runtime/tape.ts'
import { Truth, TruthRow } from './truth.ts'

const LANDED = ['at', 'got', 'gasUsed', 'hash', 'signature', 'block', 'slot'] as const
/** Where and how a swap landed. */
export type Landing = Pick<TruthRow, (typeof LANDED)[number]>

const ORIGIN = {
  /** A keyed hash. */
  client: Type.Integer(),
  /** Unix ms. */
  builtAt: Type.Number(),
}

/** A swap that counts for its provider. */
export const CountedSwap = Type.Object({
  ...ORIGIN,
  row: TruthRow,
  /** The key of its build. */
  exact: Type.String(),
})
export type CountedSwap = Static<typeof CountedSwap>

/** A swap that was handed out, and is kept to be found again. */
export const KeptSwap = Type.Object({
  ...ORIGIN,
  /** Of its transaction: chains/transaction-digest.ts. */
  digest: Type.String(),
  /** What its build says of it. */
  row: Type.Omit(TruthRow, LANDED),
  /**
   * Whether both tokens are majors of the chain: another token may take a fee of transfers, and its pools may
   * belong to its seller.
   */
  isMajor: Type.Boolean(),
  /** The costs that the build stated. */
  costs: Type.Array(Cost),
  /** What its wallet may set anew; null on EVM chains. */
  edits: nullable(
    Type.Object({
      blockhash: Type.String(),
      price: Type.String(),
      limit: nullable(Count),
      ...{ guards: Count, memos: Count, nonces: Count },
    }),
  ),
})
export type KeptSwap = Static<typeof KeptSwap>
export type BuiltSwap = Omit<KeptSwap, keyof typeof ORIGIN | 'digest'>

/** Ten minutes of the builds that the usual budgets allow, two keys each; about 300 bytes a key. */
export const MAX_BUILT = 24_000
/** Per client: its own oldest builds make room for new ones. */
const MAX_BUILT_OF_CLIENT = 1_200
/** From the build to the block, ms. */
const SOON_MS = 120_000
/** How long a receipt waits for what other instances built. */
const CATCH_UP_MS = 1_000

export class Deliveries {
  /** What the swaps that landed show. */
  readonly truth: Truth
  /** Called with each swap that counts because it was found here. */
  onCounted: ((swap: CountedSwap) => void) | null = null
  /** Called with each swap that was built here. */
  onBuilt: ((swap: KeptSwap) => void) | null = null
  /** Resolves once what other instances have built is known here. */
  catchUp = async (): Promise<void> => {}
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
  /** The transactions and the builds that were counted. */
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
    const kept = { ...swap, digest, client: this.#clients.of(client).readUInt32LE(0), builtAt }
    // A repeated transaction is the same swap, with its first offer.
    if (this.hasBuilt(kept)) return
    this.#add(kept)
    this.onBuilt?.(kept)
  }

  /** Keeps a swap that another instance built. */
  sharedBuild(swap: KeptSwap): void {
    if (!this.hasBuilt(swap)) this.#add(swap)
  }

  hasBuilt({ digest, edits }: Pick<KeptSwap, 'digest' | 'edits'>): boolean {
    return this.#built.has(exactly(digest, edits))
  }

  #add(swap: KeptSwap): void {
    const { digest, edits, client, builtAt } = swap
    this.#keep(exactly(digest, edits), swap)
    // A wallet that sets another blockhash signs what its client built last; no other client takes its place.
    const last = this.#built.get(digest)
    const isTaken =
      last !== undefined &&
      (builtAt < last.builtAt || (last.client !== client && builtAt - last.builtAt <= SOON_MS))
    if (edits !== null && !isTaken) this.#keep(digest, swap)
  }

  #keep(key: string, swap: KeptSwap): void {
    this.#built.delete(key)
    const own = this.#ofClient.get(swap.client) ?? new Set<string>()
    const [oldest] = own
    if (own.size >= MAX_BUILT_OF_CLIENT) this.#built.delete(oldest!)
    this.#ofClient.set(swap.client, own.add(key))
    this.#built.set(key, swap)
  }

  /**
   * @param edits  of the landed transaction; null on EVM chains
   * @returns null for a transaction that was not built here, or long ago
   */
  find(digest: string, edits: SolanaEdits | null): KeptSwap | null {
    return this.#built.get(exactly(digest, edits)) ?? this.#built.get(digest) ?? null
  }

  /** The same among the builds of all instances. */
  search(digest: string, edits: SolanaEdits | null): Promise<KeptSwap | null> {
    return recorded(this.#clock, `built ${digest}`, async () => {
      if (!this.hasBuilt({ digest, edits })) await atMost(this.#clock, CATCH_UP_MS, this.catchUp())
      return this.find(digest, edits)
    })
  }

  /** Counts a swap once, and a transaction once. */
  landed({ digest, edits, row, isMajor, client, builtAt }: KeptSwap, landing: Landing): void {
    const counted = { row: { ...landing, ...row }, client, builtAt, exact: exactly(digest, edits) }
    // A block's time may be slightly before the build's: clocks differ.
    if (!isMajor || this.hasCounted(counted) || Math.abs(landing.at - builtAt) > SOON_MS) return
    this.#count(counted)
    this.onCounted?.(counted)
  }

  /** Counts a swap that another instance found, unless it was counted. */
  shared(swap: CountedSwap): void {
    if (!this.hasCounted(swap)) this.#count(swap)
  }

  /** Whether the transaction was counted, or another of the same build. */
  hasCounted({ row, exact }: Pick<CountedSwap, 'row' | 'exact'>): boolean {
    return this.#counted.has(idOf(row)) || this.#counted.has(exact)
  }

  #count({ row, client, builtAt, exact }: CountedSwap): void {
    for (const key of [idOf(row), exact]) this.#counted.set(key, true)
    this.truth.add(row, client, builtAt)
  }
}

const idOf = ({ hash, signature }: Pick<Landing, 'hash' | 'signature'>): string => hash ?? signature!

/** Of a build as it is: a later one may differ in its blockhash alone. */
const exactly = (digest: string, edits: SolanaEdits | null): string =>
  edits === null ? digest : `${digest} ${edits.blockhash}`
