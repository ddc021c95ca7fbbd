/**
 * The interface of the two engines that verify Ed25519 signatures, and their cache of signers. `verify.ts` chooses
 * between them.
 */
import { LRUCache } from 'lru-cache'
import { CLOCK, type Clock } from '../../../runtime/clock.ts'

export interface Verifier {
  /** The number of signers that are remembered. */
  readonly signers: number
  /** Never throws. Anything but a signature of 64 bytes and a key of 32 bytes does not verify. */
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean
  /**
   * Makes a table for at most one signer that was seen repeatedly, which makes its next checks faster (bench:
   * Verifier, known signer). Call it when no client waits for a reply. The first call also makes the table
   * that all checks share; otherwise the first check makes it.
   */
  prepareTables(): void
}

export interface VerifierOptions {
  /** The most signers that are remembered at once. */
  readonly maxSigners?: number
  readonly clock?: Clock
}

/** What both engines share: the signers that they remember. */
export abstract class CachingVerifier<Value extends object> {
  protected readonly known: LRUCache<string, Value>

  constructor(options: VerifierOptions) {
    this.known = createSignerCache(options)
  }

  get signers(): number {
    return this.known.size
  }
}

const MAX_SIGNERS = 256
const TTL_MS = 600_000

/**
 * The cache of signers whose signatures held, so that the key of a signer who returns within minutes is not
 * decoded again (bench: Verifier, known signer). It is bounded in number and in time.
 */
export const createSignerCache = <Value extends object>({
  maxSigners = MAX_SIGNERS,
  clock = CLOCK,
}: VerifierOptions): LRUCache<string, Value> =>
  // With a resolution of 0 the cache reads the clock each time instead of starting a timer.
  new LRUCache({ max: maxSigners, ttl: TTL_MS, updateAgeOnGet: true, ttlResolution: 0, perf: clock })
