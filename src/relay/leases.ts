/**
 * Whose turn it is to send a transaction, where it may be submitted to several
 * instances at one time: one of them sends it, and the others are told what
 * became of it. What tells them may be slow or gone, and whoever sends may die:
 * then each goes on by itself, because a transaction that is sent twice lands
 * once, and one that nobody sends does not land.
 *
 *   a   take ── ours ── send ─┬─ accepted ── again ── again ── end
 *                             └─ release
 *   b   take ── wait ... ── accepted: told so, sends nothing
 *                     └──── ours: sends, with the retries that are left
 */

/** That this instance is the one that sends. */
export interface Lease {
  /** A node took it. It is told to others until `end`, as long as this is called every few seconds. */
  accepted(): void
  /** No node took it: who waits may send it. @param retriesLeft  what all of those may still send, each once at least */
  release(retriesLeft: number): void
  /** It is on its way no more. */
  end(): void
}

export type LeaseOutcome =
  | { readonly kind: 'ours'; readonly claim: Lease | null; readonly retries: number | null }
  | { readonly kind: 'accepted' | 'late' | 'spent' }

export interface LeaseTerms {
  readonly deadlineMs: number
  /** Without: nobody else waits for it, but what another instance has on its way is not sent. */
  readonly claims: boolean
}

export interface Leases {
  /**
   * Waits while another instance sends the same bytes.
   * @param transaction  base64
   * @returns `ours`: it is for this instance to send, with no more than so many retries where others have sent it
   *          already; `accepted`: a node took it from another; `late`: the deadline has passed; `spent`: others sent
   *          it as often as it may be sent
   */
  take(transaction: string, terms: LeaseTerms): Promise<LeaseOutcome>
}
