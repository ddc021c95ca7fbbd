/**
 * What providers delivered compared with what they offered: from the receipts of swaps that this gateway
 * built. Each counts once, only between majors, and only if it landed soon after its build, so that the
 * market has hardly moved.
 *
 * Offers are ranked less their provider's usual shortfall (`lossBps`). Clients may want to spoil a provider's
 * standing with swaps of their own: so it takes several clients, none of which weighs more than a few swaps;
 * their median decides; old swaps count less, and a loss is bounded. A build is kept by a digest of its
 * transaction, without a wallet, and its client as a keyed hash.
 */

import type { SolanaEdits } from '../../chains/transaction-digest.ts'
import { boundedCache } from '../../runtime/bounded-cache.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { Mac } from '../../runtime/mac.ts'
import type { Cost } from '../../runtime/resources/build.ts'

/** A swap that was handed out. */
export interface BuiltSwap {
  readonly chain: string
  readonly provider: string
  /** The output token, canonical, as receipts name it. */
  readonly token: string
  readonly isNative: boolean
  /**
   * Whether both tokens are majors of the chain: another token may take a fee of transfers, and its pools may
   * belong to its seller.
   */
  readonly isMajor: boolean
  /** Base units. */
  readonly expectedOut: bigint
  readonly minOut: bigint
  /** What else left the wallet in the native coin, without network fees; null if not all of it is known. */
  readonly otherNativeOut: bigint | null
  /** The costs that the build stated. */
  readonly costs: readonly Cost[]
  /** What its wallet may set anew; null on EVM chains. */
  readonly edits: SolanaEdits | null
}

/** One that is kept to be found again. */
export interface KeptSwap extends BuiltSwap {
  readonly client: number
  readonly builtAt: number
  isCounted: boolean
}

/** How a provider of a chain delivers. */
export type Delivered = Readonly<ReturnType<typeof judge>>

/** Ten minutes of the builds that the usual budgets allow, two keys each; about 300 bytes a key. */
const MAX_BUILT = 24_000
/** Per client: its own oldest builds make room for new ones. */
const MAX_BUILT_OF_CLIENT = 1_200
/** From the build to the block, ms. */
const SOON_MS = 120_000
const MAX_SAMPLES = 256
const MAX_SAMPLES_OF_CLIENT = 16
/** The weight of a fresh swap, as an integer: floating point decides nothing. */
const ONE_SWAP = 1n << 40n
/** The most that one client's swaps weigh, and the least that all must, in fresh swaps. */
const MOST_WEIGHT = 4n * ONE_SWAP
const LEAST_WEIGHT = 12n * ONE_SWAP
const LEAST_CLIENTS = 4
const HALF_LIFE_MS = 24 * 3_600_000
const MAX_LIVES = 32
/** Markets move as much. */
const USUAL_BPS = 5
const MAX_LOSS_BPS = 100
/** The largest loss that one swap counts for. */
const MAX_SAMPLE_BPS = 1_000
const KEPT_MS = 10_000
const BPS = 10_000n

interface Sample {
  readonly bps: number
  readonly client: number
  readonly at: number
}

interface Standing {
  readonly samples: Sample[]
  delivered: Delivered | null
  judgedAt: number
}

export class Deliveries {
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
  /** By chain and provider: our own names, so there are few. */
  readonly #standings = new Map<string, Standing>()

  constructor(clock: Clock = CLOCK, secret: string | null = null) {
    this.#clock = clock
    this.#clients = Mac.for('clients of built swaps', secret)
  }

  /** @param digest  of its transaction: chains/transaction-digest.ts */
  built(digest: string, swap: BuiltSwap, client: string): void {
    const exact = exactly(digest, swap.edits)
    // A repeated transaction is the same swap, with its first offer.
    if (this.#built.has(exact)) return
    const hash = this.#clients.of(client).readUInt32LE(0)
    const kept = { ...swap, client: hash, builtAt: this.#clock.date(), isCounted: false }
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
    return this.#built.get(exactly(digest, edits)) ?? this.#built.get(digest) ?? null
  }

  /**
   * Counts a swap once, and a transaction once.
   * @param id   of the transaction
   * @param got  base units
   * @param at   its block's time, Unix ms
   */
  landed(swap: KeptSwap, id: string, got: bigint, at: number): void {
    if (swap.isCounted || !swap.isMajor || this.#counted.has(id)) return
    // A block's time may be slightly before the build's: clocks differ.
    if (Math.abs(at - swap.builtAt) > SOON_MS) return
    swap.isCounted = true
    this.#counted.set(id, true)
    const short = shortBps(swap.expectedOut, got)
    const bps = Math.max(-MAX_SAMPLE_BPS, Math.min(MAX_SAMPLE_BPS, short))
    const key = keyOf(swap.chain, swap.provider)
    const standing = this.#standings.get(key) ?? { samples: [], delivered: null, judgedAt: 0 }
    this.#standings.set(key, standing)
    const { samples } = standing
    const own = samples.filter(({ client }) => client === swap.client)
    const isFull = samples.length >= MAX_SAMPLES
    if (own.length >= MAX_SAMPLES_OF_CLIENT) samples.splice(samples.indexOf(own[0]!), 1)
    else if (isFull) samples.shift()
    samples.push({ bps, client: swap.client, at: this.#clock.date() })
    standing.delivered = null
  }

  /** @returns null if nothing was delivered recently */
  of(chain: string, provider: string): Delivered | null {
    const standing = this.#standings.get(keyOf(chain, provider))
    if (standing === undefined) return null
    const now = this.#clock.date()
    if (standing.delivered === null || now - standing.judgedAt > KEPT_MS) {
      standing.delivered = judge(standing.samples, now)
      standing.judgedAt = now
    }
    return standing.delivered
  }

  /** By provider, for those with a shortfall; null if there is none. */
  lossesOf(chain: string, providers: readonly string[]): Readonly<Record<string, number>> | null {
    let losses: Record<string, number> | null = null
    for (const provider of providers) {
      const lossBps = this.of(chain, provider)?.lossBps ?? 0
      if (lossBps > 0) (losses ??= {})[provider] = lossBps
    }
    return losses
  }
}

/** The shortfall in hundredths of a percent of the offer, rounded towards zero; negative if more arrived. */
export const shortBps = (offered: bigint, got: bigint): number => Number(((offered - got) * BPS) / offered)

/** Of a build as it is: a later one may differ in its blockhash alone. */
const exactly = (digest: string, edits: SolanaEdits | null): string =>
  edits === null ? digest : `${digest} ${edits.blockhash}`

const keyOf = (chain: string, provider: string): string => `${chain} ${provider}`

/** Halves with each half-life, and falls linearly in between; very old swaps still weigh something. */
function ageWeight(ageMs: number): bigint {
  const lives = Math.min(Math.floor(ageMs / HALF_LIFE_MS), MAX_LIVES)
  const part = BigInt(Math.floor(Math.min(ageMs - lives * HALF_LIFE_MS, HALF_LIFE_MS)))
  const whole = ONE_SWAP >> BigInt(lives)
  return whole - (whole * part) / BigInt(2 * HALF_LIFE_MS)
}

/**
 * The weighted median, in which no client weighs more than a few swaps.
 * @returns the median shortfall, in hundredths of a percent of the offer, negative if more arrived; and the one that its
 *   offers are ranked with, 0 if it is small, or rests on too few swaps
 */
function judge(samples: readonly Sample[], now: number) {
  const weights = samples.map(({ at }) => ageWeight(Math.max(0, now - at)))
  const ofClient = new Map<number, bigint>()
  for (const [i, { client }] of samples.entries()) {
    ofClient.set(client, (ofClient.get(client) ?? 0n) + weights[i]!)
  }
  const weighed = samples
    .map(({ bps, client }, i) => {
      const all = ofClient.get(client)!
      return { bps, weight: all > MOST_WEIGHT ? (weights[i]! * MOST_WEIGHT) / all : weights[i]! }
    })
    .sort((a, b) => a.bps - b.bps)
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0n)
  let below = 0n
  const median = weighed.find(({ weight }) => (below += weight) * 2n >= total)!
  const isEnough = total >= LEAST_WEIGHT && ofClient.size >= LEAST_CLIENTS
  const lossBps = isEnough && median.bps > USUAL_BPS ? Math.min(median.bps, MAX_LOSS_BPS) : 0
  return { swaps: samples.length, clients: ofClient.size, medianBps: median.bps, lossBps }
}
