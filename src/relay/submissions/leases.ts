/**
 * Leases on submissions. If the same transaction is submitted to several
 * instances at once, one of them holds the lease and sends it; the others wait
 * and learn the outcome. The store of the leases may be slow or gone, and
 * the holder may die. Then each instance sends by itself: a transaction that is
 * sent twice lands once, and one that nobody sends does not land.
 *
 *   a   acquire ── send ─┬─ accepted ── again ── again ── end
 *                        └─ release
 *   b   acquire ── wait ... ── accepted: answers so, sends nothing
 *                        └──── send, with the retries that are left
 */
import type { Call } from '../../flow/call.ts'

/** Marks this instance as the sender. */
export interface Lease {
  /**
   * A node took the transaction. Others can see that until `end`, as long as this is called every few
   * seconds.
   */
  accepted(): void
  /** No node took it: a waiting instance may send it. @param retriesLeft  for all instances together */
  release(retriesLeft: number): void
  /** It is not sent any more. */
  end(): void
}

/**
 *   send      this instance sends it: with at most `retries` if others have already sent it (null: no
 *             such bound), and with a lease if one is needed and was available
 *   accepted  a node took it from another instance
 *   late      the deadline has passed
 *   spent     other instances sent it as often as allowed
 */
export type LeaseOutcome =
  | { readonly kind: 'send'; readonly lease: Lease | null; readonly retries: number | null }
  | { readonly kind: 'accepted' | 'late' | 'spent' }

export interface Leases {
  /**
   * Acquires the lease on a transaction, and waits while another instance holds it.
   * @param base64  the transaction
   * @param needsLease  false: takes no lease, so that no other instance waits for this one, but waits for the leases of others
   */
  acquire(base64: string, call: Call, needsLease: boolean): Promise<LeaseOutcome>
}
